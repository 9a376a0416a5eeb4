// The name that the naming template gives a tunnel (decisions.md, R4).
import { TUNNEL_SIDES } from '@panel/shared/api/lookups.ts'
import type { LinkKind } from '@panel/shared/model/tunnel.ts'
import type { SettingValues } from './definitions.ts'

export type NamingSettings = Pick<SettingValues, 'tunnel.naming_template' | 'tunnel.side_labels'>

export const renderName = (settings: NamingSettings, kind: LinkKind, tunnel_side_id: number, tunnel_number: number): string =>
  settings['tunnel.naming_template']
    .replaceAll('{side}', settings['tunnel.side_labels'][tunnel_side_id === TUNNEL_SIDES.A ? 'a' : 'b'])
    .replaceAll('{number}', `${tunnel_number}`)
    .replaceAll('{type}', kind)

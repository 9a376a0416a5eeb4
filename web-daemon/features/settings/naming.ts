// The name that the naming template gives a tunnel (decisions.md, R4).
import { TUNNEL_SIDES } from '@panel/shared/api/base/lookups.ts'
import type { LinkKind } from '@panel/shared/tunnel/model.ts'
import type { SettingsReader } from '../../platform/settings.ts'

export function renderName(
  settings: SettingsReader,
  kind: LinkKind,
  tunnel_side_id: number,
  tunnel_number: number,
): string {
  return settings
    .get('tunnel.naming_template')
    .replaceAll('{side}', settings.get('tunnel.side_labels')[tunnel_side_id === TUNNEL_SIDES.A ? 'a' : 'b'])
    .replaceAll('{number}', `${tunnel_number}`)
    .replaceAll('{type}', kind)
}

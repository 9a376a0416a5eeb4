// What every part of a draft looks at, and where it leaves what it finds wrong or worth saying.
import type { Warning } from '@panel/shared/api/errors.ts'
import type { WarningCode } from '@panel/shared/api/codes.ts'
import { kindOfType } from '@panel/shared/api/lookups.ts'
import { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { LinkKind } from '@panel/shared/tunnel/model.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import { allPools, type PoolRecord } from '../../pools/store.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import { factsWithout, hostFacts, type HostFacts } from '../facts.ts'
import type { TunnelRecord } from '../record.ts'
import { neighbours, type Neighbour } from '../store.ts'

/** Fields that the schema refused are left out, required ones included. */
export type Asked = Partial<CreateTunnelBody>

export interface Sketch {
  readonly settings: SettingsReader
  readonly body: Asked
  /** Null where the type was refused: what depends on it is not looked at. */
  readonly kind: LinkKind | null
  readonly problems: Problems
  readonly warnings: Warning[]
  readonly facts: HostFacts
  /** The tunnel to be changed, null where one is to be made. It is none of the neighbours, nor in the facts. */
  readonly stored: TunnelRecord | null
  /** It is to be made without any address. */
  readonly isBare?: boolean
  readonly neighbours: readonly Neighbour[]
  readonly pools: readonly PoolRecord[]
}

/** The order in which the schema names the fields: it decides which problem is the first. */
export const FIELD_ORDER: readonly string[] = Object.keys(CreateTunnelBody.properties)

export async function sketchOf(
  { db, ask, settings }: Pick<ReadContext, 'db' | 'ask' | 'settings'>,
  body: Asked,
  problems: Problems,
  stored: TunnelRecord | null = null,
): Promise<Sketch> {
  const all = await hostFacts(ask).catch((away: unknown) => {
    // A body that is wrong by itself is told so, helper or no helper.
    problems.throwIfAny(FIELD_ORDER)
    throw away
  })
  const kind = problems.has('tunnel_type_id')
    ? null
    : kindOfType(body.tunnel_type_id ?? settings.get('tunnel.default_type'))
  const facts = stored ? factsWithout(all, stored.interface_name) : all
  const others = (await neighbours(db)).filter(({ tunnel_id }) => tunnel_id !== stored?.tunnel_id)
  return { settings, body, kind, problems, warnings: [], facts, stored, neighbours: others, pools: await allPools(db) }
}

export function warn(sketch: Sketch, code: WarningCode, field: string, message: string): void {
  sketch.warnings.push({ code, message, field })
}

// What every part of a draft looks at, and where it leaves what it finds wrong or worth saying.
import type { Family } from '@panel/shared/address/ip.ts'
import type { Warning } from '@panel/shared/api/errors.ts'
import type { WarningCode } from '@panel/shared/api/codes.ts'
import { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import { findTunnel } from '../../tunnels/store.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import { hostFacts, type HostFacts } from '../facts.ts'
import type { RouteRecord } from '../record.ts'
import { enabledOnPorts, idOfTitle } from '../store.ts'

/** Fields that the schema refused are left out, required ones included. */
export type Asked = Partial<CreateRouteBody>

export interface Sketch {
  readonly settings: SettingsReader
  readonly body: Asked
  readonly problems: Problems
  readonly warnings: Warning[]
  readonly facts: HostFacts
  /** The rule to be changed, null where one is to be made. It is none of the neighbours. */
  readonly stored: RouteRecord | null
  /** Other rules in force on the same ports, in their order. */
  readonly neighbours: readonly RouteRecord[]
  /** Who has the title that is asked for, and the interface of the tunnel: null where there is none. */
  readonly titleOwner: number | null
  readonly tunnel: string | null
  /** The port on which the panel itself was reached. */
  readonly panel_port: number
}

/** The order in which the schema names the fields: it decides which problem is the first. */
export const FIELD_ORDER: readonly string[] = Object.keys(CreateRouteBody.properties)

interface Told {
  readonly problems: Problems
  readonly panel_port: number
  readonly stored?: RouteRecord | null
  /** Where they are known already. */
  readonly facts?: HostFacts
}

export async function sketchOf(
  { db, ask, settings }: Pick<ReadContext, 'db' | 'ask' | 'settings'>,
  body: Asked,
  { problems, panel_port, stored = null, facts }: Told,
): Promise<Sketch> {
  const known =
    facts ??
    (await hostFacts(ask).catch((away: unknown) => {
      // A body that is wrong by itself is told so, helper or no helper.
      problems.throwIfAny(FIELD_ORDER)
      throw away
    }))
  const { bind_port: first = 0, bind_port_range_end, route_rule_title: title, tunnel_id } = body
  const near = await enabledOnPorts(db, first, bind_port_range_end ?? first)
  const found = typeof tunnel_id === 'number' ? await findTunnel(db, tunnel_id) : null
  return {
    settings,
    body,
    problems,
    warnings: [],
    facts: known,
    stored,
    neighbours: near.filter(({ route_rule_id }) => route_rule_id !== stored?.route_rule_id),
    titleOwner: title === undefined ? null : await idOfTitle(db, title),
    tunnel: found && !found.isDeleted ? found.record.interface_name : null,
    panel_port,
  }
}

export function warn(sketch: Sketch, code: WarningCode, field: string, message: string): void {
  sketch.warnings.push({ code, message, field })
}

export const familyName = (family: Family): string => `IPv${family}`

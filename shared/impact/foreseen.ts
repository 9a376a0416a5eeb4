// What a command would have root do, in its order: what its impact follows from.
import type { Warning } from '../api/base/errors.ts'
import type { Change } from '../change/change.ts'
import type { HostForwarding } from '../forwarding/host.ts'
import type { NetworkStates } from '../network/model.ts'
import type { RelayDestination, RulesetState } from '../ruleset/model.ts'
import { rulesOrNull } from '../ruleset/plan.ts'
import type { TunnelState } from '../tunnel/model.ts'

export type HostChange =
  | { readonly noun: 'tunnel'; readonly change: Change<TunnelState> }
  | { readonly noun: 'route'; readonly change: Change<RulesetState> }
  | { readonly noun: 'network'; readonly change: Change<NetworkStates> }
  | {
      readonly noun: 'forwarding'
      readonly change: { readonly before: HostForwarding; readonly after: HostForwarding }
    }

/** Connections of a rule that are ended on request: to any destination but those that it keeps with its ports. */
export interface Ended {
  readonly route_rule_id: number
  readonly kept: readonly Pick<RelayDestination, 'address' | 'port' | 'port_range_end'>[]
}

export interface Foreseen {
  readonly changes: readonly HostChange[]
  readonly ended?: readonly Ended[]
  /** How many parts depend on others of the same command, so that nobody knows them beforehand. */
  readonly unforeseen?: number
  readonly warnings: readonly Warning[]
}

export const NOTHING_FORESEEN: Foreseen = { changes: [], warnings: [] }

/** One part that nobody knows beforehand. */
export const UNFORESEEN: Foreseen = { ...NOTHING_FORESEEN, unforeseen: 1 }

/** Several commands, each foreseen from the host as it is now. */
export const foreseenTogether = (all: readonly Foreseen[]): Foreseen => ({
  changes: all.flatMap(({ changes }) => changes),
  ended: all.flatMap(({ ended = [] }) => ended),
  unforeseen: all.reduce((sum, { unforeseen = 0 }) => sum + unforeseen, 0),
  warnings: all.flatMap(({ warnings }) => warnings),
})

/** The same where their changes of rules are one change. */
export function foreseenAsOne(all: readonly Foreseen[]): Foreseen {
  const together = foreseenTogether(all)
  const rules = together.changes.flatMap((one) => (one.noun === 'route' ? one.change : []))
  if (rules.length < 2) return together
  const change = {
    before: rulesOrNull(rules.flatMap(({ before }) => before ?? [])),
    after: rulesOrNull(rules.flatMap(({ after }) => after ?? [])),
  }
  return {
    ...together,
    changes: [{ noun: 'route', change }, ...together.changes.filter(({ noun }) => noun !== 'route')],
  }
}

/** Interfaces whose routes by router advertisement a change keeps while it turns IPv6 forwarding on. */
export const keptInterfaces = ({ changes }: Pick<Foreseen, 'changes'>): string[] => [
  ...new Set(
    changes.flatMap((one) => {
      if (one.noun !== 'forwarding') return []
      const { before, after } = one.change
      return Object.keys(after.accept_ra).filter((name) => (after.accept_ra[name] ?? 0) > (before.accept_ra[name] ?? 0))
    }),
  ),
]

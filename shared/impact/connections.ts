// Open connections by what becomes of them; what nobody counted is null, never none. Pure.
import { FATES, type Fate, type Impact } from '../api/impact/impact.ts'
import { message, sentences, messageFields, verbatim, type Message } from '../messages/message.ts'
import type { Concerned, End } from './rules.ts'

export interface CountedConnections {
  /** Null where they are known. */
  readonly unknown: Message | null
  readonly totals: ReadonlyMap<number, number>
  /** The destination of each connection of a rule; null if they were counted together only. */
  readonly byDestination: ((route_rule_id: number) => readonly End[]) | null
}

type Counts = Record<Fate, number>

export interface Counting {
  readonly connections: Impact['connections']
  readonly of: (route_rule_id: number) => number | null
}

/** `mayConcern` false: there are no rules that could be concerned, whatever is not known. */
export function countConnections(
  { concerned, mayConcern }: { readonly concerned: readonly Concerned[]; readonly mayConcern: boolean },
  { unknown, totals, byDestination }: CountedConnections,
  { checked_at, older }: { readonly checked_at: string; readonly older: number },
): Counting {
  if (unknown && mayConcern)
    return {
      connections: { is_known: false, ...messageFields('detail', unknown), ...NOT_KNOWN, ...NOBODY_ASKED, checked_at },
      of: () => null,
    }
  const counts: Counts = { survive: 0, frozen: 0, at_risk: 0, end: older }
  let isMost = false
  for (const one of concerned) {
    const total = totals.get(one.route_rule_id) ?? 0
    const to = byDestination?.(one.route_rule_id) ?? null
    const isOneFate = to === null
    isMost ||= isOneFate && !one.isOneFate && total > 0
    if (to) for (const end of to) counts[one.fateTo(end)] += 1
    else counts[one.fate] += total
  }
  const at_risk = counts.at_risk + counts.frozen
  const detail =
    concerned.length === 0
      ? verbatim('')
      : sentences(message('impact.counted'), isMost ? message('impact.counted_most') : null)
  return {
    connections: {
      is_known: true,
      ...messageFields('detail', detail),
      total: FATES.reduce((sum, fate) => sum + counts[fate], 0),
      survive: counts.survive,
      at_risk,
      end: counts.end,
      checked_at,
      ...NOBODY_ASKED,
    },
    of: (id) => totals.get(id) ?? 0,
  }
}

const NOBODY_ASKED = { top_sources: null, others: null } as const
const NOT_KNOWN = { total: null, survive: null, at_risk: null, end: null } as const

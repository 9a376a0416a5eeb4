// How many connections the rules own: as they were counted last, and by a look at each only where that tells more.
import type { CountedConnections } from '@panel/shared/impact/connections.ts'
import { fromRoot, message } from '@panel/shared/messages/message.ts'
import type { End } from '@panel/shared/impact/rules.ts'
import { CONNECTIONS_MAX, type ConnectionsFound } from '@panel/shared/ruleset/connection.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { RouteRecord } from '../routes/record.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { nullIfUnreadable } from './unreadable.ts'

interface Wanted {
  readonly records: readonly RouteRecord[]
  /** Those of whose connections some may go to destinations that are not concerned. */
  readonly mixed: readonly RouteRecord[]
}

/** Few enough that root lists them all. */
const LISTED_MAX = CONNECTIONS_MAX

type Counted = CountedConnections & { readonly checked_at: string }

export async function countConnections(
  { request, now }: ReadContext,
  traffic: Traffic,
  { records, mixed }: Wanted,
): Promise<Counted> {
  const last = traffic.lastCount()
  const isListable = mixed.reduce((sum, one) => sum + (last?.totals.get(one.route_rule_id) ?? 0), 0) <= LISTED_MAX
  if (last && (mixed.length === 0 || !isListable))
    return { ...asCounted(last.totals), checked_at: new Date(now().getTime() - last.age_ms).toISOString() }
  const checked_at = now().toISOString()
  if (records.length === 0) return { ...asCounted(new Map()), checked_at }
  const limit = mixed.length > 0 ? LISTED_MAX : 0
  const found = await nullIfUnreadable(request('ruleset.connections', { route_rule_ids: [], limit }))
  if (!found) return { ...NOT_COUNTED, checked_at }
  if (!found.is_readable) return { ...NOT_COUNTED, unknown: fromRoot(found.detail), checked_at }
  return { ...listed(found), checked_at }
}

const asCounted = (totals: CountedConnections['totals']): CountedConnections => ({
  unknown: null,
  totals,
  byDestination: null,
})

const NOT_COUNTED: CountedConnections = { ...asCounted(new Map()), unknown: message('impact.not_counted') }

function listed({ totals, connections }: ConnectionsFound): CountedConnections {
  const byRule = new Map<number, End[]>()
  for (const one of connections) {
    const its = byRule.get(one.route_rule_id)
    if (its) its.push(one)
    else byRule.set(one.route_rule_id, [one])
  }
  const isWhole = connections.length < CONNECTIONS_MAX
  return {
    unknown: null,
    totals: new Map(totals.map(({ route_rule_id, connections: many }) => [route_rule_id, many])),
    byDestination: isWhole && connections.length > 0 ? (id) => byRule.get(id) ?? [] : null,
  }
}

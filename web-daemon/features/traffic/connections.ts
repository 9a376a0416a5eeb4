// The connections that rules relay, from connection tracking (reference.md, GET /routes/{id}/connections;
// decisions.md, F22).
import type { ConnectionsAnswer } from '@panel/shared/api/routes/connections.ts'
import { CONNECTIONS_LIMIT } from '@panel/shared/api/queries.ts'
import { message, type Message, sentences, messageFields } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { accountingWarnings, conntrackWarnings } from '../forwarding/view.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { requireRoute } from '../routes/target.ts'
import { sourcePortWarnings } from './source-ports.ts'
import type { Traffic } from './traffic.ts'

export function listConnections(traffic: Traffic) {
  return async (
    { db, request, now, settings }: ReadContext,
    { params, query }: Incoming,
  ): Promise<Answer<ConnectionsAnswer>> => {
    const record = await requireRoute(db, params)
    const { route_rule_id } = record
    const { limit } = parsePaging(query, CONNECTIONS_LIMIT)
    const [found, forwarding] = await Promise.all([
      request('ruleset.connections', { route_rule_ids: [route_rule_id], limit: Math.max(limit, 1) }),
      request('forwarding.probe', {}),
    ])
    const { conntrack_acct: bytes_counted, conntrack_timestamp: ages_known } = forwarding.state.live
    const total = found.is_readable ? (found.totals[0]?.connections ?? 0) : null
    const answer: ConnectionsAnswer = {
      route_rule_id,
      reader: 'netlink',
      available: found.is_readable,
      bytes_counted,
      ...messageFields('detail', describeReading(found, { bytes_counted, ages_known })),
      connections: found.connections.slice(0, limit).map(({ route_rule_id: _rule, ...one }) => one),
      total,
      by_source: Object.fromEntries(
        found.sources.map(({ source_address, connections }) => [source_address, connections]),
      ),
      new_per_second: traffic.newConnectionsPerSecond(route_rule_id),
      warnings: [
        ...sourcePortWarnings(record, total),
        ...conntrackWarnings(forwarding, settings),
        ...accountingWarnings(forwarding),
      ],
      checked_at: now().toISOString(),
    }
    return ok(answer)
  }
}

function describeReading(
  { is_readable, detail }: { readonly is_readable: boolean; readonly detail: string },
  { bytes_counted, ages_known }: { readonly bytes_counted: boolean; readonly ages_known: boolean },
): Message {
  if (!is_readable) return message('note.connections_unreadable', { why: detail })
  const isAllKnown = bytes_counted && ages_known
  return sentences(
    message('note.connections'),
    bytes_counted ? null : message('note.no_bytes'),
    ages_known ? null : message('note.no_ages'),
    message(isAllKnown ? 'note.connections_counted' : 'note.count_connections'),
  )
}

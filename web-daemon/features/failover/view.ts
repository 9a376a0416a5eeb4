// The destinations of a rule as an operator sees them: what their checks say, and which of them take connections.
import type {
  CheckedDestination,
  DestinationEvent,
  RouteCheckAnswer,
  ShownState,
} from '@panel/shared/api/routes/check.ts'
import { message, messageFields, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { Result } from '@panel/shared/rpc/methods.ts'
import type { ReadContext } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import { has, portsOf } from '../routes/ports.ts'
import { takersOf } from './takers.ts'
import { familyOf, rotationOf, ruleOf, type DestinationRecord, type RouteRecord } from '../routes/record.ts'
import { eventsOf, statesOf, type StoredState } from './store.ts'
import { isDrained, shownState } from './shown-state.ts'
import { FOR_EVER } from './drains.ts'
import type { Failover } from './failover.ts'

const EVENTS_SHOWN = 50

export async function checkAnswer(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  failover: Failover,
  record: RouteRecord,
): Promise<RouteCheckAnswer> {
  const [states, events, counts] = await Promise.all([
    statesOf(db, record.route_rule_id),
    eventsOf(db, record.route_rule_id, EVENTS_SHOWN),
    destinationCounts(request, record.route_rule_id),
  ])
  const takers = takersOf(record)
  return {
    route_rule_id: record.route_rule_id,
    check: record.check,
    is_closed: ruleOf(record)?.is_closed ?? false,
    destinations: record.destinations.map((one) => ({
      ...identity(one),
      rotation: rotationOf(one),
      takes_connections: takers.includes(one),
      ...stateFields(one, record, states.get(one.route_destination_id) ?? null, failover),
      ...liveFields(failover, one),
      ...nameFields(failover, record, one),
      connections: counts && countOf(one, record, counts),
    })),
    events: events.map(({ reason, from_state, to_state, ...rest }): DestinationEvent => ({
      ...rest,
      from_state: from_state as ShownState,
      to_state: to_state as ShownState,
      ...messageFields('reason', reason),
    })),
  }
}

const identity = ({
  route_destination_id,
  address,
  port,
  hostname,
  is_backup,
  is_enabled,
  drained_until,
}: DestinationRecord) => ({
  route_destination_id,
  address,
  port,
  hostname,
  is_backup,
  is_enabled,
  drained_until,
})

type StateFields = Pick<CheckedDestination, 'state' | 'reason' | 'reason_message' | 'since'>

function stateFields(
  one: DestinationRecord,
  record: RouteRecord,
  stored: StoredState | null,
  failover: Failover,
): StateFields {
  const since = stored?.since ?? null
  return { state: shownState(one), ...messageFields('reason', reasonOf(one, record, stored, failover)), since }
}

function reasonOf(
  one: DestinationRecord,
  { check }: RouteRecord,
  stored: StoredState | null,
  failover: Failover,
): Message {
  if (isDrained(one))
    return one.drained_until === FOR_EVER
      ? message('check.drained')
      : message('check.drained_until', { until: one.drained_until ?? '' })
  if (!check?.is_enabled) return message('check.off')
  const judged = failover.of(one.route_destination_id)?.judgement
  // What is known now says more than what was known when the state was stored.
  if (judged?.state === one.state) return judged.reason
  return stored?.reason ?? message('check.never')
}

function liveFields(failover: Failover, { route_destination_id }: DestinationRecord) {
  const history = failover.of(route_destination_id)?.history
  return {
    latency_ms: history?.latency_ms ?? null,
    last_checked_at: history?.lastAt == null ? null : new Date(history.lastAt).toISOString(),
    history: history?.all ?? [],
  }
}

function nameFields(failover: Failover, record: RouteRecord, { hostname }: DestinationRecord) {
  const status = hostname === null ? null : failover.hostnames.of(hostname, familyOf(record))
  return {
    resolved_at: status?.resolved_at ?? null,
    ...messageFields('hostname_problem', status?.problem ?? verbatim('')),
  }
}

type DestinationCounts = Result<'ruleset.connections'>['destinations']

/** Null where they cannot be read. */
async function destinationCounts(
  request: ReadContext['request'],
  route_rule_id: number,
): Promise<DestinationCounts | null> {
  const found = await nullIfHelperAway(request('ruleset.connections', { route_rule_ids: [route_rule_id], limit: 1 }))
  return found?.is_readable ? found.destinations : null
}

/** The connections of a destination; all ports of a range count. */
function countOf({ address, port }: DestinationRecord, record: RouteRecord, counts: DestinationCounts): number {
  const listens = portsOf(record.bind_port, record.bind_port_range_end)
  const ports = portsOf(port, port + listens.last - listens.first)
  return counts
    .filter((one) => one.destination_address === address && has(ports, one.destination_port))
    .reduce((sum, { connections }) => sum + connections, 0)
}

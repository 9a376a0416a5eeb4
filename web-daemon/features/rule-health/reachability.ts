// Tests whether a destination can be reached from this server, with or without a rule (reference.md, diagnostics/test;
// decisions.md, F21).
import { canonicalIp, parseIp, type Family } from '@panel/shared/address/ip.ts'
import { isMulticast, isReserved, isUnspecified } from '@panel/shared/address/special.ts'
import { Reachability, RouteReachability, TestBody, TestRouteBody } from '@panel/shared/api/routes/reachability.ts'
import { message, type Message, messageFields } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, preview, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { familyName } from '../routes/draft/context.ts'
import { requireRoute } from '../routes/target.ts'
import { probeTcpPort, probeUdpPort, type PortProbeResult } from '../../platform/network/port-probe.ts'
import { familyOf, isActive, protocolOf, type RouteRecord } from '../routes/record.ts'

const DEFAULT_SECONDS = 3
/** For the whole host (decisions.md, D11). */
const AT_ONCE = 4
/** Errors of the local socket, which say nothing about the destination. */
const OWN_REFUSALS = ['EADDRNOTAVAIL', 'EACCES', 'EPERM', 'EINVAL', 'EAFNOSUPPORT']

export function reachabilityEndpoints() {
  const tag = 'routes'
  const withSlot = makeSlots(AT_ONCE)
  return [
    preview(
      'POST /routes/diagnostics/test',
      {
        tag,
        summary:
          'Whether a port can be reached from this server: by a TCP connection, or a datagram whose silence proves nothing. No rule is needed.',
      },
      (context, incoming) => withSlot(() => testAddress(context, incoming)),
    ),
    preview(
      'POST /routes/{id}/diagnostics/test',
      {
        tag,
        summary: 'Whether every destination of a rule can be reached from this server.',
      },
      (context, incoming) => withSlot(() => testRoute(context, incoming)),
    ),
  ]
}

/** Answers 429 if all slots are taken: waiting would falsify the measured times. */
function makeSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let taken = 0
  return async (work) => {
    if (taken >= count)
      throw new Refusal('RATE_LIMITED', message('panel.too_many_tests', { count }), {
        headers: { 'Retry-After': '1' },
      })
    taken += 1
    try {
      return await work()
    } finally {
      taken -= 1
    }
  }
}

async function testAddress(
  { now }: ReadContext,
  { body, problems }: Incoming<TestBody>,
): Promise<Answer<Reachability>> {
  const ip = parseIp(body.address)
  if (!ip || isUnspecified(ip) || isMulticast(ip) || isReserved(ip))
    problems.add(
      'address',
      'INVALID_DESTINATION',
      message('route.not_one_host', { field: 'address', address: body.address }),
    )
  if (ip) checkSource(body, ip.family, problems)
  problems.throwIfAny()
  return ok(await probePort({ ...body, address: canonicalIp(body.address), protocol: body.protocol ?? 'tcp' }, now))
}

async function testRoute(
  { db, now }: ReadContext,
  { params, body, problems }: Incoming<TestRouteBody>,
): Promise<Answer<RouteReachability>> {
  const record = await requireRoute(db, params)
  checkSource(body, familyOf(record), problems)
  problems.throwIfAny()
  const results = await probeDestinations(record, body, now)
  const worst =
    results.find(({ reachable }) => reachable === false) ?? results.find(({ conclusive }) => !conclusive) ?? results[0]
  if (!worst) throw new Error(`Rule ${record.route_rule_id} has no destination`)
  const answer: RouteReachability = { route_rule_id: record.route_rule_id, ...worst, results }
  return ok(answer)
}

/** Probes the active destinations, in each protocol of the rule. */
export function probeDestinations(
  { route_protocol_id, destinations }: Pick<RouteRecord, 'route_protocol_id' | 'destinations'>,
  how: TestRouteBody,
  now: () => Date,
): Promise<Reachability[]> {
  const messageFields = protocolOf(route_protocol_id)
  const protocols = messageFields === 'both' ? (['tcp', 'udp'] as const) : ([messageFields] as const)
  const probes = destinations
    .filter(isActive)
    .flatMap(({ address, port }) => protocols.map((protocol) => ({ ...how, address, port, protocol })))
  return Promise.all(probes.map((one) => probePort(one, now)))
}

function checkSource({ source_address }: TestRouteBody, family: Family, problems: Incoming['problems']): void {
  if (source_address === undefined) return
  const source = parseIp(source_address)
  if (source && source.family !== family)
    problems.add(
      'source_address',
      'ADDRESS_FAMILY_MISMATCH',
      message('route.source_address_family', { field: 'source_address', family: familyName(family) }),
    )
  if (!source) problems.add('source_address', 'INVALID_ADDRESS', message('route.not_ip', { address: source_address }))
}

async function probePort(
  {
    address,
    port,
    protocol,
    timeout_seconds = DEFAULT_SECONDS,
    source_address,
  }: TestBody & { protocol: 'tcp' | 'udp' },
  now: () => Date,
): Promise<Reachability> {
  const probe = { address, port, timeout_ms: timeout_seconds * 1000, source_address }
  const result = await (protocol === 'tcp' ? probeTcpPort(probe) : probeUdpPort(probe))
  const isOurs = OWN_REFUSALS.includes(result.error)
  const conclusive = !isOurs && (protocol === 'tcp' || result.outcome !== 'silent')
  const reachable = conclusive ? result.outcome === 'answered' : null
  return {
    address,
    port,
    protocol,
    reachable,
    conclusive,
    latency_ms: isOurs ? null : result.latency_ms,
    error: result.error,
    ...messageFields('detail', describeResult(protocol, result, { isOurs, seconds: timeout_seconds })),
    checked_at: now().toISOString(),
  }
}

function describeResult(
  protocol: 'tcp' | 'udp',
  { outcome, error }: PortProbeResult,
  { isOurs, seconds }: { isOurs: boolean; seconds: number },
): Message {
  const isTcp = protocol === 'tcp'
  if (isOurs) return message('reach.not_sent', { error })
  if (outcome === 'answered') return message(isTcp ? 'reach.connected' : 'reach.answered')
  if (outcome === 'refused') {
    if (error === 'ECONNREFUSED') return message(isTcp ? 'reach.port_closed' : 'reach.port_closed_udp')
    return message('reach.no_way', { error })
  }
  return message(isTcp ? 'reach.silent' : 'reach.silent_udp', { seconds })
}

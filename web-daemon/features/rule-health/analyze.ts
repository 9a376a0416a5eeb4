// Why a rule does or does not relay: the causes of its health along a packet's path, and what costs something to find
// out; the first that stops it is the verdict (decisions.md, F24, S21).
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { StoreContext } from '../../platform/context.ts'
import { foreignRules } from '../forwarding/foreign.ts'
import { conclude } from '../../platform/http/conclusion.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { observe } from '../tunnels/view.ts'
import { healthView, judgeRules, type Judged } from './health.ts'
import { fastPathView } from '../routes/fast-path.ts'
import { targetOf } from '../routes/target.ts'
import { byCauses, passes, stops, type Finding } from './finding.ts'
import { firewalls, marked, taken } from './foreign-findings.ts'
import type { RuleDeps } from './items.ts'
import { inbound } from './inbound.ts'
import { olderFlows } from './older-flows.ts'
import { probeDestinations } from './reachability.ts'
import { familyOf, type RouteRecord } from '../routes/record.ts'
import { roomFor, sourcePortWarnings } from '../traffic/source-ports.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { findEgress } from '../routes/path/egress.ts'

export function analyzeRoute({ traffic, proofs }: RuleDeps) {
  return async (context: StoreContext, { params }: Incoming): Promise<Answer<RouteAnalysis>> => {
    const record = await targetOf(context, params)
    const foreign = await foreignRules(context.request)
    const [judged] = await judgeRules(context, proofs, [record], { foreign })
    if (!judged) throw new Error(`Rule ${record.route_rule_id} has no health`)
    const findings = await findAlong(context, judged, { traffic, foreign })
    const isDoubtful =
      judged.causes.some(({ effect }) => effect === 'may_stop') || !foreign.is_readable || !foreign.is_whole
    const answer: RouteAnalysis = {
      route_rule_id: record.route_rule_id,
      ...conclude(
        findings.map((one) => ({ ...one, isCertain: one.isCertain && !isDoubtful })),
        { sentence: message('health.all_well'), isCertain: !isDoubtful },
        context.now(),
      ),
    }
    if (answer.severity === 'ok' && answer.verdict === 'HEALTHY') proofs.proven(record.route_rule_id, 'analysis')
    return ok(answer)
  }
}

interface Beside {
  readonly traffic: Traffic
  readonly foreign: ForeignFound
}

async function findAlong(context: StoreContext, judged: Judged, { traffic, foreign }: Beside): Promise<Finding[]> {
  const { record, facts } = judged
  const health = healthView(judged, () => null)
  return [
    inForce(record),
    inKernel(judged, health),
    listener(judged),
    forwarding(judged),
    byCauses('order', judged.causes, ['RULE_SHADOWED'], message('health.not_shadowed'), {
      route_rule_ids: facts.shadows.map(({ route_rule_id }) => route_rule_id),
    }),
    firewalls(foreign, judged),
    taken(judged),
    await marked(context, judged),
    ...fastPath(record),
    tunnel(judged, health),
    byCauses('route', judged.causes, ['NO_ROUTE', 'ROUTE_CHANGED'], message('health.has_route')),
    await destinations(context, record, judged),
    await mtu(context, record, health),
    room(traffic, judged),
    ...(await olderFlows(context, judged)),
    await inbound(context, traffic, judged),
  ]
}

function inForce({ is_enabled }: RouteRecord): Finding {
  if (is_enabled) return passes('rule', message('health.is_enabled'))
  return stops('RULE_DISABLED', passes('rule', message('health.is_disabled')), [message('health.fix_enable')])
}

/** What the kernel holds counts: a last change that failed and was put back leaves the rule in force. */
const inKernel = ({ causes, sentence }: Judged, { installed }: RouteHealthView): Finding =>
  byCauses(
    'ruleset',
    causes,
    ['RULES_UNREADABLE', 'RULE_MISSING', 'RULE_DIFFERS', 'STRAY_RULES'],
    message('health.sentence', { text: sentence }),
    { installed },
  )

const listener = ({ record: { bind_address: address, bind_interface }, causes, facts }: Judged): Finding =>
  byCauses('listener', causes, ['LISTENER_ABSENT'], message('health.has_listener', { address }), {
    bind_interface,
    interface_name: facts.owner?.name ?? null,
  })

function forwarding({ record, causes, facts }: Judged): Finding {
  const [live, family] = [facts.forwarding?.state.live, familyOf(record)]
  const isOn = live?.[`ipv${family}`] === true
  return byCauses(
    'forwarding',
    causes,
    ['FORWARDING_OFF', 'REVERSE_PATH'],
    message('health.forwarding_state', { family: `IPv${family}`, state: isOn ? 'on' : 'off' }),
    { ipv4: live?.ipv4 ?? null, ipv6: live?.ipv6 ?? null },
  )
}

/** Findings about the fast path: a filter that is added later stops none of its established connections. */
function fastPath(record: RouteRecord): Finding[] {
  if (record.fast_path_state === 'off') return []
  const { is_active, reason_message } = fastPathView(record)
  return [passes('fast_path', message('health.sentence', { text: reason_message }), { is_active })]
}

function tunnel({ causes }: Judged, { tunnel: over }: RouteHealthView): Finding {
  const well = over
    ? message('health.tunnel_state', { tunnel: tunnelNamed(over), state: over.is_up ? 'up' : 'down' })
    : message('health.no_tunnel')
  return byCauses('tunnel', causes, ['TUNNEL_GONE', 'TUNNEL_DOWN'], well, { ...over })
}

async function destinations({ now }: StoreContext, record: RouteRecord, { causes }: Judged): Promise<Finding> {
  const results = await probeDestinations(record, {}, now)
  const away = results.filter(({ reachable }) => reachable === false)
  const data = { results }
  const known = byCauses('destinations', causes, ['DESTINATION_UNRESOLVED', 'DESTINATIONS_DOWN'], null, data)
  if (known && away.length === 0) return known
  if (away.length === 0)
    return passes(
      'destinations',
      message(results.length === 1 ? 'health.destination_answers' : 'health.destinations_answer', {
        results: results.map(describeResult),
      }),
      data,
    )
  const finding = passes(
    'destinations',
    message('health.destinations_away', {
      count: away.length,
      total: results.length,
      results: away.map(describeResult),
    }),
    data,
  )
  const fix = away.map(({ protocol, port, address }) =>
    message('health.fix_reach', { protocol: protocol.toUpperCase(), port, address }),
  )
  return stops(
    away.length === results.length ? 'DESTINATION_UNREACHABLE' : 'DESTINATIONS_PARTLY_UNREACHABLE',
    finding,
    fix,
  )
}

const describeResult = ({
  protocol,
  address,
  port,
  reachable,
}: {
  protocol: string
  address: string
  port: number
  reachable: boolean | null
}): Message =>
  message('health.result', {
    protocol: protocol.toUpperCase(),
    address,
    port,
    state: reachable === null ? 'silent' : reachable ? 'answers' : 'away',
  })

/** The MTU of a client's network, if not known (RFC 894). */
const ETHERNET_MTU = 1500

/** If the egress has a smaller MTU than the ingress, large transfers hang unless TCP's MSS is clamped (RFC 4459). */
async function mtu(
  { request }: StoreContext,
  record: RouteRecord,
  { tunnel: over }: RouteHealthView,
): Promise<Finding> {
  const { is_clamp_mss_to_pmtu, route_protocol_id } = record
  const egress = await findEgress(request, record)
  const inTunnel = over ? (await observe(request, [over.interface_name]))(over.interface_name).mtu : null
  const [link, name] =
    over && inTunnel !== null && (egress.mtu === null || inTunnel <= egress.mtu)
      ? [inTunnel, over.interface_name]
      : [egress.mtu, egress.narrowest]
  const data = { mtu: link, interface_name: name, mtu_in: egress.mtu_in }
  if (link === null || link >= (egress.mtu_in ?? ETHERNET_MTU)) return passes('mtu', message('health.mtu_fine'), data)
  const params = { name: name ?? '', mtu: link }
  if (is_clamp_mss_to_pmtu || route_protocol_id === ROUTE_PROTOCOLS.UDP)
    return passes('mtu', message('health.mtu_clamped', params), data)
  return stops(
    'MTU_PROBLEM',
    passes('mtu', message('health.mtu_problem', params), data),
    [message('health.fix_clamp')],
    false,
  )
}

/** Never a verdict: existing connections go on. */
function room(traffic: Traffic, { record, causes }: Judged): Finding {
  const full = byCauses('connections', causes, ['TABLE_NEARLY_FULL'], null)
  if (full) return full
  const [connections, most] = [traffic.connections(record.route_rule_id), roomFor(record)]
  const data = { connections, room: most }
  if (connections === null) return passes('connections', message('health.connections_unknown'), data)
  if (most === null) return passes('connections', message('health.connections', { count: connections }), data)
  const [warning] = sourcePortWarnings(record, connections)
  return passes(
    'connections',
    warning
      ? message('route.source_ports', { connections, room: most })
      : message('health.connections_of', { count: connections, most }),
    data,
  )
}

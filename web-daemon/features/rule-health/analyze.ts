// Why a rule does or does not relay: checks every step of a packet's path; the first that stops it is the verdict
// (decisions.md, F24).
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { ruleNamed, tunnelNamed } from '@panel/shared/messages/named.ts'
import type { StoreContext } from '../../platform/context.ts'
import { foreignRules, type InTheWay } from '../forwarding/foreign.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { observe } from '../tunnels/view.ts'
import { readHealth } from './health.ts'
import { fastPathView } from '../routes/fast-path.ts'
import { targetOf } from '../routes/target.ts'
import { readPaths, type Paths } from '../routes/path/path.ts'
import { passes, stops, type Finding } from './finding.ts'
import { blocked, marked, taken } from './foreign-findings.ts'
import { foreignObstacles } from '../routes/path/path-check.ts'
import { probeDestinations } from './reachability.ts'
import { isAsStored, readKernelRules, type KernelRules } from '../routes/kernel-rules.ts'
import { familyOf, type RouteRecord } from '../routes/record.ts'
import { findShadows } from './shadows.ts'
import { roomFor, sourcePortWarnings } from '../traffic/source-ports.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { trafficView } from '../traffic/view.ts'
import { findEgress } from '../routes/path/egress.ts'

export function analyzeRoute(traffic: Traffic) {
  return async (context: StoreContext, { params }: Incoming): Promise<Answer<RouteAnalysis>> => {
    const record = await targetOf(context, params)
    const held = await readKernelRules(context.request, [record.route_rule_id])
    const paths = await readPaths(context, [record], { withDevices: true })
    const foreign = await foreignRules(context.request)
    const [health] = await readHealth(context, [record], { rules: held, paths, foreign })
    if (!health) throw new Error(`Rule ${record.route_rule_id} has no health`)
    const inTheWay = await foreignObstacles(context.request, record, { foreign, paths })
    const findings = [
      inForce(record),
      inKernel(record, held, health),
      await forwarding(context, record),
      await shadow(context, record),
      blocked(foreign, inTheWay),
      taken(inTheWay),
      ...(await marks(context, record, inTheWay)),
      tunnel(record, health, paths),
      await destinations(context, record),
      await mtu(context, record, health),
      room(traffic, record),
      await inbound(traffic, record, inTheWay),
    ]
    const stop = findings.find(({ verdict }) => verdict !== null)
    const summary = stop ? stop.sentence : message('health.all_well')
    const fixes = findings.filter(({ verdict }) => verdict !== null).flatMap(({ fix }) => [...fix])
    const answer: RouteAnalysis = {
      route_rule_id: record.route_rule_id,
      verdict: stop?.verdict ?? 'HEALTHY',
      summary: summary.message,
      summary_message: summary,
      evidence: findings.map(({ evidence }) => evidence),
      suggested_fix: fixes.map(({ message: text }) => text),
      fix_messages: fixes,
      // A rule that could not be read may stop packets too.
      confidence: (stop?.isCertain ?? true) && foreign.is_readable && foreign.is_whole ? 'high' : 'low',
      checked_at: context.now().toISOString(),
    }
    return ok(answer)
  }
}

function inForce({ is_enabled }: RouteRecord): Finding {
  if (is_enabled) return passes('rule', message('health.is_enabled'))
  return stops('RULE_DISABLED', passes('rule', message('health.is_disabled')), [message('health.fix_enable')])
}

/** What the kernel holds counts: a last change that failed and was put back leaves the rule in force. */
function inKernel(record: RouteRecord, held: KernelRules, { detail_message, installed }: RouteHealthView): Finding {
  const finding = passes('ruleset', message('health.sentence', { text: detail_message }), { installed })
  if (!held.is_readable || !isAsStored(record, held))
    return stops('RULE_MISSING', finding, [message('health.fix_reapply')], installed !== null)
  // Foreign pieces in the panel's table are not read, so whether they drop packets is not certain.
  return record.is_enabled && held.unmanaged.length > 0
    ? stops('FORWARD_BLOCKED', finding, [message('health.fix_reapply_stray')], false)
    : finding
}

async function forwarding({ request }: StoreContext, record: RouteRecord): Promise<Finding> {
  const { live } = (await request('forwarding.probe', {})).state
  const isOn = familyOf(record) === 6 ? live.ipv6 : live.ipv4
  const finding = passes(
    'forwarding',
    message('health.forwarding_state', { family: `IPv${familyOf(record)}`, state: isOn ? 'on' : 'off' }),
    {
      ipv4: live.ipv4,
      ipv6: live.ipv6,
    },
  )
  return isOn ? finding : stops('FORWARDING_DISABLED', finding, [message('health.fix_forwarding')])
}

async function shadow({ db }: StoreContext, { route_rule_id }: RouteRecord): Promise<Finding> {
  const shadows = (await findShadows(db, [route_rule_id])).get(route_rule_id) ?? []
  if (shadows.length === 0) return passes('order', message('health.not_shadowed'))
  const rules = shadows.map(ruleNamed)
  const finding = passes('order', message('health.never_matches', { rules }), {
    route_rule_ids: shadows.map((one) => one.route_rule_id),
  })
  return stops('RULE_SHADOWED', finding, [message('health.fix_order', { rules, count: rules.length })])
}

const marks = async (context: StoreContext, record: RouteRecord, inTheWay: InTheWay): Promise<Finding[]> => [
  await marked(context, record, inTheWay),
  ...fastPath(record),
]

/** Findings about the fast path: a filter that is added later stops none of its established connections. */
function fastPath(record: RouteRecord): Finding[] {
  if (record.fast_path_state === 'off') return []
  const { is_active, reason_message } = fastPathView(record)
  return [passes('fast_path', message('health.sentence', { text: reason_message }), { is_active })]
}

function tunnel(record: RouteRecord, { tunnel: over }: RouteHealthView, { tunnelsOf, nameOf }: Paths): Finding {
  const deleted = tunnelsOf(record).find((id) => nameOf(id) === undefined)
  if (deleted === undefined && !over) return passes('tunnel', message('health.no_tunnel'))
  if (deleted === undefined && over) {
    const finding = passes(
      'tunnel',
      message('health.tunnel_state', { tunnel: tunnelNamed(over), state: over.is_up ? 'up' : 'down' }),
      { ...over },
    )
    return over.is_up
      ? finding
      : stops('TUNNEL_DOWN', finding, [message('health.fix_tunnel_up', { tunnel: tunnelNamed(over) })])
  }
  return stops('TUNNEL_DOWN', passes('tunnel', message('health.tunnel_no_more', { tunnel_id: String(deleted) })), [
    message('health.fix_other_tunnel'),
  ])
}

async function destinations({ now }: StoreContext, record: RouteRecord): Promise<Finding> {
  const results = await probeDestinations(record, {}, now)
  const away = results.filter(({ reachable }) => reachable === false)
  const data = { results }
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
function room(traffic: Traffic, record: RouteRecord): Finding {
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

async function inbound(traffic: Traffic, record: RouteRecord, { takers, writers }: InTheWay): Promise<Finding> {
  await traffic.read()
  const view = await trafficView(traffic, record)
  const data = {
    tx_packets_since_boot: view.tx_packets_since_boot,
    tx_packets_since_creation: view.tx_packets_since_creation,
    rx_packets_since_creation: view.rx_packets_since_creation,
    read: traffic.available.is_readable,
  }
  if (view.tx_packets_since_creation > 0)
    return passes(
      'traffic',
      message('health.has_relayed', { there: view.tx_packets_since_creation, back: view.rx_packets_since_creation }),
      data,
    )
  const isInDoubt = takers.length > 0 || writers.some(({ is_after }) => is_after)
  const fix = [
    message('health.fix_try'),
    message('health.fix_inbound', {
      what: record.route_protocol_id === ROUTE_PROTOCOLS.UDP ? 'datagrams' : 'connections',
      port: record.bind_port,
    }),
  ]
  return stops(
    'NO_INBOUND_TRAFFIC',
    passes('traffic', message('health.nothing_came'), data),
    fix,
    traffic.available.is_readable && !isInDoubt,
  )
}

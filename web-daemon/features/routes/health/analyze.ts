// Why a rule does or does not relay: checks every step of a packet's path; the first that stops it is the verdict
// (decisions.md, F24).
import type { Evidence, RouteAnalysis, RouteVerdict } from '@panel/shared/api/analysis.ts'
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import type { CommandContext } from '../../../platform/context.ts'
import { foreignRules, remediesOf, toldOf } from '../../forwarding/foreign.ts'
import { ok, type Answer, type Incoming } from '../../../platform/http/endpoint.ts'
import { observe } from '../../tunnels/view.ts'
import { readHealth } from './health.ts'
import { targetOf } from '../get.ts'
import { readPaths, type Paths } from '../path.ts'
import { blocksOfRoute } from './path-check.ts'
import { probeDestinations } from './reachability.ts'
import { isAsStored, readKernelRules, type KernelRules } from '../kernel-rules.ts'
import { familyOf, type RouteRecord } from '../record.ts'
import { findShadows } from './shadows.ts'
import { roomFor, sourcePortWarnings } from '../connections/source-ports.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { trafficView } from '../traffic/view.ts'
import { findEgress } from './egress.ts'

/** One step of the path; `verdict` null: it does not stop packets. */
interface Finding {
  readonly evidence: Evidence
  readonly verdict: RouteVerdict | null
  readonly fix: readonly string[]
  readonly isCertain: boolean
}

export function analyzeRoute(traffic: Traffic) {
  return async (context: CommandContext, { params }: Incoming): Promise<Answer<RouteAnalysis>> => {
    const record = await targetOf(context, params)
    const held = await readKernelRules(context.request, [record.route_rule_id])
    const paths = await readPaths(context)
    const [health] = await readHealth(context, [record], { rules: held, paths })
    if (!health) throw new Error(`Rule ${record.route_rule_id} has no health`)
    const findings = [
      inForce(record),
      inKernel(record, held, health),
      await forwarding(context, record),
      await shadow(context, record),
      await foreign(context, record, paths),
      tunnel(record, health, paths),
      await destinations(context, record),
      await mtu(context, record, health),
      room(traffic, record),
      await inbound(traffic, record),
    ]
    const stop = findings.find(({ verdict }) => verdict !== null)
    const answer: RouteAnalysis = {
      route_rule_id: record.route_rule_id,
      verdict: stop?.verdict ?? 'HEALTHY',
      summary: stop
        ? stop.evidence.detail
        : 'Nothing on the way stops what the rule relays, and it has relayed something.',
      evidence: findings.map(({ evidence }) => evidence),
      suggested_fix: findings.filter(({ verdict }) => verdict !== null).flatMap(({ fix }) => [...fix]),
      confidence: (stop ?? { isCertain: true }).isCertain ? 'high' : 'low',
      checked_at: context.now().toISOString(),
    }
    return ok(answer)
  }
}

const passes = (name: string, detail: string, data: Record<string, unknown> = {}): Finding => ({
  evidence: { name, detail, data },
  verdict: null,
  fix: [],
  isCertain: true,
})
const stops = (verdict: RouteVerdict, { evidence }: Finding, fix: readonly string[], isCertain = true): Finding => ({
  evidence,
  verdict,
  fix,
  isCertain,
})

function inForce({ is_enabled }: RouteRecord): Finding {
  if (is_enabled) return passes('rule', 'The rule is enabled.')
  return stops('RULE_DISABLED', passes('rule', 'The rule is disabled: it is stored and not in force.'), [
    'Enable the rule.',
  ])
}

/** What the kernel holds counts: a last change that failed and was put back leaves the rule in force. */
function inKernel(record: RouteRecord, held: KernelRules, { detail, installed }: RouteHealthView): Finding {
  const finding = passes('ruleset', `${detail}.`, { installed })
  if (!held.is_readable || !isAsStored(record, held))
    return stops('RULE_MISSING', finding, ['Reapply the rule.'], installed !== null)
  // What somebody has put into the panel's table is not read, so whether it drops packets is not certain.
  return record.is_enabled && held.unmanaged.length > 0
    ? stops('FORWARD_BLOCKED', finding, ['Reapply the rule, which takes it out.'], false)
    : finding
}

async function forwarding({ request }: CommandContext, record: RouteRecord): Promise<Finding> {
  const { live } = (await request('forwarding.probe', {})).state
  const isOn = familyOf(record) === 6 ? live.ipv6 : live.ipv4
  const finding = passes('forwarding', `IPv${familyOf(record)} forwarding is ${isOn ? 'on' : 'off'}.`, {
    ipv4: live.ipv4,
    ipv6: live.ipv6,
  })
  return isOn
    ? finding
    : stops('FORWARDING_DISABLED', finding, ['Turn IP forwarding on: POST /system/forwarding/enable.'])
}

async function shadow({ db }: CommandContext, { route_rule_id }: RouteRecord): Promise<Finding> {
  const shadows = (await findShadows(db, [route_rule_id])).get(route_rule_id) ?? []
  if (shadows.length === 0) return passes('order', 'No rule that stands earlier takes all that this one listens for.')
  const names = shadows.map(({ route_rule_title }) => route_rule_title)
  const finding = passes(
    'order',
    `The rule can never match: ${names.join(', ')} stands earlier and takes all that it listens for.`,
    { route_rule_ids: shadows.map((one) => one.route_rule_id) },
  )
  return stops('RULE_SHADOWED', finding, [
    `Move the rule before ${names.join(', ')}, or disable ${names.length === 1 ? 'that one' : 'those'}.`,
  ])
}

/** What cannot be read for certain is evidence, not a verdict. */
async function foreign(context: CommandContext, record: RouteRecord, paths: Paths): Promise<Finding> {
  const found = await foreignRules(context.request)
  const { is_readable: readable, managers, total, detail } = found
  const blocks = await blocksOfRoute(context.request, record, { foreign: found, paths })
  const [block = null] = blocks
  const data = { readable, managers, total, block }
  if (!readable)
    return passes('foreign_rules', `${detail}, so a firewall that drops relayed packets would not be seen here.`, data)
  if (!block)
    return passes(
      'foreign_rules',
      `${total} rules of other software bear on relayed packets, and none of them is seen to drop what the rule relays.`,
      data,
    )
  if (!block.is_certain)
    return passes('foreign_rules', `${toldOf(block)} That cannot be read surely. ${remediesOf(blocks)}`, data)
  return stops(
    'FORWARD_BLOCKED',
    passes('foreign_rules', toldOf(block), data),
    blocks.map(({ remedy }) => remedy),
  )
}

function tunnel(record: RouteRecord, { tunnel: over }: RouteHealthView, { tunnelsOf, nameOf }: Paths): Finding {
  const deleted = tunnelsOf(record).find((id) => nameOf(id) === undefined)
  if (deleted === undefined && !over) return passes('tunnel', 'No tunnel leads to its destinations.')
  if (deleted === undefined && over) {
    const finding = passes(
      'tunnel',
      `The tunnel ${over.interface_name} that the rule relays over is ${over.is_up ? 'up' : 'down'}.`,
      { ...over },
    )
    return over.is_up ? finding : stops('TUNNEL_DOWN', finding, [`Bring ${over.interface_name} up.`])
  }
  return stops('TUNNEL_DOWN', passes('tunnel', `The tunnel ${deleted} that the rule relays over is no more.`), [
    'Name another tunnel, or none: PATCH tunnel_id.',
  ])
}

async function destinations({ now }: CommandContext, record: RouteRecord): Promise<Finding> {
  const results = await probeDestinations(record, {}, now)
  const away = results.filter(({ reachable }) => reachable === false)
  const data = { results }
  if (away.length === 0)
    return passes(
      'destinations',
      `${results.length === 1 ? 'The destination answers, or says nothing that speaks against it' : 'No destination says anything that speaks against it'}: ${results.map(describeResult).join('; ')}.`,
      data,
    )
  const finding = passes(
    'destinations',
    `${away.length} of ${results.length} looks at the destinations failed: ${away.map(describeResult).join('; ')}.`,
    data,
  )
  const fix = away.map(
    (one) =>
      `See that ${one.protocol.toUpperCase()} port ${one.port} of ${one.address} can be reached from this server.`,
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
}): string =>
  `${protocol.toUpperCase()} ${address} port ${port} ${reachable === null ? 'stays silent' : reachable ? 'answers' : 'cannot be reached'}`

/** The MTU of a client's network, if not known (RFC 894). */
const ETHERNET_MTU = 1500

/** If the egress has a smaller MTU than the ingress, large transfers hang unless TCP's MSS is clamped (RFC 4459). */
async function mtu(
  { request }: CommandContext,
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
  if (link === null || link >= (egress.mtu_in ?? ETHERNET_MTU))
    return passes('mtu', 'Nothing is known on the way that takes smaller packets than the network before it.', data)
  const narrow = `${name ?? ''} takes packets of ${link} bytes, which is less than what comes in`
  if (is_clamp_mss_to_pmtu || route_protocol_id === ROUTE_PROTOCOLS.UDP)
    return passes('mtu', `${narrow}, and TCP connections are told so.`, data)
  return stops(
    'MTU_PROBLEM',
    passes('mtu', `${narrow}, and TCP connections are not told: large transfers may hang.`, data),
    ['Set is_clamp_mss_to_pmtu.'],
    false,
  )
}

/** Never a verdict: existing connections go on. */
function room(traffic: Traffic, record: RouteRecord): Finding {
  const [connections, most] = [traffic.connections(record.route_rule_id), roomFor(record)]
  const data = { connections, room: most }
  if (connections === null)
    return passes(
      'connections',
      'It is not known how many connections the rule relays: connection tracking has not been read yet, or cannot be.',
      data,
    )
  if (most === null) return passes('connections', `The rule relays ${connections} connections.`, data)
  const [warning] = sourcePortWarnings(record, connections)
  return passes(
    'connections',
    warning?.message ??
      `The rule relays ${connections} connections of the at most ${most} that this server's address has ports for.`,
    data,
  )
}

async function inbound(traffic: Traffic, record: RouteRecord): Promise<Finding> {
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
      `The rule has relayed ${view.tx_packets_since_creation} packets towards its destination and ${view.rx_packets_since_creation} back.`,
      data,
    )
  const fix = [
    'Try it from outside.',
    `See that the clients go to the bind address, and that nothing before this server drops ${record.route_protocol_id === ROUTE_PROTOCOLS.UDP ? 'datagrams' : 'connections'} to port ${record.bind_port}.`,
  ]
  return stops(
    'NO_INBOUND_TRAFFIC',
    passes('traffic', 'Nothing that the rule would relay has come yet.', data),
    fix,
    traffic.available.is_readable,
  )
}

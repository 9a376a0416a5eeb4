// The path of a rule's packets, hop by hop, from what is known of each: clients, port, this server, tunnel, far end,
// destination.
import type { RouteVerdict } from '@panel/shared/api/analysis.ts'
import type { MonitorSnapshot } from '@panel/shared/api/monitor.ts'
import type { NetworkPathView } from '@panel/shared/api/networks/answers.ts'
import type { RouteHealthView, RouteView, TunnelOnPath } from '@panel/shared/api/routes/answers.ts'
import type { Hop as CauseHop } from '@panel/shared/api/routes/cause-codes.ts'
import type { Cause } from '@panel/shared/api/routes/causes.ts'
import type { Hop, Leg, Path } from '../../components/path/path-layout.ts'
import { stateOfPath, worse, type StateLabel } from '../../components/state.ts'
import { display } from '../../core/display.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { monitorLabel } from '../tunnels/labels.ts'
import { describeCarriedOut, isSnat } from './carried-out.ts'
import { formatBind, formatEndpoint, protocolName } from './formats.ts'
import { effectLabel, isProven } from './effects.ts'

/** The stages of a path. */
export const [CLIENTS, PORT, SERVER, TUNNEL, FAR_END, DESTINATION] = [0, 1, 2, 3, 4, 5] as const

/** The hop of what only an analysis finds out; everything else is among the causes. */
const STOPS_AT: Readonly<Partial<Record<RouteVerdict, number>>> = {
  MTU_PROBLEM: FAR_END,
  DESTINATION_UNREACHABLE: DESTINATION,
  NO_INBOUND_TRAFFIC: CLIENTS,
}

interface Traffic {
  readonly tx_bytes_per_second: number | null
  readonly rx_bytes_per_second: number | null
  readonly active_connections: number | null
}

export interface RuleOnPath extends Traffic {
  readonly route: RouteView
  readonly health: RouteHealthView
}

/** What an analysis came to, and what it is called. */
export interface Verdict {
  readonly name: RouteVerdict
  readonly label: string
}

export interface Observed {
  /** The tunnels by id. */
  readonly tunnels: ReadonlyMap<number, MonitorSnapshot> | null
  readonly verdict?: Verdict | undefined
  /** No other rule is in the picture, whose packets might have another source on the same line. */
  readonly isAlone: boolean
}

/** One path a destination in use, and one for each other path of the network that it lies in. */
export function rulePaths(rule: RuleOnPath, observed: Observed): Path[] {
  const { route, health } = rule
  const common = [clients(rule), port(rule), server(health)]
  const inUse = route.destinations.filter(({ is_enabled }) => is_enabled)
  return inUse.flatMap(({ route_destination_id, address, hostname, is_backup, port: first, port_range_end }, at) => {
    const known = health.destinations[at]
    const tunnel = known?.tunnel ?? null
    const snapshot = tunnel ? observed.tunnels?.get(tunnel.tunnel_id) : undefined
    const label = formatEndpoint(hostname ?? address, first, port_range_end)
    const destination: Hop = {
      key: `destination ${route_destination_id}`,
      stage: DESTINATION,
      label,
      detail: known && !known.takes_connections ? idleReason(known.state, is_backup) : '',
      condition: destinationCondition(known, is_backup, health),
    }
    const source = translation(known?.carried_out_as ?? null, observed.isAlone)
    const [next, ...others] = [...(tunnel ? overTunnel(tunnel, snapshot, link(tunnel)) : []), destination]
    const beyond = [{ ...next, ...(source.label !== '' && { hasFigures: true }) }, ...others]
    const hops = stopped(withCauses([...common, ...beyond], health), observed.verdict)
    const path = { title: `${route.route_rule_title} → ${label}`, hops, legs: legsOf(hops, rule, snapshot, source) }
    return [path, ...besides(path, known, observed.tunnels)]
  })
}

/** The other paths of the network: they part from the one that packets take where it leaves this server. */
function besides({ title, hops, legs }: Path, known: Known | undefined, tunnels: Observed['tunnels']): Path[] {
  const destination = hops.at(-1)
  if (!known?.tunnel || !known.network || !destination) return []
  const { tunnel_id } = known.tunnel
  const near = hops.filter(({ stage }) => stage <= SERVER)
  const others = known.network.paths.filter((path) => path.tunnel_id !== tunnel_id)
  return others.map((path) => {
    const condition = pathCondition(path)
    const beyond = [...overTunnel(path, tunnels?.get(path.tunnel_id), condition), destination]
    return {
      title: `${title} · ${path.display_name || path.interface_name}`,
      hops: [...near, ...beyond],
      legs: [...legs.slice(0, near.length - 1), ...beyond.map(() => ({ state: condition.state, ...SILENT }))],
    }
  })
}

const pathCondition = (path: NetworkPathView): StateLabel => {
  const state = stateOfPath(path)
  if (state === 'down') return { state, label: t('core.state.down') }
  return {
    state,
    label: t(path.state === 'carries' ? 'path.carries' : path.state === 'out' ? 'path.out' : 'path.standby'),
  }
}

type Known = RouteHealthView['destinations'][number]

/** What flows is all that is known of one that is not checked. */
function destinationCondition(known: Known | undefined, isBackup: boolean, { proof }: RouteHealthView): StateLabel {
  if (known?.state === 'up')
    return known.takes_connections
      ? { state: 'up', label: t('path.takes') }
      : { state: 'disabled', label: idle(isBackup) }
  if (known?.state === 'down') return { state: 'down', label: t('path.destination_down') }
  if (known?.state === 'drained') return { state: 'disabled', label: t('path.drained') }
  return known?.takes_connections === true && isProven(proof) ? fine() : notChecked()
}

/** Why it gets no new connections, where its condition does not say so. */
function idleReason(state: Known['state'], isBackup: boolean): string {
  if (state === 'drained' || state === 'up') return ''
  return state === 'down' ? t('path.fails_checks') : idle(isBackup)
}

const idle = (isBackup: boolean): string => t(isBackup ? 'path.standby' : 'path.out')

const notChecked = (): StateLabel => ({ state: 'unknown', label: t('path.not_checked') })
const fine = (): StateLabel => ({ state: 'up', label: t('path.fine') })

const clients = ({ route: { route_rule_id, allowed_sources } }: RuleOnPath): Hop => ({
  key: `clients ${allowed_sources.length === 0 ? 'any' : route_rule_id}`,
  stage: CLIENTS,
  label: t('path.stage.0'),
  detail: allowed_sources.length === 0 ? t('path.anybody') : t('path.networks', { count: allowed_sources.length }),
  condition: notChecked(),
})

const port = ({ route, health }: RuleOnPath): Hop => ({
  key: `rule ${route.route_rule_id}`,
  stage: PORT,
  label: formatBind(route),
  detail: `${protocolName(route)} · ${route.route_rule_title}`,
  condition: portCondition(health),
  hasFigures: true,
  to: `/routes/${route.route_rule_id}`,
})

function portCondition(health: RouteHealthView): StateLabel {
  if (health.state === 'disabled') return { state: 'disabled', label: t('path.health.disabled') }
  return health.installed === null ? notChecked() : { state: 'up', label: t('path.health.ok') }
}

const server = ({ installed }: RouteHealthView): Hop => ({
  key: 'server',
  stage: SERVER,
  label: t('path.stage.2'),
  detail: t('path.forwards'),
  condition: installed === null ? notChecked() : fine(),
  hasFigures: true,
})

const STAGES: Readonly<Record<CauseHop, number>> = {
  clients: CLIENTS,
  listener: PORT,
  server: SERVER,
  tunnel: TUNNEL,
  far_end: FAR_END,
  destination: DESTINATION,
}

/**
 * Each certain cause stands at its hop, or at the next one of those that the path has. The destinations that are down
 * show it themselves, for each is another.
 */
function withCauses(hops: readonly Hop[], { causes }: RouteHealthView): Hop[] {
  const lies = ({ hop }: Cause): number => hops.findIndex(({ stage }) => stage >= STAGES[hop])
  return hops.map((hop, at) => {
    const here = causes.filter((one) => one.code !== 'DESTINATIONS_DOWN' && lies(one) === at)
    const worst = here.find(({ effect }) => effect === 'stops') ?? here.find(({ effect }) => effect === 'degrades')
    const label = worst && effectLabel(worst)
    return label && label.state !== hop.condition.state ? { ...hop, condition: label } : hop
  })
}

function link({ is_known, is_up }: TunnelOnPath): StateLabel {
  if (!is_known) return notChecked()
  return is_up ? { state: 'up', label: t('path.tunnel_up') } : { state: 'down', label: t('path.tunnel_down') }
}

function overTunnel(
  tunnel: Pick<TunnelOnPath, 'tunnel_id' | 'interface_name' | 'display_name'>,
  snapshot: MonitorSnapshot | undefined,
  condition: StateLabel,
): Hop[] {
  const { tunnel_id, interface_name, display_name } = tunnel
  const to = `/tunnels/${tunnel_id}`
  return [
    {
      key: `tunnel ${tunnel_id}`,
      stage: TUNNEL,
      label: display_name || interface_name,
      ...(display_name === ''
        ? { detail: t('path.stage.3') }
        : { detail: interface_name, isDetailCode: true as const }),
      condition,
      to,
    },
    {
      key: `far end ${tunnel_id}`,
      stage: FAR_END,
      label: snapshot?.target || t('path.stage.4'),
      detail: snapshot?.target ? t('path.stage.4') : '',
      condition: snapshot ? monitorLabel(snapshot.state, snapshot.tunnel_enabled) : notChecked(),
      hasFigures: true,
      to,
    },
  ]
}

function stopped(hops: readonly Hop[], verdict: Verdict | undefined): Hop[] {
  const stage = verdict && STOPS_AT[verdict.name]
  if (verdict === undefined || stage === undefined) return [...hops]
  const state = verdict.name === 'NO_INBOUND_TRAFFIC' || verdict.name === 'MTU_PROBLEM' ? 'degraded' : 'down'
  return hops.map((hop) => (hop.stage === stage ? { ...hop, condition: { state, label: verdict.label } } : hop))
}

type LegText = Omit<Leg, 'state'>

/**
 * Behind the first hop that is down nothing flows, and whether packets arrive at one that nothing has checked is not
 * known. The source is translated on the line that leaves this server.
 */
function legsOf(hops: readonly Hop[], rule: Traffic, tunnel: MonitorSnapshot | undefined, source: LegText): Leg[] {
  const broken = hops.findIndex(({ condition }) => condition.state === 'down' || condition.state === 'disabled')
  return hops.slice(1).map((to, at) => {
    if (broken >= 0 && at >= broken) return { state: 'unknown', ...SILENT }
    const from = hops[at] ?? to
    const [before, there] = [from.condition.state, to.condition.state]
    const beside = from.stage === SERVER ? source : measured(to.stage, rule, tunnel)
    return { state: there === 'unknown' ? there : worse(before, there), ...beside }
  })
}

const SILENT = { label: '', text: '' }

const translation = (as: string | null, isAlone: boolean): LegText => ({
  label: isAlone && isSnat(as) ? 'SNAT' : '',
  text: describeCarriedOut(as),
})

function measured(stage: number, rule: Traffic, tunnel: MonitorSnapshot | undefined): LegText {
  const { format } = display
  const { tx_bytes_per_second: tx, rx_bytes_per_second: rx, active_connections: open } = rule
  const rtt = tunnel?.stats.rtt_avg_ms
  if (stage === PORT && open !== null)
    return { label: `⇄ ${format.number(open)}`, text: t('path.open', { count: open }) }
  if (stage === SERVER && tx !== null && rx !== null) return both(format.rate(tx + rx))
  return stage === FAR_END && rtt != null ? both(format.milliseconds(rtt)) : SILENT
}

const both = (label: string): LegText => ({ label, text: label })

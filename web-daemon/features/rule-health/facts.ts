// What the causes of a rule's health are found from, read once for all the rules that are looked at.
import type { TunnelOnPath } from '@panel/shared/api/routes/answers.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import type { ForwardingFound } from '@panel/shared/forwarding/model.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { addressOwners } from '@panel/shared/tunnel/owners.ts'
import type { HostInterface, RouteKind } from '@panel/shared/tunnel/observed.ts'
import type { ReadContext } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import type { NameStatus } from '../../platform/network/followed-names.ts'
import type { Hostnames } from '../failover/hostnames.ts'
import { reasonsOfDown } from '../failover/store.ts'
import type { WatchedTunnels } from '../monitor/watched-tunnels.ts'
import { networksBehind, type NetworkBehind } from '../networks/behind.ts'
import { foreignRules, inTheWayOf, NOTHING_IN_THE_WAY, type InTheWay } from '../forwarding/foreign.ts'
import { readKernelRules, type KernelRules } from '../routes/kernel-rules.ts'
import { lookUpRoutes, readPaths, type OutDevice, type Paths } from '../routes/path/path.ts'
import { familyOf, ruleOf, type RouteRecord } from '../routes/record.ts'
import type { TrafficEvidence, Unanswered } from '../traffic/evidence.ts'
import { observe } from '../tunnels/view.ts'
import { findShadows } from './shadows.ts'
import { readWaysBack, type WayBack } from './ways-back.ts'

/** What bears on one rule; what is null could not be read. */
export interface RuleFacts {
  readonly held: KernelRules | null
  readonly forwarding: ForwardingFound | null
  readonly interfaces: ReadonlyMap<string, HostInterface> | null
  /** The interface with the address that the rule listens on; null if it has none. */
  readonly owner: HostInterface | null
  /** The one by which its packets come in, as far as that is known. */
  readonly near: HostInterface | null
  /** The interfaces that lead back to its clients; looked up only where `near` drops packets with another way back. */
  readonly waysBack: readonly WayBack[]
  /** What the kernel does with packets to that address; null if an interface has it, or nobody could look. */
  readonly listener: RouteKind | null
  readonly foreign: Foreign | null
  readonly paths: Paths
  /** The network behind tunnels that an address lies in, of those that are enabled. */
  readonly networkOf: (address: string) => NetworkBehind | null
  /** The tunnels on the path. */
  readonly tunnels: readonly TunnelOnPath[]
  /** Whether the far end of the tunnel answers what the monitor sends. */
  readonly answersProbes: (tunnel_id: number) => boolean
  readonly shadows: readonly RouteRecord[]
  /** Why a destination is down. */
  readonly reasonOf: (route_destination_id: number) => Message | null
  /** How a name among the destinations resolves; null if it is not followed. */
  readonly nameOf: (hostname: string) => NameStatus | null
  /** What went to the destinations and was not answered yet. */
  readonly unanswered: Unanswered
  /** Clients that do not complete their connections, and by which interface packets to each leave. */
  readonly stuck: readonly OutDevice[]
}

/** What rules of other software do to a rule. */
export interface Foreign extends InTheWay {
  /** Why they could not all be read; "" if they could. */
  readonly unread: string
}

export interface AlreadyRead {
  readonly rules?: KernelRules
  readonly paths?: Paths
  readonly foreign?: ForeignFound
  readonly shadows?: ReadonlyMap<number, readonly RouteRecord[]>
}

/** What the background has noticed. */
interface Noticed {
  readonly evidence: Pick<TrafficEvidence, 'isStuck' | 'unanswered'>
  readonly names: Pick<Hostnames, 'of'>
  readonly monitored: Pick<WatchedTunnels, 'stateOf'>
}

export type FactsOf = (record: RouteRecord) => RuleFacts

export async function readFacts(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  { evidence, names, monitored }: Noticed,
  records: readonly RouteRecord[],
  read: AlreadyRead,
): Promise<FactsOf> {
  const paths = read.paths ?? (await readPaths({ db, request }, records, { withDevices: true }))
  const interfaces = (await nullIfHelperAway(request('host.probe', { parts: ['interfaces'] })))?.interfaces ?? null
  const namesOf = (record: RouteRecord): string[] => paths.tunnelsOf(record).flatMap((id) => paths.nameOf(id) ?? [])
  const ids = records.map(({ route_rule_id }) => route_rule_id)
  const [held, forwarding, foreignOf, networkOf, observed, shadows, reasons, listeners, stuck] = await Promise.all([
    read.rules ?? nullIfHelperAway(readKernelRules(request, ids)),
    nullIfHelperAway(request('forwarding.probe', {})),
    readForeign(request, paths, interfaces, read.foreign),
    networksBehind(db),
    observe(request, [...new Set(records.flatMap(namesOf))]),
    read.shadows ?? findShadows(db, ids),
    reasonsOfDown(db, ids),
    readListeners(request, interfaces, records),
    readStuck(
      request,
      ids.filter((id) => evidence.isStuck(id)),
    ),
  ])
  return (record) => ({
    held,
    forwarding,
    ...listeners(record),
    foreign: foreignOf(record),
    paths,
    networkOf,
    tunnels: tunnelsOn(record, paths, observed),
    answersProbes: (tunnel_id) => ['Up', 'Degraded'].includes(monitored.stateOf(tunnel_id)),
    shadows: shadows.get(record.route_rule_id) ?? [],
    reasonOf: (id) => reasons.get(id) ?? null,
    nameOf: (hostname) => names.of(hostname, familyOf(record)),
    unanswered: evidence.unanswered(record.route_rule_id),
    stuck: stuck.get(record.route_rule_id) ?? [],
  })
}

/** Those that are still there. */
const tunnelsOn = (
  record: RouteRecord,
  { tunnelsOf, nameOf, displayNameOf }: Paths,
  observed: Awaited<ReturnType<typeof observe>>,
): TunnelOnPath[] =>
  tunnelsOf(record).flatMap((tunnel_id) => {
    const interface_name = nameOf(tunnel_id)
    if (interface_name === undefined) return []
    const { is_up, oper_state, is_known } = observed(interface_name)
    return [{ tunnel_id, interface_name, display_name: displayNameOf(tunnel_id), is_up, oper_state, is_known }]
  })

type Listener = Pick<RuleFacts, 'interfaces' | 'owner' | 'near' | 'listener' | 'waysBack'>

/** An address that no interface has may still be the host's own, by a route of the kind "local". */
async function readListeners(
  request: Reader,
  all: readonly HostInterface[] | null,
  records: readonly RouteRecord[],
): Promise<(record: RouteRecord) => Listener> {
  const owners = addressOwners(all ?? [])
  const unowned = records.filter((one) => !isWildcard(one.bind_address) && !owners.has(one.bind_address))
  const routes = await lookUpRoutes(request, all ? [...new Set(unowned.map(({ bind_address }) => bind_address))] : [])
  const interfaces = all && new Map(all.map((one) => [one.name, one]))
  const ownerOf = ({ bind_address }: RouteRecord): HostInterface | null => owners.get(bind_address) ?? null
  const nearOf = (record: RouteRecord): HostInterface | null =>
    record.bind_interface === null ? ownerOf(record) : (interfaces?.get(record.bind_interface) ?? null)
  const waysBack = await readWaysBack(request, records, nearOf)
  return (record) => ({
    interfaces,
    owner: ownerOf(record),
    near: nearOf(record),
    listener: routes.get(record.bind_address)?.kind ?? null,
    waysBack: waysBack(record),
  })
}

/** So many connections are looked at of all rules that have such clients. */
const STUCK_MAX = 200

async function readStuck(request: Reader, route_rule_ids: number[]): Promise<Map<number, OutDevice[]>> {
  if (route_rule_ids.length === 0) return new Map()
  const found = await nullIfHelperAway(request('ruleset.connections', { route_rule_ids, limit: STUCK_MAX }))
  const clients = (found?.connections ?? []).filter(({ state }) => state === 'SYN_RECV')
  const routes = await lookUpRoutes(request, [...new Set(clients.map(({ source_address }) => source_address))])
  const stuck = new Map<number, OutDevice[]>()
  for (const { route_rule_id, source_address: address } of clients) {
    const one = { address, device: routes.get(address)?.route?.device ?? null }
    stuck.set(route_rule_id, [...(stuck.get(route_rule_id) ?? []), one])
  }
  return stuck
}

async function readForeign(
  request: Reader,
  paths: Paths,
  interfaces: readonly HostInterface[] | null,
  read?: ForeignFound,
): Promise<(record: RouteRecord) => Foreign | null> {
  const foreign = read ?? (await nullIfHelperAway(foreignRules(request)))
  if (!foreign || !interfaces) return () => null
  const unread = foreign.is_readable ? '' : foreign.detail
  const found = inTheWayOf(foreign, interfaces)
  return (record) => {
    const rule = ruleOf(record)
    return { unread, ...(rule ? found(rule, paths.outDevice(record)) : NOTHING_IN_THE_WAY) }
  }
}

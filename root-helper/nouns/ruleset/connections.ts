// Connections as the answers to "ruleset.connections", "ruleset.flows" and "connections.through".
import { parseCidr } from '@panel/shared/address/ip.ts'
import { message } from '@panel/shared/messages/message.ts'
import type {
  ConnectionsFound,
  FlowsFound,
  RelayConnection,
  ThroughFound,
  ArrivedFound,
  UnmarkedFound,
} from '@panel/shared/ruleset/connection.ts'
import { CONNECTIONS_MAX, MARKS_MAX, THROUGH_FLOWS_MAX } from '@panel/shared/ruleset/connection.ts'
import type { Params } from '@panel/shared/rpc/methods.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import type { Connections } from '../../kernel/relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { RefusedError } from '../../refused.ts'

/** An unreadable table is reported as unreadable, which is different from an empty one. */
export async function findConnections(
  connections: Connections,
  { route_rule_ids, limit }: Params<'ruleset.connections'>,
): Promise<ConnectionsFound> {
  try {
    const all = await connections.list(route_rule_ids)
    return {
      is_readable: true,
      detail: '',
      totals: counted(all, ({ route_rule_id }) => route_rule_id)
        .map(([route_rule_id, many]) => ({ route_rule_id, connections: many }))
        .sort((a, b) => a.route_rule_id - b.route_rule_id),
      sources:
        limit === 0
          ? []
          : counted(all, ({ source_address }) => source_address)
              .slice(0, CONNECTIONS_MAX)
              .map(([source_address, many]) => ({ source_address, connections: many })),
      destinations: limit === 0 ? [] : countDestinations(all),
      connections: all.slice(0, limit).map(formatConnection),
    }
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    return {
      is_readable: false,
      detail: error.message.slice(0, 300),
      totals: [],
      sources: [],
      destinations: [],
      connections: [],
    }
  }
}

const countDestinations = (all: readonly RelayConnection[]): ConnectionsFound['destinations'] =>
  counted(all, ({ destination_address, destination_port }) => `${destination_address} ${destination_port}`)
    .slice(0, CONNECTIONS_MAX)
    .map(([end, connections]) => {
      const [destination_address = '', port = ''] = end.split(' ')
      return { destination_address, destination_port: Number(port), connections }
    })

/** Counts connections. On a host with too many flows root does not look at them, and the answer states that. */
export async function countThrough(
  { connections, forwarding }: Pick<Kernel, 'connections' | 'forwarding'>,
  { networks }: Params<'connections.through'>,
): Promise<ThroughFound> {
  const wanted = networks.map(parseCidr)
  if (wanted.includes(null)) throw new RefusedError('malformed', 'Not every network is one')
  try {
    await refuseTooMany(forwarding)
    const count = await connections.through(wanted.filter((one) => one !== null))
    return { is_readable: true, detail: '', connections: count }
  } catch (error) {
    return { is_readable: false, detail: whyUnread(error), connections: 0 }
  }
}

export async function countArrived(
  { rulesets }: Pick<Kernel, 'rulesets'>,
  { route_rule_id }: Params<'ruleset.arrived'>,
): Promise<ArrivedFound> {
  try {
    return { is_readable: true, detail: '', connections: await rulesets.arrived(route_rule_id) }
  } catch (error) {
    return { is_readable: false, detail: whyUnread(error), connections: 0 }
  }
}

/** Finds flows without a mark; none for a rule that the kernel does not hold. */
export async function findUnmarked(
  { connections, rulesets, forwarding }: Pick<Kernel, 'connections' | 'rulesets' | 'forwarding'>,
  { route_rule_id }: Params<'ruleset.unmarked'>,
): Promise<UnmarkedFound> {
  try {
    await refuseTooMany(forwarding)
    const rule = (await rulesets.read()).rules.find((one) => one.route_rule_id === route_rule_id)
    const marks = rule ? await connections.unmarked(rule) : []
    return {
      is_readable: true,
      detail: '',
      connections: marks.length,
      marks: counted(marks, (mark) => mark)
        .slice(0, MARKS_MAX)
        .map(([mark]) => mark),
    }
  } catch (error) {
    return { is_readable: false, detail: whyUnread(error), connections: 0, marks: [] }
  }
}

async function refuseTooMany(forwarding: Kernel['forwarding']): Promise<void> {
  const tracked = (await forwarding.facts()).conntrack?.count ?? 0
  if (tracked > THROUGH_FLOWS_MAX)
    throw new KernelError('E2BIG', message('root.too_many_flows', { tracked, most: THROUGH_FLOWS_MAX }).message)
}

function whyUnread(error: unknown): string {
  if (!(error instanceof KernelError)) throw error
  const detail = error.code === 'ETIMEDOUT' ? message('root.flows_slow').message : error.message
  return detail.slice(0, 300)
}

export async function countFlows(connections: Connections): Promise<FlowsFound> {
  try {
    return { is_readable: true, detail: '', ...(await connections.count()) }
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    return { is_readable: false, detail: error.message.slice(0, 300), epoch: '', flows: [] }
  }
}

/** The most frequent first. */
function counted<T, K>(all: readonly T[], keyOf: (one: T) => K): [K, number][] {
  const found = new Map<K, number>()
  for (const one of all) found.set(keyOf(one), (found.get(keyOf(one)) ?? 0) + 1)
  return [...found].sort(([, a], [, b]) => b - a)
}

/** Fields that only serve to find the entry again are left out. */
const formatConnection = ({
  route_rule_id,
  protocol,
  source_address,
  source_port,
  bind_address,
  bind_port,
  destination_address,
  destination_port,
  state,
  age_seconds,
  timeout_seconds,
  tx_bytes,
  tx_packets,
  rx_bytes,
  rx_packets,
  mark,
}: RelayConnection): RelayConnection => ({
  route_rule_id,
  protocol,
  source_address,
  source_port,
  bind_address,
  bind_port,
  destination_address,
  destination_port,
  state,
  age_seconds,
  timeout_seconds,
  tx_bytes,
  tx_packets,
  rx_bytes,
  rx_packets,
  mark,
})

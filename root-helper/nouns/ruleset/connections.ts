// Connections of relay rules as the answers to "ruleset.connections" and "ruleset.flows".
import type { ConnectionsFound, FlowsFound, RelayConnection } from '@panel/shared/ruleset/connection.ts'
import { CONNECTIONS_MAX } from '@panel/shared/ruleset/connection.ts'
import type { Params } from '@panel/shared/rpc/methods.ts'
import type { Connections } from '../../kernel/facilities.ts'
import { KernelError } from '../../kernel-error.ts'

/** A table that cannot be read is said to be so: that is something else than nobody being connected. */
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
      connections: all.slice(0, limit).map(asTold),
    }
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    return { is_readable: false, detail: error.message.slice(0, 300), totals: [], sources: [], connections: [] }
  }
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
function counted<K>(all: readonly RelayConnection[], keyOf: (one: RelayConnection) => K): [K, number][] {
  const found = new Map<K, number>()
  for (const one of all) found.set(keyOf(one), (found.get(keyOf(one)) ?? 0) + 1)
  return [...found].sort(([, a], [, b]) => b - a)
}

/** What the kernel needs to find it again stays here. */
const asTold = ({
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

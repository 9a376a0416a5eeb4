// How many connections a rule has room for: behind one address of this server, each connection to one port of a
// destination needs its own source port.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { NAT_MODES } from '@panel/shared/api/base/lookups.ts'
import { message } from '@panel/shared/messages/message.ts'
import { portsOf } from '../routes/ports.ts'
import { isActive, protocolOf, type NamedRoute } from '../routes/record.ts'

/** The number of ports from 1024 on, where the kernel allocates them (nf_nat_core.c, nf_nat_l4proto_unique_tuple). */
const PORTS_OF_AN_ADDRESS = 64_512
const WARN_SHARE = 0.8

/** Approximate, as other rules to the same destination share the ports; null if the clients' addresses are kept. */
export function roomFor(
  record: Pick<NamedRoute, 'nat_mode_id' | 'route_protocol_id' | 'destinations' | 'bind_port' | 'bind_port_range_end'>,
): number | null {
  if (record.nat_mode_id === NAT_MODES.None) return null
  const { first, last } = portsOf(record.bind_port, record.bind_port_range_end)
  const protocols = protocolOf(record.route_protocol_id) === 'both' ? 2 : 1
  return PORTS_OF_AN_ADDRESS * record.destinations.filter(isActive).length * (last - first + 1) * protocols
}

export function sourcePortWarnings(record: Parameters<typeof roomFor>[0], connections: number | null): Warning[] {
  const room = roomFor(record)
  if (room === null || connections === null || connections < room * WARN_SHARE) return []
  const sentence = message('route.source_ports', { connections, room })
  return [{ code: 'SOURCE_PORTS_NEARLY_USED', ...sentence, field: 'nat_mode_id' }]
}

// How the parts of a relay rule are written, in every language alike.
import type { RouteView } from '@panel/shared/api/routes/answers.ts'

const PROTOCOLS: Readonly<Record<number, string>> = { 10: 'TCP', 20: 'UDP', 30: 'TCP+UDP' }
export const protocolName = ({ route_protocol_id }: Pick<RouteView, 'route_protocol_id'>): string =>
  PROTOCOLS[route_protocol_id] ?? `${route_protocol_id}`
/** Search values; a rule for both protocols matches either. */
export const protocolTerms = ({ route_protocol_id }: Pick<RouteView, 'route_protocol_id'>): string[] =>
  route_protocol_id === 30 ? ['tcp', 'udp', 'both'] : [route_protocol_id === 20 ? 'udp' : 'tcp']

export const formatEndpoint = (address: string, first: number, last: number | null): string =>
  `${address.includes(':') ? `[${address}]` : address}:${first}${last === null ? '' : `-${last}`}`
export const formatBind = ({
  bind_address,
  bind_port,
  bind_port_range_end,
}: Pick<RouteView, 'bind_address' | 'bind_port' | 'bind_port_range_end'>): string =>
  formatEndpoint(bind_address, bind_port, bind_port_range_end)
/** Ports alone, if the rule listens on every IPv4 address of this server. */
export const formatListen = (route: Parameters<typeof formatBind>[0]): string =>
  formatBind(route).replace(/^0\.0\.0\.0:/, '')
export const formatDestinations = ({ destinations }: Pick<RouteView, 'destinations'>): string[] =>
  destinations.map(({ address, port, port_range_end }) => formatEndpoint(address, port, port_range_end))

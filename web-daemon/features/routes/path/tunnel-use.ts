// What the rules tell the tunnels: which of them relay over one (decisions.md, R29).
import type { DependentRoute } from '@panel/shared/api/tunnels/dependent-routes.ts'
import type { DependentRoutes } from '../../tunnels/dependants.ts'
import { portsOf, spelledEnd } from '../ports.ts'
import { protocolOf, type RouteRecord } from '../record.ts'
import { routesOverTunnel } from './path.ts'

export const dependentRoutes: DependentRoutes = async (context, tunnel_id) =>
  (await routesOverTunnel(context, tunnel_id)).map(dependentRoute)

const dependentRoute = ({
  route_rule_id,
  route_rule_title: title,
  route_protocol_id,
  bind_address,
  bind_port,
  bind_port_range_end,
  destinations,
  is_enabled,
}: RouteRecord): DependentRoute => ({
  route_rule_id,
  title,
  protocol: protocolOf(route_protocol_id),
  bind: spelledEnd(bind_address, portsOf(bind_port, bind_port_range_end)),
  destination: destinations
    .map(({ address, port, port_range_end }) => spelledEnd(address, portsOf(port, port_range_end)))
    .join(', '),
  is_enabled,
})

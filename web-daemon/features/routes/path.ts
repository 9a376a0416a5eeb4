// Over which tunnel the packets of a rule go. Where a tunnel's subnet holds a destination that is so, whatever the rule
// names; for what is further away the rule's own word counts, since only the routes of the far end know.
import type { ReadDb } from '../../platform/context.ts'
import { existingTunnels } from '../tunnels/store.ts'
import { tunnelBySubnet } from '../tunnels/subnets.ts'
import { routeEnds, routesOf, type RouteEnds } from './store.ts'
import type { RouteRecord } from './record.ts'

export interface Paths {
  /** The tunnel_id of a rule's path; null where it goes over none that is known. */
  readonly tunnelOf: (rule: RouteEnds) => number | null
  /** Undefined of a tunnel that was deleted. */
  readonly nameOf: (tunnel_id: number) => string | undefined
}

export async function readPaths(db: ReadDb): Promise<Paths> {
  const tunnels = await existingTunnels(db)
  const names = new Map(tunnels.map(({ tunnel_id, interface_name }) => [tunnel_id, interface_name]))
  const ownerOf = tunnelBySubnet(tunnels)
  return {
    tunnelOf: ({ tunnel_id, destinations }) => {
      for (const { address, is_enabled } of destinations) {
        const owner = is_enabled ? ownerOf(address) : null
        if (owner !== null) return owner
      }
      return tunnel_id
    },
    nameOf: (tunnel_id) => names.get(tunnel_id),
  }
}

/** The living rules whose path is a tunnel, with it. */
async function rulesOverTunnels(db: ReadDb): Promise<{ route_rule_id: number; tunnel_id: number }[]> {
  const [rules, { tunnelOf }] = await Promise.all([routeEnds(db), readPaths(db)])
  return rules.flatMap((rule) => {
    const tunnel_id = tunnelOf(rule)
    return tunnel_id === null ? [] : [{ route_rule_id: rule.route_rule_id, tunnel_id }]
  })
}

export async function idsOverTunnels(db: ReadDb): Promise<number[]> {
  return (await rulesOverTunnels(db)).map(({ route_rule_id }) => route_rule_id)
}

/** Living rules whose packets go over the tunnel, in their order. */
export async function routesOverTunnel(db: ReadDb, tunnel_id: number): Promise<RouteRecord[]> {
  const over = (await rulesOverTunnels(db)).filter((rule) => rule.tunnel_id === tunnel_id)
  return routesOf(
    db,
    over.map(({ route_rule_id }) => route_rule_id),
  )
}

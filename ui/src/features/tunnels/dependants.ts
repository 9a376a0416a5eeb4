// What depends on a tunnel, for confirmations: relay rules, and networks that it is a path of.
import { call } from '../../core/api.ts'
import { isolate } from '@panel/shared/messages/format.ts'

/** A range of ports stays on one line. */
const unbroken = (endpoints: string): string => endpoints.replaceAll(/-(?=\d)/g, '-\u2060')

/** Left to right in every language, as the arrow points. */
export const dependentRules = async (tunnel_id: number): Promise<string[]> => {
  const { routes } = await call('GET /tunnels/{id}/routes', { id: tunnel_id })
  return routes.map(({ title, bind, destination }) => `${title} (${isolate(unbroken(`${bind} → ${destination}`))})`)
}

/** Each with its destination, of which a title may say nothing. */
export const dependentNetworks = async (tunnel_id: number): Promise<string[]> => {
  const { networks } = await call('GET /networks', { query: { tunnel_id, limit: 1000 } })
  return networks.map(({ network_title, destination }) =>
    network_title === destination ? isolate(destination) : `${network_title} (${isolate(destination)})`,
  )
}

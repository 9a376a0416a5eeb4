// Relay rules that depend on a tunnel, for confirmations.
import { call } from '../../core/api.ts'
import { isolate } from '@panel/shared/messages/format.ts'

/** Left to right in every language, as the arrow points. */
export const dependentRules = async (tunnel_id: number): Promise<string[]> => {
  const { routes } = await call('GET /tunnels/{id}/routes', { id: tunnel_id })
  return routes.map(({ title, bind, destination }) => `${title} (${isolate(`${bind} → ${destination}`)})`)
}

// The relay rules that lose their path with a tunnel, for the questions that name them.
import { call } from '../../core/api.ts'
import { isolate } from '../../core/messages.ts'

/** Each way is written from left to right in every language, as its arrow is. */
export const dependentRules = async (tunnel_id: number): Promise<string[]> => {
  const { routes } = await call('GET /tunnels/{id}/routes', { id: tunnel_id })
  return routes.map(({ title, bind, destination }) => `${title} (${isolate(`${bind} → ${destination}`)})`)
}

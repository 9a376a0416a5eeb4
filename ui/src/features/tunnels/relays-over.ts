// The relay rules that lose their path with a tunnel, for the questions that name them.
import type { TunnelRoutesAnswer } from '@panel/shared/api/tunnels/dependent-routes.ts'
import { get } from '../../core/api.ts'
import { isolate } from '../../core/messages.ts'

/** Each way is written from left to right in every language, as its arrow is. */
export const relaysOver = async (tunnel_id: number): Promise<string[]> => {
  const { routes } = await get<TunnelRoutesAnswer>(`/tunnels/${tunnel_id}/routes`)
  return routes.map(({ title, bind, destination }) => `${title} (${isolate(`${bind} → ${destination}`)})`)
}

// What depends on a tunnel, for confirmations: relay rules, and networks that it is a path of.
import { call } from '../../core/api.ts'
import { messages, t } from '../../core/i18n.svelte.ts'
import { loaded } from '../../core/loaded.ts'
import { isolate } from '@panel/shared/messages/format.ts'

/** A range of ports stays on one line. */
const unbroken = (endpoints: string): string => endpoints.replaceAll(/-(?=\d)/g, '-\u2060')

/** Left to right in every language, as the arrow points. */
export const dependentRules = async (tunnel_id: number): Promise<string[]> => {
  const { routes } = await call('GET /tunnels/{id}/routes', { id: tunnel_id })
  return routes.map(({ title, bind, destination }) => `${title} (${isolate(unbroken(`${bind} → ${destination}`))})`)
}

/**
 * What a deletion says of the networks that the tunnel is a path of, each with its destination, of which a title may say
 * nothing; and its request, which the API refuses for one that has no other path.
 */
export const leavingNetworks = async (tunnel_id: number): Promise<{ text: string; body: { force?: true } }> => {
  const [{ networks }] = await Promise.all([
    call('GET /networks', { query: { tunnel_id, limit: 1000 } }),
    loaded(() => messages.load(['tunnel'])),
  ])
  if (networks.length === 0) return { text: '', body: {} }
  const names = networks
    .filter(({ paths }) => paths.length > 1)
    .map(({ network_title, destination }) =>
      network_title === destination ? isolate(destination) : `${network_title} (${isolate(destination)})`,
    )
  const text = names.length === 0 ? '' : t('tunnel.ask.delete_path', { networks: names.join(t('core.comma')) })
  return { text, body: { force: true } }
}

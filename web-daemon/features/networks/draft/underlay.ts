// Whether several paths of a network leave this server by one interface, so that they are lost together.
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { ROUTE_LOOKUPS_MAX } from '@panel/shared/rpc/methods.ts'
import { warn, type DraftContext } from './context.ts'

/** Warns of paths that are new together (decisions.md, T37). */
export async function warnOfUnderlay(draft: DraftContext): Promise<void> {
  const { body, stored, tunnels, context } = draft
  const ids = new Set((body.paths ?? []).map(({ tunnel_id }) => tunnel_id))
  const had = stored?.paths ?? []
  if (ids.size < 2 || (ids.size === had.length && had.every(({ tunnel_id }) => ids.has(tunnel_id)))) return
  const over = tunnels.filter(({ tunnel_id }) => ids.has(tunnel_id)).slice(0, ROUTE_LOOKUPS_MAX)
  const addresses = over.map(({ remote_endpoint }) => remote_endpoint)
  const { routes } = await context.request('route.lookup', { addresses })
  const devices = new Set(routes.map((route) => (route?.has_several_hops ? '' : (route?.device ?? ''))))
  const [device = ''] = devices
  if (devices.size === 1 && device !== '')
    warn(
      draft,
      'PATHS_SHARE_UNDERLAY',
      'paths',
      message('network.share_underlay', { device, tunnels: over.map(tunnelNamed) }),
    )
}

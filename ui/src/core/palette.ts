// Results of the command palette: pages, and tunnels by name.
import { call } from './api.ts'
import { t } from './i18n.svelte.ts'
import { ROUTES } from './routes.ts'

export interface Place {
  readonly to: string
  readonly title: string
  readonly note: string
}

export const pages = (): Place[] =>
  ROUTES.filter(({ path }) => !path.includes(':')).map(({ path, title }) => ({ to: path, title: t(title), note: '' }))

/** Tunnels whose name or endpoint matches; at most eight. */
export const searchTunnels = async (text: string): Promise<Place[]> => {
  const { tunnels } = await call('GET /tunnels', { query: { limit: 8, search: text } })
  return tunnels.map(({ tunnel_id, interface_name, display_name, remote_endpoint }) => ({
    to: `/tunnels/${tunnel_id}`,
    title: interface_name,
    note: display_name || remote_endpoint,
  }))
}

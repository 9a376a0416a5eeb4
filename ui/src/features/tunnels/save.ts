// Tunnels as a table.
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { saveCsv, together, type Fields } from '../../core/save-csv.ts'
import { formatAddresses, typeName } from './labels.ts'

interface Watched {
  readonly tunnel: TunnelView
  /** What the monitoring last came to; null before the first answer. */
  readonly state: string | null
}

const TUNNEL: Fields<Watched> = {
  tunnel_id: ({ tunnel }) => tunnel.tunnel_id,
  interface_name: ({ tunnel }) => tunnel.interface_name,
  display_name: ({ tunnel }) => tunnel.display_name,
  tags: ({ tunnel }) => together(tunnel.tags),
  is_enabled: ({ tunnel }) => tunnel.is_enabled,
  state: ({ state }) => state,
  oper_state: ({ tunnel }) => tunnel.observed.oper_state,
  type: ({ tunnel }) => typeName(tunnel),
  local_endpoint: ({ tunnel }) => tunnel.local_endpoint,
  remote_endpoint: ({ tunnel }) => tunnel.remote_endpoint,
  remote_hostname: ({ tunnel }) => tunnel.remote_hostname,
  addresses: ({ tunnel }) => together(formatAddresses(tunnel)),
  mtu: ({ tunnel }) => tunnel.mtu,
}

export const saveTunnels = (tunnels: readonly Watched[]): void => saveCsv('tunnels', tunnels, TUNNEL)

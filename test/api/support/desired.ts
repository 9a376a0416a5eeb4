// Requests about files that say what the panel is to do.
import type { DesiredAnswer, DesiredExport, ListDesiredAnswer } from '@panel/shared/api/desired.ts'
import type { Client, Reply } from './client.ts'

/** A tunnel and a rule over it, as a file names them. */
export const TUNNEL = {
  interface_name: 'gre-fra-1',
  local_endpoint: '192.0.2.1',
  remote_endpoint: '198.51.100.9',
  addresses: [{ address: '172.17.1.1', prefix_length: 30 }],
  ikey: 4711,
  okey: 4711,
}
export const GAME = {
  route_rule_title: 'game',
  protocol: 'both',
  bind_address: '192.0.2.1',
  bind_port: 25_565,
  destinations: [{ address: '172.17.1.2', port: 25_565 }],
  tunnel: 'gre-fra-1',
}

export const apply = (client: Client, document: object, more: object = {}): Promise<Reply<DesiredAnswer>> =>
  client.post('/desired', { document: { version: 1, ...document }, ...more })

export const listFiles = (client: Client, query: Record<string, string> = {}): Promise<Reply<ListDesiredAnswer>> =>
  client.get(`/desired?${new URLSearchParams(query).toString()}`)

export const lock = (client: Client, name: string, is_locked: boolean): Promise<Reply<ListDesiredAnswer>> =>
  client.post('/desired/lock', { name, is_locked })

export const exportFile = async (client: Client): Promise<DesiredExport & { document: object }> =>
  (await client.get<DesiredExport & { document: object }>('/desired/export')).body

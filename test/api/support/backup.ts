// Words for tests that speak of backups.
import assert from 'node:assert/strict'
import type { BackupDocument, ImportAction, ImportBackupAnswer } from '@panel/shared/api/backup.ts'
import type { Client, Reply } from './client.ts'
import { OPERATOR } from './panel.ts'
import { madeRoute } from './routes.ts'
import { createTunnel } from './tunnels.ts'

export const exportOf = async (client: Client, query = ''): Promise<BackupDocument> => {
  const { status, text, body } = await client.get<BackupDocument>(`/backup/export${query}`)
  if (status !== 200) throw new Error(`GET /backup/export answered ${status}: ${text}`)
  return body
}

export const importInto = (client: Client, backup: unknown, more: object = {}): Promise<Reply<ImportBackupAnswer>> =>
  client.post('/backup/import', { backup, current_password: OPERATOR.password, ...more })

/** What became of the items of a kind, by target; without those that were as they are already. */
export const became = ({ body }: Reply<ImportBackupAnswer>, kind: ImportAction['kind']): Record<string, string> =>
  Object.fromEntries(
    body.actions
      .filter((one) => one.kind === kind && one.action !== 'skip')
      .map(({ target, action }) => [target, action]),
  )

/**
 * A backup without what each export has of its own: when and where it was made, and ids, in the place of which stand
 * the things themselves.
 */
export function withoutIds({
  exported_at: _when,
  panel: _where,
  settings,
  pools,
  tunnels,
  networks = [],
  routes = [],
  ...rest
}: BackupDocument): object {
  const poolOf = new Map(pools.map((pool) => [pool.address_pool_id, pool.cidr]))
  const tunnelOf = new Map(tunnels.map((tunnel) => [tunnel.tunnel_id, tunnel.interface_name]))
  const named = (value: unknown, names: ReadonlyMap<number | undefined, unknown>) =>
    typeof value === 'number' ? (names.get(value) ?? 'nothing') : value
  return {
    ...rest,
    settings: settings.map(({ key, value }) => ({
      key,
      value: key === 'addressing.default_pool_id' ? named(value, poolOf) : value,
    })),
    pools: pools.map(({ address_pool_id: _id, ...pool }) => pool).sort((a, b) => (a.cidr < b.cidr ? -1 : 1)),
    tunnels: tunnels.map(({ tunnel_id: _id, ...tunnel }) => ({
      ...tunnel,
      address_pool_id: named(tunnel.address_pool_id, poolOf),
    })),
    networks: networks.map((network) => ({
      ...network,
      paths: network.paths.map((path) => ({ ...path, tunnel_id: named(path.tunnel_id, tunnelOf) })),
    })),
    routes: routes.map((route) => ({ ...route, tunnel_id: named(route.tunnel_id, tunnelOf) })),
  }
}

/** A backup that an operator could write by hand. */
export const backupOf = (more: Partial<Record<keyof BackupDocument, unknown>>): object => ({
  version: 1,
  settings: [],
  pools: [],
  tunnels: [],
  ...more,
})

/** Tunnels of all kinds, pools, settings and two rules. */
export async function furnish(client: Client): Promise<void> {
  await client.put('/settings', {
    'display.theme': 'dark',
    'tunnel.naming_template': 'tun-{side}-{number}',
    'monitor.down_loss_pct': 90,
    'security.allowed_origins': ['https://a.example'],
  })
  const { body: pool } = await client.post<{ address_pool_id: number }>('/pools', {
    address_pool_title: 'Mine',
    cidr: '10.77.0.0/16',
    prefix_length: 31,
    description: 'of my own',
  })
  await client.put('/pools/20', {
    address_pool_title: 'Private 10.10',
    cidr: '10.10.0.0/16',
    prefix_length: 30,
    is_enabled: false,
  })
  await client.put('/settings', { 'addressing.default_pool_id': pool.address_pool_id })
  for (const body of [
    { display_name: 'first', note: 'two\nlines', tags: ['a', 'b'], monitor_interval_seconds: 2, is_multicast: true },
    {
      tunnel_type_id: 20,
      ikey: null,
      okey: 5,
      is_enabled: false,
      tunnel_side_id: 20,
      keepalive_interval_seconds: 3,
      is_ignore_df: true,
    },
    {
      tunnel_type_id: 30,
      local_endpoint: '2001:db8::1',
      remote_endpoint: '2001:db8::2',
      hop_limit: 3,
      traffic_class: '0x20',
      encap_limit: 4,
      flow_label: 5,
      addresses: [
        { address: 'fd00::1', prefix_length: 64 },
        { address: '10.9.9.1', peer_address: '10.9.9.2', prefix_length: 30, is_primary: true },
      ],
    },
    {
      interface_name: 'by-hand',
      persistence_type_id: 30,
      ikey: 77,
      okey: 77,
      tos: '0x10',
      is_monitor_enabled: false,
      mtu: 1400,
    },
  ])
    assert.equal((await createTunnel(client, body)).status, 201)
  await madeRoute(client, {
    route_rule_title: 'web',
    tunnel_id: 2,
    tags: ['x'],
    allowed_sources: [{ cidr: '203.0.113.0/24', description: 'office' }],
    max_connections_per_source: 9,
  })
  await madeRoute(client, {
    route_rule_title: 'spread',
    bind_port: 5000,
    bind_port_range_end: 5009,
    route_protocol_id: 20,
    is_enabled: false,
    destination_address: undefined,
    destination_port: undefined,
    destinations: [
      { address: '10.9.0.2', port: 6000 },
      { address: '10.9.0.3', port: 7000, weight: 3 },
    ],
    load_balance_mode_id: 40,
    nat_mode_id: 30,
  })
}

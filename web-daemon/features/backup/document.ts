// Renders the store as a backup document: each item as the request that would create it. Pure.
import {
  BACKUP_VERSION,
  type BackupDocument,
  type BackupPool,
  type BackupRoute,
  type BackupSetting,
  type BackupTunnel,
} from '@panel/shared/api/backup.ts'
import type { NewPool, PoolRecord } from '../pools/store.ts'
import { asCreateBody as requestedRoute } from '../routes/draft/update.ts'
import type { NamedRoute } from '../routes/record.ts'
import { asBody as requestedNetwork } from '../networks/draft/context.ts'
import type { NetworkRecord } from '../networks/record.ts'
import { SETTING_KEYS } from '../settings/definitions.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { asCreateBody as requestedTunnel } from '../tunnels/draft/update.ts'
import { message, sentences } from '@panel/shared/messages/message.ts'
import type { NewTunnel, TunnelRecord } from '../tunnels/record.ts'

export interface StoredConfiguration {
  readonly settings: SettingsReader
  readonly pools: readonly PoolRecord[]
  readonly tunnels: readonly TunnelRecord[]
  readonly networks: readonly NetworkRecord[]
  /** Null if the export leaves them out. */
  readonly routes: readonly NamedRoute[] | null
}

export function renderDocument(
  { settings, pools, tunnels, networks, routes }: StoredConfiguration,
  about: Pick<BackupDocument, 'exported_at' | 'panel'>,
): BackupDocument {
  return {
    version: BACKUP_VERSION,
    ...about,
    note: sentences(message('backup.holds'), routes ? null : message('backup.rules_left_out')).message,
    settings: backupSettings(settings),
    pools: pools.map(({ address_pool_id, ...pool }) => ({ address_pool_id, ...poolItem(pool) })),
    tunnels: tunnels.map((record) => ({ tunnel_id: record.tunnel_id, ...tunnelItem(record) })),
    networks: networks.map(networkItem),
    ...(routes ? { routes: routes.map(routeItem) } : {}),
  }
}

/** All settings, so that the other host behaves the same whatever its own defaults are. */
const backupSettings = (settings: SettingsReader): BackupSetting[] =>
  SETTING_KEYS.map((key) => ({ key, value: settings.get(key) }))

/** Each object as the request that would create it, without the id that it has here. */
export const poolItem = ({
  address_pool_title,
  description,
  cidr,
  prefix_length,
  is_enabled,
}: NewPool): BackupPool => ({
  address_pool_title,
  description,
  cidr,
  prefix_length,
  is_enabled,
})

export const tunnelItem = (record: NewTunnel): BackupTunnel => requestedTunnel(record) as BackupTunnel

/** A path that was taken out by hand is so on this host. */
export const networkItem = requestedNetwork

/** In a rule null means the same as a missing field, and there may be ten thousand rules. */
export function routeItem(record: NamedRoute): BackupRoute {
  const { destinations = [], ...body } = requestedRoute(record)
  return { ...withoutNulls(body), destinations: destinations.map(withoutNulls) } as BackupRoute
}

const withoutNulls = <T extends object>(body: T): Partial<T> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as Partial<T>

// A backup document: its items, each as the request that would create it, and its heading.
import { hostname } from 'node:os'
import {
  BACKUP_VERSION,
  type BackupDocument,
  type BackupPool,
  type BackupRoute,
  type BackupTunnel,
} from '@panel/shared/api/backup.ts'
import { message, sentences } from '@panel/shared/messages/message.ts'
import { VERSION } from '../../platform/version.ts'
import { asBody as requestedNetwork } from '../networks/draft/context.ts'
import type { NewPool } from '../pools/store.ts'
import { asCreateBody as requestedRoute } from '../routes/draft/update.ts'
import type { NamedRoute } from '../routes/record.ts'
import { asCreateBody as requestedTunnel } from '../tunnels/draft/update.ts'
import type { NewTunnel } from '../tunnels/record.ts'

export type DocumentItems = Omit<BackupDocument, 'version' | 'exported_at' | 'panel' | 'note'>

export const makeDocument = (items: DocumentItems, exported_at: string): BackupDocument => ({
  version: BACKUP_VERSION,
  exported_at,
  panel: { version: VERSION, hostname: hostname() },
  note: sentences(message('backup.holds'), items.routes ? null : message('backup.rules_left_out')).message,
  ...items,
  ...(items.routes && { routes: items.routes.map(routed) }),
})

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

/** Says outright that there is no tunnel: a creation that names none takes the one that leads there. */
export const routed = <T extends object>(item: T): T & { readonly tunnel_id?: number | null } => ({
  tunnel_id: null,
  ...item,
})

const withoutNulls = <T extends object>(body: T): Partial<T> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as Partial<T>

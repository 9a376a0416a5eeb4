// GET /backup/export: the whole configuration as one document (reference.md, GET /backup/export; decisions.md, B2,
// T21).
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { flagIn } from '../../platform/http/query.ts'
import { allNetworks } from '../networks/store.ts'
import { allPools } from '../pools/store.ts'
import { allRoutes } from '../routes/store.ts'
import { SETTING_KEYS } from '../settings/definitions.ts'
import { everyTunnel } from '../tunnels/store.ts'
import { makeDocument, networkItem, poolItem, routeItem, tunnelItem } from './document.ts'

export async function exportBackup(context: ReadContext, { query }: Incoming): Promise<Answer<BackupDocument>> {
  return ok(await readDocument(context, flagIn(query['include_routes']) !== false))
}

export async function readDocument(
  { db, now, settings }: Pick<ReadContext, 'db' | 'now' | 'settings'>,
  isWithRoutes = true,
): Promise<BackupDocument> {
  // Read in this order, so that nothing refers to an item that was created in between and is missing.
  const routes = isWithRoutes ? { routes: (await allRoutes(db)).map(routeItem) } : {}
  const networks = (await allNetworks(db)).map(networkItem)
  const tunnels = (await everyTunnel(db)).map((one) => ({ tunnel_id: one.tunnel_id, ...tunnelItem(one) }))
  const pools = (await allPools(db)).map((one) => ({ address_pool_id: one.address_pool_id, ...poolItem(one) }))
  // All of them, so that the other host behaves the same whatever its own defaults are.
  const values = SETTING_KEYS.map((key) => ({ key, value: settings.get(key) }))
  return makeDocument({ settings: values, pools, tunnels, networks, ...routes }, now().toISOString())
}

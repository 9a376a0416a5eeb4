// GET /backup/export: the whole configuration as one document (reference.md, GET /backup/export; decisions.md, B2,
// T21).
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import { hostname } from 'node:os'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { flagIn } from '../../platform/http/query.ts'
import { allNetworks } from '../networks/store.ts'
import { allPools } from '../pools/store.ts'
import { allRoutes } from '../routes/store.ts'
import { everyTunnel } from '../tunnels/store.ts'
import { VERSION } from '../../platform/version.ts'
import { renderDocument } from './document.ts'

export async function exportBackup(context: ReadContext, { query }: Incoming): Promise<Answer<BackupDocument>> {
  return ok(await readDocument(context, flagIn(query['include_routes']) !== false))
}

export async function readDocument(
  { db, now, settings }: Pick<ReadContext, 'db' | 'now' | 'settings'>,
  isWithRoutes = true,
): Promise<BackupDocument> {
  // Read in this order, so that nothing refers to an item that was created in between and is missing.
  const routes = isWithRoutes ? await allRoutes(db) : null
  const networks = await allNetworks(db)
  const tunnels = await everyTunnel(db)
  const pools = await allPools(db)
  return renderDocument(
    { settings, pools, tunnels, networks, routes },
    { exported_at: now().toISOString(), panel: { version: VERSION, hostname: hostname() } },
  )
}

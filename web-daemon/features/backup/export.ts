// GET /backup/export: the whole configuration as one document (interface.md, GET /backup/export; decisions.md, B2,
// T21).
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import { hostname } from 'node:os'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { allPools } from '../pools/store.ts'
import { allRoutes } from '../routes/store.ts'
import { everyTunnel } from '../tunnels/store.ts'
import { VERSION } from '../../platform/version.ts'
import { documentOf } from './document.ts'

export async function exportBackup(
  { db, now, settings }: ReadContext,
  { query }: Incoming,
): Promise<Answer<BackupDocument>> {
  const isWithRoutes = !['false', '0'].includes(query['include_routes'] ?? '')
  // Read in this order, so that nothing refers to an item that was created in between and is missing.
  const routes = isWithRoutes ? await allRoutes(db) : null
  const tunnels = await everyTunnel(db)
  const pools = await allPools(db)
  return ok(
    documentOf(
      { settings, pools, tunnels, routes },
      { exported_at: now().toISOString(), panel: { version: VERSION, hostname: hostname() } },
    ),
  )
}

// GET /revisions/{id}/backup: everything as it was at a revision, in the form of a backup.
import { hostname } from 'node:os'
import { BACKUP_VERSION, type BackupDocument } from '@panel/shared/api/backup.ts'
import type { RevisionKind } from '@panel/shared/api/revisions.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { VERSION } from '../../platform/version.ts'
import { inTheirOrder } from './difference.ts'
import { requireRevision } from './list.ts'
import type { RevisionObject } from './items.ts'
import { stateAt } from './store.ts'

export async function backupOfRevision(context: ReadContext, { params }: Incoming): Promise<Answer<BackupDocument>> {
  const { revision_id, created_date } = await requireRevision(context, params)
  const objects = (await stateAt(context.db, revision_id)).sort(inTheirOrder)
  const ofKind = (kind: RevisionKind): RevisionObject[] => objects.filter((one) => one.kind === kind)
  const withId = (kind: 'pool' | 'tunnel', name: string) =>
    ofKind(kind).map(({ target_key, item }) => ({ [name]: Number(target_key), ...item }))
  const items = (kind: RevisionKind) => ofKind(kind).map(({ item }) => item)
  return ok({
    version: BACKUP_VERSION,
    exported_at: created_date,
    panel: { version: VERSION, hostname: hostname() },
    note: message('backup.holds').message,
    settings: items('setting') as BackupDocument['settings'],
    pools: withId('pool', 'address_pool_id') as unknown as BackupDocument['pools'],
    tunnels: withId('tunnel', 'tunnel_id') as unknown as BackupDocument['tunnels'],
    networks: items('network') as unknown as BackupDocument['networks'],
    routes: (items('route') as unknown as NonNullable<BackupDocument['routes']>).sort(
      (a, b) => (a.sort_order ?? 0) - (b.sort_order ?? 0),
    ),
  })
}

// GET /revisions/{id}/backup: everything as it was at a revision, in the form of a backup.
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import type { RevisionKind } from '@panel/shared/api/revisions.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { makeDocument, type DocumentItems } from '../backup/document.ts'
import { inTheirOrder } from './difference.ts'
import { requireRevision } from './list.ts'
import type { RevisionObject } from './items.ts'
import type { Item } from './packed.ts'
import { stateAt } from './store.ts'

export async function backupOfRevision(context: ReadContext, { params }: Incoming): Promise<Answer<BackupDocument>> {
  const { revision_id, created_date } = await requireRevision(context, params)
  const objects = (await stateAt(context.db, revision_id)).sort(inTheirOrder)
  const ofKind = (kind: RevisionKind): RevisionObject[] => objects.filter((one) => one.kind === kind)
  const withId = (kind: 'pool' | 'tunnel', name: string) =>
    ofKind(kind).map(({ target_key, item }) => ({ [name]: Number(target_key), ...item }))
  const items = (kind: RevisionKind) => ofKind(kind).map(({ item }) => item)
  const order = ({ sort_order }: Item): number => Number(sort_order ?? 0)
  const document = {
    settings: items('setting'),
    pools: withId('pool', 'address_pool_id'),
    tunnels: withId('tunnel', 'tunnel_id'),
    networks: items('network'),
    routes: items('route').sort((a, b) => order(a) - order(b)),
  }
  return ok(makeDocument(document as unknown as DocumentItems, created_date))
}

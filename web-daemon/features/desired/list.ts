// GET /desired: the files that were applied, and what was changed of their objects since; and everything as a file.
import type { DesiredExport, ListDesiredAnswer } from '@panel/shared/api/desired.ts'
import type { RevisionKind } from '@panel/shared/api/revisions.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { differenceOf, differing, inTheirOrder } from '../revisions/difference.ts'
import { nameOf, readObjects, wishOf } from '../revisions/items.ts'
import { digestNow, stateNow } from '../revisions/store.ts'
import { asDocument } from './document.ts'
import { allFiles, objectsOf } from './store.ts'

export async function listFiles({ db }: ReadContext, { query }: Incoming): Promise<Answer<ListDesiredAnswer>> {
  const { kind, target_key } = query
  const target = kind === undefined || target_key === undefined ? null : { kind: kind as RevisionKind, target_key }
  const now = target ? await readObjects(db, [target]) : await stateNow(db)
  const titles = new Map(now.map((one) => [nameOf(one), one]))
  const files = []
  for (const file of await allFiles(db)) {
    const made = (await objectsOf(db, file.name, target)).map((one) => {
      const present = titles.get(nameOf(one))
      return { ...one, title: present?.title ?? one.target_key }
    })
    const isOfFile = new Set(made.map((one) => nameOf(one)))
    const present = now.filter((one) => isOfFile.has(nameOf(one)))
    const { is_locked, ...rest } = file
    const differs = differing(made, present).map(differenceOf)
    if (made.length > 0 || !target)
      files.push({ ...rest, is_locked: is_locked === 1, object_count: made.length, differs })
  }
  return ok({ digest: await digestNow(db), files })
}

export async function exportFile({ db }: ReadContext): Promise<Answer<DesiredExport>> {
  const objects = (await stateNow(db)).sort(inTheirOrder).map((one) => ({ ...one, item: wishOf(one.kind, one.item) }))
  return ok({ digest: await digestNow(db), document: asDocument(objects) })
}

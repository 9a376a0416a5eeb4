// GET /desired: the files that were applied, and what was changed of their objects since; and everything as a file.
import type { DesiredExport, ListDesiredAnswer } from '@panel/shared/api/desired.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { differenceOf, differing, inTheirOrder } from '../revisions/difference.ts'
import { nameOf, wishOf } from '../revisions/items.ts'
import { stateNow } from '../revisions/store.ts'
import { asDocument } from './document.ts'
import { allFiles, digestNow, objectsOf } from './store.ts'

export async function listFiles({ db }: ReadContext): Promise<Answer<ListDesiredAnswer>> {
  const now = await stateNow(db)
  const titles = new Map(now.map((one) => [nameOf(one), one]))
  const files = []
  for (const file of await allFiles(db)) {
    const made = (await objectsOf(db, file.name)).map((one) => {
      const present = titles.get(nameOf(one))
      return { ...one, title: present?.title ?? one.target_key }
    })
    const isOfFile = new Set(made.map((one) => nameOf(one)))
    const present = now.filter((one) => isOfFile.has(nameOf(one)))
    files.push({ ...file, object_count: made.length, differs: differing(made, present).map(differenceOf) })
  }
  return ok({ digest: await digestNow(db), files })
}

export async function exportFile({ db }: ReadContext): Promise<Answer<DesiredExport>> {
  const objects = (await stateNow(db)).sort(inTheirOrder).map((one) => ({ ...one, item: wishOf(one.kind, one.item) }))
  return ok({ digest: await digestNow(db), document: asDocument(objects) })
}

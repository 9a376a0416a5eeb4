// GET /revisions/{id}/diff: what leads from a revision to another one, to now, or to the host.
import type { ObjectDifference, RevisionDiffAnswer } from '@panel/shared/api/revisions.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { Heals } from '../../change/heal.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { differenceOf, differing } from './difference.ts'
import { hostDifferences } from './host.ts'
import { requireRevision } from './list.ts'
import { stateAt, stateNow } from './store.ts'

export const diffRevision =
  (heals: Heals) =>
  async (context: ReadContext, { params, query }: Incoming): Promise<Answer<RevisionDiffAnswer>> => {
    const { db } = context
    const { revision_id } = await requireRevision(context, params)
    const to = query['to'] ?? 'now'
    const found = await stateTo(context, to)
    const items = differing(await stateAt(db, revision_id), found).map(differenceOf)
    const more = to === 'host' ? await hostDifferences(context, heals) : []
    return ok({ from: revision_id, to, items: [...items, ...more].reduce(joined, []) })
  }

async function stateTo(context: ReadContext, to: string) {
  if (to === 'now' || to === 'host') return stateNow(context.db)
  if (!/^\d{1,15}$/.test(to)) throw new Refusal('INVALID_REQUEST', message('revision.to'), { field: 'to' })
  return stateAt(context.db, (await requireRevision(context, { id: Number(to) })).revision_id)
}

/** An object that the panel would have otherwise than it was, and that the host has otherwise again, is one. */
function joined(all: ObjectDifference[], one: ObjectDifference): ObjectDifference[] {
  const at = all.findIndex(({ kind, target_key }) => kind === one.kind && target_key === one.target_key)
  const found = all[at]
  if (!found) return [...all, one]
  return all.with(at, { ...found, changes: [...found.changes, ...one.changes] })
}

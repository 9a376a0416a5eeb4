// Keeps the revisions: in the transaction that changes what the panel is to do, each object is stored as it was before
// and as it is after it.
import { AUDIT_ACTIONS } from '@panel/shared/api/audit/actions.ts'
import type { WriteDb } from '../../platform/context.ts'
import type { Author } from '../../platform/db/author.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { readValues } from '../settings/settings.ts'
import { foldOldest } from './store-fold.ts'
import { nameOf, readObjects } from './items.ts'
import { DIGEST_OF_NOTHING, digestOf, pack, withDigest } from './packed.ts'
import { openWindow } from './store.ts'
import {
  forgetUnchanged,
  keepItem,
  keepObject,
  knownObjects,
  lastRevision,
  type Known,
  type Left,
} from './store-write.ts'
import { takeTouched, type Touched } from './store-touched.ts'

export interface LogDeps {
  readonly db: Store
  readonly bus: Bus
  readonly now: () => Date
}

/** Keeps them from now on. What has changed since the last time is found first, where the store can be written. */
export async function keepRevisions({ db, bus, now }: LogDeps): Promise<void> {
  db.beforeCommit = (transaction, author) => keep({ db: transaction, now }, author)
  bus.subscribeIn('safe_apply.ended', async (transaction, events) => {
    for (const { window_id, ended_how } of events)
      if (ended_how !== 'confirmed') await markTaken(transaction, window_id)
  })
  if (!db.state.trouble) await db.transaction().execute(async () => undefined)
}

const markTaken = async (db: WriteDb, window_id: string): Promise<void> =>
  void (await db.updateTable('revision').set({ is_taken_back: 1 }).where('window_id', '=', window_id).execute())

interface Keeping {
  readonly db: WriteDb
  readonly now: () => Date
}

async function keep(keeping: Keeping, author: Author | null): Promise<void> {
  const { db } = keeping
  const touched = await takeTouched(db)
  if (touched?.length === 0) return
  const changes = await changesOf(db, touched)
  // Unless this connection has noted from the beginning, nobody knows whose they are.
  const by = touched ? author : null
  const last = await lastRevision(db)
  if (!last) return begin(keeping, changes)
  if (changes.length > 0) await keepChanges(keeping, { changes, by, last })
}

interface ObjectChange extends Touched {
  readonly before: Known | null
  readonly after: Left | null
}

async function changesOf(db: WriteDb, touched: readonly Touched[] | null): Promise<ObjectChange[]> {
  const known = await knownObjects(db, touched)
  const found = new Map((await readObjects(db, touched)).map((one) => [nameOf(one), one]))
  const names = new Map([...known.values(), ...found.values()].map((one) => [nameOf(one), one]))
  return [...names].flatMap(([name, { kind, target_key }]): ObjectChange | [] => {
    const [before, after] = [known.get(name) ?? null, found.get(name) ?? null]
    if (!after) return { kind, target_key, before, after }
    const digest = digestOf(kind, target_key, after.item)
    if (before?.digest === digest) return []
    return { kind, target_key, before, after: { title: after.title, item: pack(after.item), digest } }
  })
}

/** The first revision: what was there when the panel began to keep them. */
async function begin({ db, now }: Keeping, changes: readonly ObjectChange[]): Promise<void> {
  const digest = await keepObjects(db, changes, DIGEST_OF_NOTHING)
  const panel = { ...BY_THE_PANEL, created_date: now().toISOString(), is_shown: 1, digest }
  await db.insertInto('revision').values(panel).execute()
}

const BY_THE_PANEL = {
  user_id: null,
  username: '',
  origin: 'panel',
  audit_action_id: null,
  request_id: '',
  reason: '',
  file_name: '',
} as const

interface Changing {
  readonly changes: readonly ObjectChange[]
  readonly by: Author | null
  readonly last: {
    readonly revision_id: number
    readonly request_id: string
    readonly digest: string
    is_shown: number
  }
}

/** Several transactions of one request are one revision, as long as none of another comes between them. */
async function keepChanges(keeping: Keeping, { changes, by, last }: Changing): Promise<void> {
  const { db, now } = keeping
  const digest = await keepObjects(db, changes, last.digest)
  const isOneMore = by ? last.request_id === by.request_id : last.is_shown === 0
  const created_date = now().toISOString()
  const who = { ...(by ? await authored(db, by) : BY_THE_PANEL), is_shown: by ? 1 : 0 }
  const { revision_id } = isOneMore
    ? last
    : await db
        .insertInto('revision')
        .values({ ...who, created_date, digest })
        .returning('revision_id')
        .executeTakeFirstOrThrow()
  if (isOneMore)
    await db
      .updateTable('revision')
      .set({ ...who, digest })
      .where('revision_id', '=', revision_id)
      .execute()
  for (const { kind, target_key, before, after } of changes)
    await keepItem(db, {
      revision_id,
      kind,
      target_key,
      title: after?.title ?? before?.title ?? '',
      before: before?.item ?? null,
      after: after?.item ?? null,
    })
  // A creation that came to nothing has left nothing.
  if (isOneMore) await forgetUnchanged(db, revision_id, changes)
  if (!isOneMore || changes.some(({ kind }) => kind === 'setting'))
    await foldOldest(db, (await readValues(db))['system.revisions_kept'])
}

async function keepObjects(db: WriteDb, changes: readonly ObjectChange[], digest: string): Promise<string> {
  let all = digest
  for (const { kind, target_key, before, after } of changes) {
    if (before) all = withDigest(all, before.digest)
    if (after) all = withDigest(all, after.digest)
    await keepObject(db, { kind, target_key }, after)
  }
  return all
}

async function authored(db: WriteDb, { user_id, username, token_id, request_id, reason, action, file }: Author) {
  return {
    user_id,
    username,
    origin: token_id === null ? ('operator' as const) : ('token' as const),
    audit_action_id: AUDIT_ACTIONS[action()],
    request_id,
    reason,
    file_name: file(),
    window_id: await openWindow(db),
  }
}

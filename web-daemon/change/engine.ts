// Takes records and the host from one state to another, for every noun: the store says Pending before root is called,
// and afterwards what was read back (decisions.md, S1). Call every function inside `inTurn`.
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { messageFields, verbatim } from '@panel/shared/messages/message.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { AuditNote } from '../platform/audit-note.ts'
import type { WriteDb } from '../platform/context.ts'
import { orRefusal, Refusal } from '../platform/http/refusal.ts'
import type { ApplyMark, Resource } from './resource.ts'
import type { Recorder } from './remediate.ts'
import { announced, inTransaction, run, runPending, write, type Context, type Done } from './work.ts'

export type { Done } from './work.ts'

/** A stored record that shall become another, and the host with it. */
export interface Update<Row, Draft, State> {
  readonly stored: Row
  readonly wanted: Draft
  /** Each begins where the one before it ends. */
  readonly changes: readonly Change<State>[]
}

/** Makes a record, and what it stands for. A creation that came to nothing leaves no record. */
export async function create<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { draft, changes }: { readonly draft: D; readonly changes: readonly Change<S>[] },
): Promise<Done<R>> {
  const row = await insertPending(context, resource.store, draft)
  const outcome = await createAll(context, resource, { rows: [row], changes })
  return announced(context, resource, 'created', { record: await resource.store.read(resource.idOf(row)), outcome })
}

/** Makes what records stand for that are stored as pending. */
const createAll = <R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { rows, changes }: Pick<Convergence<R, S>, 'rows' | 'changes'>,
): Promise<Outcome> =>
  run(context, resource, {
    rows,
    subject: resource.describe(rows),
    changes,
    isCreation: true,
    commit: (db, mark, now) => resource.store.mark(db, rows.map(resource.idOf), mark, now),
    restore: (db, _why, now) => removeEach(db, resource, rows, now),
  })

/**
 * Makes many records, and what they stand for by one change. Each is drafted once those before it are stored, so that
 * it finds them. A draft that is refused has the others go on, unless no other would fare better; if anything else
 * fails, none of the records is left.
 */
export async function createTogether<R extends ApplyMark, D, S>(
  context: Context,
  { store, idOf }: Pick<Resource<R, D, S>, 'store' | 'idOf'>,
  { drafts, plan }: Together<R, D, S>,
): Promise<(R | Refusal)[]> {
  const rows: R[] = []
  const refusals = new Map<number, Refusal>()
  const planned = await (async () => {
    for (const [at, draft] of drafts.entries()) {
      const drafted = await draft().catch(orRefusal)
      if (drafted instanceof Refusal) refusals.set(at, drafted)
      else rows.push(await insertPending(context, store, drafted))
    }
    return rows.length === 0 ? null : plan(rows)
  })().catch(async (failure: unknown) => {
    // What the store cannot forget stays pending, until a look at the host settles it.
    await write(context, (db, now) => removeEach(db, { store, idOf }, rows, now)).catch(() => {
      throw failure
    })
    throw failure
  })
  const made: R[] = []
  if (planned) {
    await createAll(context, planned.resource, { rows, changes: planned.changes })
    for (const row of rows) made.push(await store.read(idOf(row)))
    planned.resource.onStored('created', made)
  }
  return drafts.flatMap((_, at) => refusals.get(at) ?? made.shift() ?? [])
}

export interface Together<Row extends ApplyMark, Draft, State> {
  readonly drafts: readonly (() => Promise<Draft>)[]
  readonly plan: (rows: readonly Row[]) => Promise<{
    readonly resource: Resource<Row, Draft, State>
    readonly changes: readonly Change<State>[]
  }>
}

async function insertPending<R extends ApplyMark, D>(
  context: Context,
  store: Pick<Resource<R, D, never>['store'], 'insert' | 'read'>,
  draft: D,
): Promise<R> {
  const id = await inTransaction(context, (db) => store.insert(db, draft))
  return store.read(id)
}

async function removeEach<R extends ApplyMark, D, S>(
  db: WriteDb,
  { store, idOf }: Pick<Resource<R, D, S>, 'store' | 'idOf'>,
  rows: readonly R[],
  now: string,
): Promise<void> {
  for (const row of rows) await store.remove(db, idOf(row), now)
}

/**
 * Makes a record of what is on the host already. What differs is corrected first, and put back where the record cannot
 * be stored.
 */
export async function adopt<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { draft, changes, alongside }: Adoption<D, S>,
): Promise<Done<R>> {
  let id = 0
  const outcome = await run(context, resource, {
    rows: [],
    subject: resource.describe([draft]),
    changes,
    commit: async (db) => {
      id = await resource.store.insert(db, draft)
      await alongside(db, id)
    },
    restore: async () => undefined,
  })
  return announced(context, resource, 'created', { record: await resource.store.read(id), outcome })
}

export interface Adoption<Draft, State> {
  readonly draft: Draft
  readonly changes: readonly Change<State>[]
  /** Writes what belongs to the record, in the same transaction. */
  readonly alongside: (db: WriteDb, id: number) => Promise<unknown>
}

/** Updates a record. If the change fails, the record keeps what it wanted before, with the reason. */
export async function update<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { stored, wanted, changes }: Update<R, D, S>,
): Promise<Done<R>> {
  const { store, idOf } = resource
  const outcome = await runPending(context, resource, [stored], {
    changes,
    commit: async (db, mark, now) => {
      await store.replace(db, idOf(stored), wanted)
      await store.mark(db, [idOf(stored)], mark, now)
    },
  })
  return announced(context, resource, 'updated', { record: await store.read(idOf(stored)), outcome })
}

/** Takes what the records stand for off the host, and then the records out of the store. */
export async function remove<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { rows, changes }: Pick<Convergence<R, S>, 'rows' | 'changes'>,
): Promise<Outcome> {
  const { store, idOf, onStored } = resource
  const outcome = await runPending(context, resource, rows, {
    changes,
    isRemoval: true,
    commit: async (db, _mark, now) => {
      for (const row of rows) await store.markDeleted(db, idOf(row), now)
    },
  })
  onStored('deleted', rows)
  return outcome
}

/** Takes the host to what many records say. `commit` writes what changes in the store beside their marks. */
export async function converge<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { rows, changes, commit }: Convergence<R, S>,
): Promise<Outcome> {
  const { store, idOf, onStored } = resource
  const outcome = await runPending(context, resource, rows, {
    changes,
    commit: async (db, mark, now) => {
      await commit?.(db)
      await store.mark(db, rows.map(idOf), mark, now)
    },
  })
  onStored('updated', rows)
  return outcome
}

export interface Convergence<Row, State> {
  readonly rows: readonly Row[]
  readonly changes: readonly Change<State>[]
  readonly commit?: (db: WriteDb) => Promise<void>
}

/** Stores what the host has no part in. */
export async function save<R extends ApplyMark, D, S>(
  context: Context,
  { store, onStored }: Pick<Resource<R, D, S>, 'store' | 'onStored'>,
  { id, wanted }: { readonly id: number; readonly wanted: D },
): Promise<R> {
  await inTransaction(context, (db) => store.replace(db, id, wanted))
  const record = await store.read(id)
  onStored('updated', [record])
  return record
}

/**
 * Finds out how changes ended whose end was lost: a pending record that the host holds as stored was applied. One that
 * differs stays pending, since the operator decides whether the stored or the found state holds. Gives back the records
 * as they are then. No audit entry says how such a change ended.
 */
export async function settle<R extends ApplyMark, D, S>(
  context: Pick<Context, 'db' | 'now'> & { readonly record: Recorder },
  { noun, store, idOf, onStored }: Pick<Resource<R, D, S>, 'noun' | 'store' | 'idOf' | 'onStored'>,
  rows: readonly R[],
  isInSync: (row: R) => boolean,
): Promise<R[]> {
  const settled = rows.filter((row) => row.apply_status_id === APPLY_STATUSES.Pending && isInSync(row))
  if (settled.length === 0) return [...rows]
  const now = context.now().toISOString()
  const mark = {
    apply_status_id: APPLY_STATUSES.Applied,
    ...messageFields('last_apply_error', verbatim('')),
    last_applied_date: now,
  }
  const ids = settled.map(idOf)
  await inTransaction(context, async (db) => {
    await store.mark(db, ids, mark, now)
    await context.record({ action: 'ChangeSettle', note: settledNote(noun, ids), refusal: null, duration_ms: 0 }, db)
  })
  const isSettled = new Set(settled)
  const all = rows.map((row) => (isSettled.has(row) ? { ...row, ...mark, updated_date: now } : row))
  onStored('settled', settled)
  return all
}

const NAMED_MAX = 20

function settledNote(noun: string, ids: readonly number[]): AuditNote {
  const note = new AuditNote()
  const [only] = ids
  if (ids.length === 1 && only !== undefined) note.target(noun, only)
  const more = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : ''
  note.operation(
    `Settled by the panel itself: the end of a change was not recorded, and the host holds ${noun} ${ids.slice(0, NAMED_MAX).join(', ')}${more} as stored`,
  )
  return note
}

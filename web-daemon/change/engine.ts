// Takes records and the host from one state to another, for every noun: the store says Pending before root is asked,
// and
// afterwards what was read back (decisions.md, S1). Call every function inside `inTurn`.
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { CommandContext, WriteDb } from '../platform/context.ts'
import { carryOut, undoOf, type Ending } from './carry-out.ts'
import { failureOf, unknownOutcome, type Subject } from './failure.ts'
import type { ApplyMark, Resource, StoredEvent } from './resource.ts'

type Context = Pick<CommandContext, 'db' | 'now' | 'note'>

/** A stored record that shall become another, and the host with it. */
export interface Update<Row, Draft, State> {
  readonly stored: Row
  readonly wanted: Draft
  /** Each begins where the one before it ends. */
  readonly changes: readonly Change<State>[]
}

export interface Done<Row> {
  readonly record: Row
  readonly outcome: Outcome
}

/** Makes a record, and what it stands for. A creation that came to nothing leaves no record. */
export async function create<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { draft, changes }: { readonly draft: D; readonly changes: readonly Change<S>[] },
): Promise<Done<R>> {
  const { store, idOf } = resource
  const id = await inTransaction(context, (db) => store.insert(db, draft))
  const row = await store.read(id)
  const outcome = await run(context, resource, {
    rows: [row],
    subject: resource.describe([row]),
    changes,
    isCreation: true,
    commit: (db, mark, now) => store.mark(db, [idOf(row)], mark, now),
    restore: (db, _why, now) => store.remove(db, idOf(row), now),
  })
  return announced(context, resource, 'created', { record: await store.read(id), outcome })
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
      await alongside(db)
      id = await resource.store.insert(db, draft)
    },
    restore: async () => undefined,
  })
  return announced(context, resource, 'created', { record: await resource.store.read(id), outcome })
}

export interface Adoption<Draft, State> {
  readonly draft: Draft
  readonly changes: readonly Change<State>[]
  /** Writes what belongs to the record, in the same transaction. */
  readonly alongside: (db: WriteDb) => Promise<unknown>
}

/** Where it fails the record keeps what it wanted before, and says that it failed and why. */
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

/** Takes what the record stands for off the host, and then the record out of the store. */
export async function remove<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { stored, changes }: Omit<Update<R, D, S>, 'wanted'>,
): Promise<Outcome> {
  const { store, idOf, onStored } = resource
  const outcome = await runPending(context, resource, [stored], {
    changes,
    commit: (db, _mark, now) => store.markDeleted(db, idOf(stored), now),
  })
  onStored('deleted', [stored])
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
 * Finds out how changes ended that nobody saw the end of: a pending record that the host holds as it is stored was applied. One that
 * differs stays pending, since whether it is to be as stored or as found is for the operator to say. Gives back the records as they
 * are then.
 */
export async function settle<R extends ApplyMark, D, S>(
  context: Pick<Context, 'db' | 'now'>,
  { store, idOf, onStored }: Pick<Resource<R, D, S>, 'store' | 'idOf' | 'onStored'>,
  rows: readonly R[],
  isInSync: (row: R) => boolean,
): Promise<R[]> {
  const settled = rows.filter((row) => row.apply_status_id === APPLY_STATUSES.Pending && isInSync(row))
  if (settled.length === 0) return [...rows]
  const now = context.now().toISOString()
  const mark = { apply_status_id: APPLY_STATUSES.Applied, last_apply_error: '', last_applied_date: now }
  await inTransaction(context, (db) => store.mark(db, settled.map(idOf), mark, now))
  const isSettled = new Set(settled)
  const all = rows.map((row) => (isSettled.has(row) ? { ...row, ...mark, updated_date: now } : row))
  onStored('settled', settled)
  return all
}

/** What the store says at the end of a change. */
interface Work<Row, State> {
  readonly rows: readonly Row[]
  /** Whom an error names. */
  readonly subject: Subject
  readonly changes: readonly Change<State>[]
  /** What came to nothing leaves no record then. */
  readonly isCreation?: true
  /** The host holds what was wanted. */
  readonly commit: (db: WriteDb, mark: ApplyMark, now: string) => Promise<void>
  /** The host is as it was before. `why` it failed; null where it was not tried, or was taken back. */
  readonly restore: (db: WriteDb, why: string | null, now: string) => Promise<void>
}

/** The records are pending meanwhile, and afterwards as they were or marked as failed. */
async function runPending<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  rows: readonly R[],
  { changes, commit }: Pick<Work<R, S>, 'changes' | 'commit'>,
): Promise<Outcome> {
  const { store, idOf } = resource
  const mark = (db: WriteDb, some: readonly R[], status: number, why: string, now: string): Promise<void> =>
    store.mark(db, some.map(idOf), { apply_status_id: status, last_apply_error: why }, now)
  const restore: Work<R, S>['restore'] = async (db, why, now) => {
    if (why !== null) return mark(db, rows, APPLY_STATUSES.Failed, why, now)
    for (const alike of alikeIn(rows)) {
      const [{ apply_status_id, last_apply_error }] = alike
      await mark(db, alike, apply_status_id, last_apply_error, now)
    }
  }
  const now = context.now().toISOString()
  await inTransaction(context, (db) => mark(db, rows, APPLY_STATUSES.Pending, '', now))
  return run(context, resource, { changes, commit, rows, subject: resource.describe(rows), restore })
}

/** Records that bear the same mark, together: there can be thousands, and a statement for each is slow. */
function alikeIn<R extends ApplyMark>(rows: readonly R[]): [R, ...R[]][] {
  const groups = new Map<string, [R, ...R[]]>()
  for (const row of rows) {
    const key = JSON.stringify([row.apply_status_id, row.last_apply_error])
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()]
}

/** The records are pending already. Throws unless the change was applied and stored. */
async function run<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  work: Work<R, S>,
): Promise<Outcome> {
  const ending = await carryOut(context, resource, work.changes)
  switch (ending.status) {
    case 'applied':
      await commit(context, resource, work)
      return ending.outcome
    case 'refused':
      await write(context, (db, now) => work.restore(db, null, now))
      throw ending.reason
    case 'unknown':
      announce(context, resource, work)
      throw unknownOutcome(ending.reason, work.subject)
    case 'restored':
    case 'stuck':
      return fail(context, resource, work, ending)
  }
}

/** What cannot be stored is taken back on the host, so that the host holds what the store says. */
async function commit<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  work: Work<R, S>,
): Promise<void> {
  const last_applied_date = context.now().toISOString()
  const mark = { apply_status_id: APPLY_STATUSES.Applied, last_apply_error: '', last_applied_date }
  try {
    await write(context, (db, now) => work.commit(db, mark, now))
  } catch (failure) {
    const back = [...work.changes].reverse().map((change) => undoOf(resource, change))
    const undone = await carryOut(context, resource, back)
    if (undone.status === 'restored' || undone.status === 'stuck') await fail(context, resource, work, asStuck(undone))
    // The store may refuse this as well. The record stays pending then, until a look at the host settles it.
    if (undone.status === 'applied')
      await write(context, (db, now) => work.restore(db, null, now)).catch(() => {
        throw failure
      })
    throw failure
  }
}

type Failed = Extract<Ending, { readonly status: 'restored' | 'stuck' }>

const asStuck = ({ outcome }: Failed): Failed => ({ status: 'stuck', outcome: { ...outcome, outcome: 'stuck' } })

/** Stores why, publishes that, and throws. */
async function fail<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  work: Work<R, S>,
  { status, outcome }: Failed,
): Promise<never> {
  const { what, details } = work.subject
  const isGone = work.isCreation === true && status === 'restored'
  const failure = failureOf(outcome, { what, details: isGone ? {} : details }, resource.codes)
  const stuck = { apply_status_id: APPLY_STATUSES.Inconsistent, last_apply_error: failure.message }
  await write(context, (db, now) =>
    status === 'stuck'
      ? resource.store.mark(db, work.rows.map(resource.idOf), stuck, now)
      : work.restore(db, failure.message, now),
  )
  if (!isGone) announce(context, resource, work)
  throw failure
}

/** A creation that failed half-way leaves a new record; any other change one that says something else than before. */
function announce<R extends ApplyMark, D, S>(
  { note }: Context,
  { noun, idOf, onStored }: Resource<R, D, S>,
  { isCreation, rows }: Work<R, S>,
): void {
  if (isCreation) for (const row of rows) note.target(noun, idOf(row))
  onStored(isCreation ? 'created' : 'updated', rows)
}

function announced<R extends ApplyMark, D, S>(
  { note }: Context,
  { noun, idOf, onStored }: Resource<R, D, S>,
  event: StoredEvent,
  done: Done<R>,
): Done<R> {
  if (event === 'created') note.target(noun, idOf(done.record))
  onStored(event, [done.record])
  return done
}

const write = (context: Context, work: (db: WriteDb, now: string) => Promise<void>): Promise<void> =>
  inTransaction(context, (db) => work(db, context.now().toISOString()))

const inTransaction = <T>({ db }: Pick<Context, 'db'>, work: (db: WriteDb) => Promise<T>): Promise<T> =>
  db.transaction().execute(work)

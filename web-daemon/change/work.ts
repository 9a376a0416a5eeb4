// One change of records and of the host, from Pending to how it ended: applied and stored, put back, stuck, or not
// known.
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { messageFields, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { CommandContext, WriteDb } from '../platform/context.ts'
import { asMessage, Refusal } from '../platform/http/refusal.ts'
import { carryOut, undoOf, type Ending } from './carry-out.ts'
import { failureOf, unknownOutcome, type Subject } from './failure.ts'
import { closeEnds, leaveOpen, sideOf } from './open-ends.ts'
import type { ApplyMark, Resource, StoredEvent } from './resource.ts'

export type Context = Pick<CommandContext, 'db' | 'now' | 'note' | 'recordIn'>

export interface Done<Row> {
  readonly record: Row
  readonly outcome: Outcome
}

/** What the store says at the end of a change. */
export interface Work<Row, State> {
  readonly rows: readonly Row[]
  /** Whom an error names. */
  readonly subject: Subject
  readonly changes: readonly Change<State>[]
  /** What came to nothing leaves no record then. */
  readonly isCreation?: true
  /** What worked leaves no record then. */
  readonly isRemoval?: true
  /** The host holds what was wanted. */
  readonly commit: (db: WriteDb, mark: ApplyMark, now: string) => Promise<void>
  /** The host is as it was before. `why` it failed; null where it was not tried, or was taken back. */
  readonly restore: (db: WriteDb, why: Message | null, now: string) => Promise<void>
}

/** The records are pending meanwhile, and afterwards as they were or marked as failed. */
export async function runPending<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  rows: readonly R[],
  work: Pick<Work<R, S>, 'changes' | 'commit' | 'isRemoval'>,
): Promise<Outcome> {
  const { store, idOf } = resource
  const mark = (db: WriteDb, some: readonly R[], status: number, why: Message, now: string): Promise<void> =>
    store.mark(db, some.map(idOf), { apply_status_id: status, ...messageFields('last_apply_error', why) }, now)
  const restore: Work<R, S>['restore'] = async (db, why, now) => {
    if (why !== null) return mark(db, rows, APPLY_STATUSES.Failed, why, now)
    for (const alike of alikeIn(rows)) {
      const [{ apply_status_id, last_apply_error_message }] = alike
      await mark(db, alike, apply_status_id, last_apply_error_message, now)
    }
  }
  const now = context.now().toISOString()
  await inTransaction(context, (db) => mark(db, rows, APPLY_STATUSES.Pending, verbatim(''), now))
  return run(context, resource, { ...work, rows, subject: resource.describe(rows), restore })
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
export async function run<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  work: Work<R, S>,
): Promise<Outcome> {
  closeEnds(context.db, resource.noun, work.rows.map(resource.idOf))
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
      waitForEnd(context, resource, work)
      throw unknownOutcome(ending.reason, work.subject)
    case 'restored':
    case 'stuck':
      return fail(context, resource, work, ending)
  }
}

/** What a later look at the host does with records that are pending until then. */
function waitForEnd<R extends ApplyMark, D, S>(context: Context, resource: Resource<R, D, S>, work: Work<R, S>): void {
  const ids = work.rows.map(resource.idOf)
  if (ids.length > 0)
    leaveOpen(context.db, { noun: resource.noun, ids, settle: () => settleOne(context, resource, work) })
}

async function settleOne<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  { rows, changes, isCreation, isRemoval, commit, restore }: Work<R, S>,
): Promise<boolean> {
  if (!(await isPending(resource, rows))) return true
  const side = await sideOf(resource, changes)
  if (side === null) return false
  await write(context, (db, now) => (side === 'after' ? commit(db, appliedAt(now), now) : restore(db, null, now)))
  const isGone = side === 'after' ? isRemoval : isCreation
  resource.onStored(isGone === true ? 'deleted' : 'updated', rows)
  return true
}

/** Forgetting a record takes it away without a change of the host. */
async function isPending<R extends ApplyMark, D, S>({ store, idOf }: Resource<R, D, S>, rows: readonly R[]) {
  const [first] = rows
  const stored = first && (await nullIfGone(store.read(idOf(first))))
  return stored?.apply_status_id === APPLY_STATUSES.Pending
}

/** What cannot be stored is taken back on the host, so that the host holds what the store says. */
async function commit<R extends ApplyMark, D, S>(
  context: Context,
  resource: Resource<R, D, S>,
  work: Work<R, S>,
): Promise<void> {
  try {
    await write(context, async (db, now) => {
      await work.commit(db, appliedAt(now), now)
      await context.recordIn?.(db)
    })
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

const appliedAt = (last_applied_date: string): ApplyMark => ({
  apply_status_id: APPLY_STATUSES.Applied,
  ...messageFields('last_apply_error', verbatim('')),
  last_applied_date,
})

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
  const stuck = { apply_status_id: APPLY_STATUSES.Inconsistent, ...messageFields('last_apply_error', toldBy(failure)) }
  await write(context, (db, now) =>
    status === 'stuck'
      ? resource.store.mark(db, work.rows.map(resource.idOf), stuck, now)
      : work.restore(db, toldBy(failure), now),
  )
  if (!isGone) announce(context, resource, work)
  throw failure
}

/** The message of a failure: its text begins with a capital letter, like an error's. */
const toldBy = (failure: Refusal): Message => ({ ...asMessage(failure), message: failure.message })

/** A creation that failed half-way leaves a new record; any other change one that says something else than before. */
function announce<R extends ApplyMark, D, S>(
  { note }: Context,
  { noun, idOf, onStored }: Resource<R, D, S>,
  { isCreation, rows }: Work<R, S>,
): void {
  if (isCreation) for (const row of rows) note.target(noun, idOf(row))
  onStored(isCreation ? 'created' : 'updated', rows)
}

export function announced<R extends ApplyMark, D, S>(
  { note }: Context,
  { noun, idOf, onStored }: Resource<R, D, S>,
  event: StoredEvent,
  done: Done<R>,
): Done<R> {
  if (event === 'created') note.target(noun, idOf(done.record))
  onStored(event, [done.record])
  return done
}

const nullIfGone = <T>(read: Promise<T>): Promise<T | null> =>
  read.catch((failure: unknown) => {
    if (failure instanceof Refusal && failure.code === 'NOT_FOUND') return null
    throw failure
  })

export const write = (context: Context, work: (db: WriteDb, now: string) => Promise<void>): Promise<void> =>
  inTransaction(context, (db) => work(db, context.now().toISOString()))

export const inTransaction = <T>({ db }: Pick<Context, 'db'>, work: (db: WriteDb) => Promise<T>): Promise<T> =>
  db.transaction().execute(work)

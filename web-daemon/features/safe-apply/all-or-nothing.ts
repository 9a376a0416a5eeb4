// Work in a window of its own that is confirmed where all of it went well, and put back where not.
import { fromRoot, message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { AllOrNothing } from '../../platform/http/confirm-within.ts'
import type { Session } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { openerOf, underWay, type SafeApply } from './safe-apply.ts'
import { changedItems } from './store-followed.ts'
import { findEnd, markWhole } from './store.ts'

/** The time from one change to the next: whatever ends the work, the host is as before within this time. */
const SECONDS = 600

interface Deps extends Pick<StoreContext, 'db' | 'inTurn'> {
  readonly safeApply: SafeApply
}

/** Work that is killed is put back too. */
export const allOrNothing =
  (deps: Deps): AllOrNothing =>
  (session, { begin = async () => true, work, finish }) =>
    deps.safeApply.exclusive.alone(async () => {
      const { safeApply, inTurn } = deps
      await inTurn(() => safeApply.follow())
      const isPutBack = (await begin()) && (await carryOut(deps, session, work))
      if (!isPutBack) await finish?.()
      return isPutBack
    })

/** Returns whether everything was put back. */
async function carryOut(deps: Deps, session: Session | null, work: () => Promise<boolean>): Promise<boolean> {
  const { safeApply, inTurn } = deps
  const opened = await inTurn(() => openForOne(deps, session))
  const done = async (): Promise<boolean> => {
    const isWhole = await work()
    if (isWhole) await mark(deps, opened, false)
    return isWhole
  }
  const isWhole = await safeApply.exclusive.undisturbed(done).catch(async (failure: unknown) => {
    await inTurn(() => safeApply.cancel(opened.window_id))
    throw failure
  })
  return inTurn(() => end(deps, opened, isWhole))
}

interface Opened {
  readonly window_id: string
  readonly isOwn: boolean
}

/** A window that nothing was changed in yet serves as well, and goes on waiting for a confirmation. */
async function openForOne(deps: Deps, session: Session | null): Promise<Opened> {
  const { safeApply, db } = deps
  const { window } = await safeApply.follow()
  if (window && (window.changes > 0 || (await changedItems(db)).length > 0)) throw underWay(window)
  if (window) {
    await mark(deps, window, true)
    return { window_id: window.window_id, isOwn: false }
  }
  const opened = (await safeApply.open(SECONDS, openerOf(session), 'now', true)).window
  if (!opened) throw new Error('The root helper has opened no window')
  return { window_id: opened.window_id, isOwn: true }
}

/** Should the daemon end in the middle, the next one finds the mark and puts everything back. */
const mark = ({ db }: Deps, { window_id }: Pick<Opened, 'window_id'>, is_whole: boolean): Promise<void> =>
  db.transaction().execute((transaction) => markWhole(transaction, window_id, is_whole))

/** What keeps its mark is put back. */
async function end(deps: Deps, { window_id, isOwn }: Opened, isWhole: boolean): Promise<boolean> {
  const { safeApply } = deps
  const { window } = await safeApply.follow()
  if (window?.window_id !== window_id) return requirePutBack(deps, window_id)
  if (!isWhole) throw new Refusal('APPLY_FAILED', message('backup.stuck', { detail: fromRoot(window.detail) }))
  if (isOwn) await safeApply.confirm(window_id)
  return false
}

/**
 * Throws if the window was not put back: it was ended at the socket of the root helper, or an item took longer than the
 * window has time.
 */
async function requirePutBack({ db }: Deps, window_id: string): Promise<true> {
  const found = await findEnd(db, window_id)
  if (found && found.ended_how !== 'confirmed') return true
  throw new Refusal('APPLY_FAILED', message('backup.kept_meanwhile'))
}

// Work in a window of its own that is confirmed where all of it went well, and put back where not.
import { fromRoot, message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Session } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { openerOf, underWay, type SafeApply } from './safe-apply.ts'
import { changedItems } from './store-followed.ts'
import { findEnd } from './store.ts'

/** The time from one change to the next: whatever ends the work, the host is as before within this time. */
const SECONDS = 600

interface Deps extends Pick<StoreContext, 'db' | 'inTurn'> {
  readonly safeApply: SafeApply
}

/**
 * All changes of the work are put back where it answers false, or is killed. Returns whether they were. Nothing else is
 * changed meanwhile.
 */
export const allOrNothing =
  (deps: Deps) =>
  (session: Session | null, work: () => Promise<boolean>): Promise<boolean> =>
    deps.safeApply.exclusive.alone(async () => {
      const { safeApply, inTurn } = deps
      const opened = await inTurn(() => openForOne(deps, session))
      const isWhole = await safeApply.exclusive.undisturbed(work).catch(async (failure: unknown) => {
        await inTurn(() => safeApply.cancel(opened.window_id))
        throw failure
      })
      return inTurn(() => end(deps, opened, isWhole))
    })

interface Opened {
  readonly window_id: string
  readonly isOwn: boolean
}

/** A window that nothing was changed in yet serves as well, and goes on waiting for a confirmation. */
async function openForOne({ safeApply, db }: Deps, session: Session | null): Promise<Opened> {
  const { window } = await safeApply.follow()
  if (window && (window.changes > 0 || (await changedItems(db)).length > 0)) throw underWay(window)
  if (window) return { window_id: window.window_id, isOwn: false }
  const opened = (await safeApply.open(SECONDS, openerOf(session))).window
  if (!opened) throw new Error('The root helper has opened no window')
  return { window_id: opened.window_id, isOwn: true }
}

async function end(deps: Deps, { window_id, isOwn }: Opened, isWhole: boolean): Promise<boolean> {
  const { safeApply } = deps
  if ((await safeApply.follow()).window?.window_id !== window_id) return requirePutBack(deps, window_id)
  if (isWhole && isOwn) await safeApply.confirm(window_id)
  if (isWhole) return false
  const { window } = await safeApply.cancel(window_id)
  if (window) throw new Refusal('APPLY_FAILED', message('backup.stuck', { detail: fromRoot(window.detail) }))
  return true
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

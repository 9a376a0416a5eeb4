// Corrects drift without a request, where the operator has turned that on (decisions.md, S15:
// system.auto_reapply_on_drift).
import type { Logger } from 'pino'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { CommandContext } from '../platform/context.ts'
import { asRefusal } from '../platform/http/answer.ts'
import { AuditNote } from '../platform/audit-note.ts'
import type { Refusal } from '../platform/http/refusal.ts'
import { SlidingWindow } from '../platform/limits/sliding-window.ts'

/** Somebody who changes an object again and again is not fought, and what fails is not tried for ever. */
const MOST = { times: 3, within_ms: 10 * 60_000 } as const
/** As a host boots, its own units still make its tunnels, and other software loads its rules. */
export const GRACE_MS = 30_000
const LOGGED_MAX = 20

/** What the audit log keeps of something that the panel did by itself. */
export interface PanelAction {
  readonly action: AuditAction
  readonly note: AuditNote
  readonly refusal: Refusal | null
  readonly duration_ms: number
}

export interface RemediationDeps extends Omit<CommandContext, 'note'> {
  readonly record: (doing: PanelAction) => Promise<void>
  /** Whether changes of the operator wait for a confirmation: what was just taken back must not come again. */
  readonly isHeldBack: () => boolean
  readonly logger: Logger
}

interface Drifted {
  readonly id: number
  readonly status: string
}

export interface Remedy<Item extends Drifted> {
  readonly noun: string
  readonly action: AuditAction
  /** What is corrected in one change: each object alone, or all together. */
  readonly together: (items: readonly Item[]) => (readonly Item[])[]
  /** Says what was found, for the audit log. */
  readonly describe: (items: readonly Item[]) => string
  readonly reapply: (context: CommandContext, ids: readonly number[]) => Promise<unknown>
}

/** Call what it returns outside of `inTurn`, with the objects that have drifted. It never throws. */
export function makeRemediation<Item extends Drifted>(
  deps: RemediationDeps,
  remedy: Remedy<Item>,
): (drifted: readonly Item[]) => Promise<void> {
  const { now, settings, logger } = deps
  const started = now().getTime()
  const tries = new SlidingWindow(MOST.times, MOST.within_ms, now)
  const mayTry = ({ id }: Item): boolean => {
    if (tries.secondsToWait(`${id}`) > 0) return false
    tries.add(`${id}`)
    return true
  }
  return async (drifted) => {
    if (drifted.length === 0 || deps.isHeldBack() || !settings.get('system.auto_reapply_on_drift')) return
    if (now().getTime() < started + GRACE_MS) return
    const due = drifted.filter(mayTry)
    const left = drifted.filter((item) => !due.includes(item)).map(({ id }) => id)
    if (left.length > 0)
      logger.warn(
        { noun: remedy.noun, ids: left.slice(0, LOGGED_MAX), total: left.length },
        'drift: what was reapplied drifts again and again, and is left alone for now',
      )
    for (const items of remedy.together(due)) if (items.length > 0) await correct(deps, remedy, items)
  }
}

async function correct<Item extends Drifted>(
  { record, logger, isHeldBack: _, ...context }: RemediationDeps,
  { noun, action, describe, reapply }: Remedy<Item>,
  items: readonly Item[],
): Promise<void> {
  const ids = items.map(({ id }) => id)
  const note = new AuditNote()
  const [only] = ids
  if (ids.length === 1 && only !== undefined) note.target(noun, only)
  note.operation(`Reapplied by the panel itself (system.auto_reapply_on_drift): ${describe(items)}`)
  const about = { action, noun, ids: ids.slice(0, LOGGED_MAX), total: ids.length }
  const began = performance.now()
  let refusal: Refusal | null = null
  try {
    await reapply({ ...context, note }, ids)
  } catch (thrown) {
    refusal = asRefusal(thrown)
    logger.warn({ ...about, code: refusal.code, err: thrown }, 'drift: what differs could not be reapplied')
  }
  // Deleted since the look.
  if (refusal?.code === 'NOT_FOUND') return
  const duration_ms = Math.round(performance.now() - began)
  await record({ action, note, refusal, duration_ms }).catch((err: unknown) =>
    logger.error({ ...about, err }, 'no audit entry could be written'),
  )
}

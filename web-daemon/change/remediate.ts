// Corrects drift without a request, where the operator has turned that on (decisions.md, S15: system.self_heal).
import type { Logger } from 'pino'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { CommandContext, WriteDb } from '../platform/context.ts'
import { asRefusal } from '../platform/http/answer.ts'
import { AuditNote } from '../platform/audit-note.ts'
import type { Refusal } from '../platform/http/refusal.ts'
import type { HealedNoun, Heals } from './heal.ts'

/** The time in which a booting host's own units still make its tunnels, and other software loads its rules. */
export const GRACE_MS = 30_000
const LOGGED_MAX = 20

/** What the audit log keeps of something that the panel did by itself. */
export interface PanelAction {
  readonly action: AuditAction
  readonly note: AuditNote
  readonly refusal: Refusal | null
  readonly duration_ms: number
}

/** `db`: the transaction that the entry is part of, if it is part of one. */
export type Recorder = (doing: PanelAction, db?: WriteDb) => Promise<void>

export interface RemediationDeps extends Omit<CommandContext, 'note'> {
  readonly record: Recorder
  /** Whether changes of the operator wait for a confirmation: what was just taken back must not come again. */
  readonly isHeldBack: () => boolean
  readonly heals: Heals
  readonly logger: Logger
}

/** One object as a look found it. */
export interface Watched {
  readonly id: number
  readonly status: string
  readonly isDrifted: boolean
  readonly is_self_heal: boolean | null
}

export interface Remedy<Item extends Watched> {
  readonly noun: HealedNoun
  readonly action: AuditAction
  /** What is corrected in one change: each object alone, or all together. */
  readonly together: (items: readonly Item[]) => (readonly Item[])[]
  /** Says what was found, for the audit log. */
  readonly describe: (items: readonly Item[]) => string
  /** Returns the ids of those that are as they are stored now. */
  readonly reapply: (context: CommandContext, ids: readonly number[]) => Promise<unknown>
}

export interface Remediation<Item extends Watched> {
  /** Call it outside of `inTurn`, with all that was looked at. It never throws. */
  readonly remediate: (items: readonly Item[]) => Promise<void>
  /** Milliseconds until something is to be looked at again; null where nothing waits. */
  readonly dueIn: () => number | null
  /** Whether what is found now would be put back at once. */
  readonly isReady: () => boolean
}

export function makeRemediation<Item extends Watched>(deps: RemediationDeps, remedy: Remedy<Item>): Remediation<Item> {
  const { now, heals, logger } = deps
  const { noun } = remedy
  const begins = now().getTime() + GRACE_MS
  /** More than all of it means that the clock was ahead when it began, as before a host has found its time. */
  const graceLeft = (): number => {
    const left = begins - now().getTime()
    return left > GRACE_MS ? 0 : Math.max(0, left)
  }
  /** The ids that wait, since the last look, for the end of the grace or of a pause. */
  let waiting: readonly number[] = []
  let isAnyWanted = false
  return {
    remediate: async (items) => {
      heals.found(
        noun,
        items.map(({ id, isDrifted, is_self_heal }) => ({ id, isAway: isDrifted, own: is_self_heal })),
      )
      isAnyWanted = items.some(({ is_self_heal }) => heals.isWanted(noun, is_self_heal))
      const wanted = items.filter(({ isDrifted, is_self_heal }) => isDrifted && heals.isWanted(noun, is_self_heal))
      waiting = wanted.map(({ id }) => id)
      if (wanted.length === 0 || deps.isHeldBack() || graceLeft() > 0) return
      const due = wanted.filter(({ id }) => heals.mayTry(noun, id))
      const ids = new Set(due.map(({ id }) => id))
      const left = waiting.filter((id) => !ids.has(id))
      if (left.length > 0)
        logger.warn(
          { noun, ids: left.slice(0, LOGGED_MAX), total: left.length },
          'drift: what was put back drifts again and again, and is left alone for now',
        )
      for (const some of remedy.together(due)) if (some.length > 0) await correct(deps, remedy, some)
      waiting = left
    },
    // The end of a window is an event of its own.
    dueIn: () => (waiting.length === 0 || deps.isHeldBack() ? null : Math.max(heals.dueIn(noun, waiting), graceLeft())),
    isReady: () =>
      (isAnyWanted || heals.isWanted(noun, null)) && !deps.isHeldBack() && graceLeft() === 0 && waiting.length === 0,
  }
}

async function correct<Item extends Watched>(
  { record, logger, heals, isHeldBack: _, ...context }: RemediationDeps,
  { noun, action, describe, reapply }: Remedy<Item>,
  items: readonly Item[],
): Promise<void> {
  const ids = items.map(({ id }) => id)
  const note = new AuditNote()
  const [only] = ids
  if (ids.length === 1 && only !== undefined) note.target(noun, only)
  note.operation(`Reapplied by the panel itself (system.self_heal): ${describe(items)}`)
  const about = { action, noun, ids: ids.slice(0, LOGGED_MAX), total: ids.length }
  const began = performance.now()
  const ended = (refusal: Refusal | null): PanelAction => ({
    ...{ action, note, refusal },
    duration_ms: Math.round(performance.now() - began),
  })
  const recordIn = (db: WriteDb): Promise<void> => {
    note.operation(`back ${heals.awayFor(noun, ids)} ms after it was found away`)
    return record(ended(null), db)
  }
  heals.trying(noun, ids)
  try {
    await reapply({ ...context, note, recordIn }, ids)
    heals.worked(noun, ids)
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    logger.warn({ ...about, code: refusal.code, err: thrown }, 'drift: what differs could not be reapplied')
    // Deleted since the look.
    if (refusal.code === 'NOT_FOUND') return
    await record(ended(refusal)).catch((err: unknown) =>
      logger.error({ ...about, err }, 'no audit entry could be written'),
    )
  }
}

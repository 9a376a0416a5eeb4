// Makes the audit entry of a mutating request, carried out or refused, without what must not be kept.
import type { Logger } from 'pino'
import type { CommandContext } from '../../platform/context.ts'
import type { Carried } from '../../platform/http/serve.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import { actionAsItEnded, AUDIT_ACTIONS, type AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { Actor, AuditNote } from '../../platform/http/audit-note.ts'
import { redact } from './redact.ts'
import { insertEntry } from './store.ts'

/** A stranger's refused requests could fill the disk; above this many a minute they are only logged. */
export const STRANGERS_PER_MINUTE = 600

export const makeRecorder = (
  db: CommandContext['db'],
  now: () => Date,
  logger: Logger,
): ((carried: Carried) => Promise<void>) => {
  const strangers = new SlidingWindow(STRANGERS_PER_MINUTE, 60_000, now)
  return async (carried) => {
    const { note, visit, refusal, client_ip, request_id, duration_ms } = carried
    const by = note.by ?? visit.session
    const action = actionAsItEnded(note.renamed ?? carried.endpoint.audit, refusal === null)
    logger.info(
      { request_id, action, username: by?.username ?? '', client_ip, code: refusal?.code ?? '', duration_ms },
      'command',
    )
    if (!by && refusal && isTooMany(strangers)) return
    await insertEntry(db, {
      audit_action_id: AUDIT_ACTIONS[action],
      user_id: by?.user_id ?? null,
      username: by?.username ?? '',
      target_type: note.targetType,
      target_id: note.targetId,
      request: JSON.stringify(redact(carried.body, carried.endpoint.body)),
      operations: JSON.stringify(note.operations),
      ...endOf(refusal),
      duration_ms,
      client_ip,
      request_id,
      created_date: now().toISOString(),
    })
  }
}

interface Own {
  readonly action: AuditAction
  readonly note: AuditNote
  readonly refusal: Refusal | null
  readonly duration_ms: number
  readonly on?: Behest
}

/** The request on whose behalf one of several things was done, and what was asked of that one, redacted. */
export interface Behest {
  readonly by: Actor | null
  readonly client_ip: string
  readonly request_id: string
  readonly request: Readonly<Record<string, unknown>>
}

const NOBODYS: Behest = { by: null, client_ip: '', request_id: '', request: {} }

/** Of what the panel does by itself: without a request (no user, no address), or as a part of one. */
export const recordOwn = async (
  { db, now }: Pick<CommandContext, 'db' | 'now'>,
  { action, note, refusal, duration_ms, on = NOBODYS }: Own,
): Promise<void> =>
  insertEntry(db, {
    audit_action_id: AUDIT_ACTIONS[action],
    user_id: on.by?.user_id ?? null,
    username: on.by?.username ?? '',
    target_type: note.targetType,
    target_id: note.targetId,
    request: JSON.stringify(on.request),
    operations: JSON.stringify(note.operations),
    ...endOf(refusal),
    duration_ms,
    client_ip: on.client_ip,
    request_id: on.request_id,
    created_date: now().toISOString(),
  })

const endOf = (refusal: Refusal | null) => ({
  is_success: refusal ? 0 : 1,
  error_message: refusal ? `${refusal.code}: ${refusal.message}` : '',
})

const isTooMany = (strangers: SlidingWindow): boolean => {
  if (strangers.secondsToWait('') > 0) return true
  strangers.add('')
  return false
}

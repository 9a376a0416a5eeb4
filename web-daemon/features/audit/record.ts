// Writes the audit entry of a request that changes something, whether it succeeded or was refused, without secrets.
import type { Logger } from 'pino'
import type { StoreContext, WriteDb } from '../../platform/context.ts'
import { Store, storeOf } from '../../platform/db/store.ts'
import type { AuditedRequest } from '../../platform/http/serve.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { asMessage, type Refusal } from '../../platform/http/refusal.ts'
import { actionAsItEnded, AUDIT_ACTIONS, type AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { Actor, AuditNote } from '../../platform/audit-note.ts'
import { redact } from './redact.ts'
import { insertEntry, type NewEntry } from './store.ts'
import { Strangers, type Follow } from './strangers.ts'

export interface RecorderDeps {
  readonly db: StoreContext['db']
  readonly now: () => Date
  readonly logger: Logger
  readonly follow: Follow
}

export function makeRecorder({ db, now, logger, follow }: RecorderDeps): (entry: AuditedRequest) => Promise<void> {
  const strangers = new Strangers(db, now, follow)
  return async (entry) => {
    const { note, request: guarded, refusal, client_ip, request_id, duration_ms } = entry
    const by = note.by ?? guarded.session
    const action = actionAsItEnded(note.renamed ?? entry.endpoint.audit, refusal === null)
    logger.info(
      { request_id, action, username: by?.username ?? '', client_ip, code: refusal?.code ?? '', duration_ms },
      'command',
    )
    const row: NewEntry = {
      audit_action_id: AUDIT_ACTIONS[action],
      user_id: by?.user_id ?? null,
      username: by?.username ?? '',
      session_id: by?.session_id ?? null,
      target_type: note.targetType,
      target_id: note.targetId,
      request: JSON.stringify(redact(entry.body, entry.endpoint.body)),
      operations: JSON.stringify(note.operations),
      ...resultColumns(refusal),
      duration_ms,
      client_ip,
      request_id,
      created_date: now().toISOString(),
    }
    if (by || !refusal) await insertEntry(db, row)
    // Any request can be sent without a token, and means nothing.
    else if (refusal.code !== 'CSRF_TOKEN_INVALID')
      await strangers.record(row, { action, code: refusal.code }, entry.endpoint.guards?.session !== false)
  }
}

interface PanelAction {
  readonly action: AuditAction
  readonly note: AuditNote
  readonly refusal: Refusal | null
  readonly duration_ms: number
  readonly on?: RequestOrigin
}

/** The request that an action of the panel is part of; `request` is redacted. */
export interface RequestOrigin {
  readonly by: Actor | null
  readonly client_ip: string
  readonly request_id: string
  readonly request: Readonly<Record<string, unknown>>
}

const NO_REQUEST: RequestOrigin = { by: null, client_ip: '', request_id: '', request: {} }

/** Records what the panel does by itself: without a request (no user, no address), or as part of one. */
export async function recordPanelAction(
  { db, now }: { readonly db: WriteDb; readonly now: () => Date },
  { action, note, refusal, duration_ms, on = NO_REQUEST }: PanelAction,
): Promise<void> {
  const entry = insertEntry(db, {
    audit_action_id: AUDIT_ACTIONS[action],
    user_id: on.by?.user_id ?? null,
    username: on.by?.username ?? '',
    session_id: on.by?.session_id ?? null,
    target_type: note.targetType,
    target_id: note.targetId,
    request: JSON.stringify(on.request),
    operations: JSON.stringify(note.operations),
    ...resultColumns(refusal),
    duration_ms,
    client_ip: on.client_ip,
    request_id: on.request_id,
    created_date: now().toISOString(),
  })
  const store = storeOf(db)
  await (store instanceof Store ? store.state.recording(entry) : entry)
}

const resultColumns = (refusal: Refusal | null) => ({
  is_success: refusal ? 0 : 1,
  error_message: refusal ? `${refusal.code}: ${refusal.message}` : '',
  error_reason: JSON.stringify(refusal ? asMessage(refusal) : verbatim('')),
})

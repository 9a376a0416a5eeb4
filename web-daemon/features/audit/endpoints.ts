// GET /audit: the audit log, newest first (decisions.md, U1, U3).
import type { AuditEntry, ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, query, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { isTrue } from '../../platform/http/query.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { actionNamed, AUDIT_ACTION_NAMES, AUDIT_ACTIONS } from '@panel/shared/api/audit/actions.ts'
import { findEntries, type AuditFilter, type AuditRow } from './store.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

const listEntries = async ({ db }: ReadContext, incoming: Incoming): Promise<Answer<ListAuditAnswer>> => {
  const paging = parsePaging(incoming.query)
  const { rows, total } = await findEntries(db, parseFilter(incoming.query), paging)
  const answer: ListAuditAnswer = { entries: rows.map(entryView), total, ...paging, actions: AUDIT_ACTION_NAMES }
  return ok(answer)
}

const entryView = (row: AuditRow): AuditEntry => ({
  ...row,
  action: AUDIT_ACTION_NAMES.find((name) => AUDIT_ACTIONS[name] === row.audit_action_id) ?? '',
  request: fromStoredJson(row.request) as AuditEntry['request'],
  target_name: row.target_name ?? '',
  operations: fromStoredJson(row.operations) as string[],
  is_success: row.is_success === 1,
  error_reason: fromStoredJson(row.error_reason) as AuditEntry['error_reason'],
})

type Query = Incoming['query']

const parseFilter = (query: Query): AuditFilter => ({
  ...given(query, 'search', (text) => ({ search: text })),
  ...given(query, 'action', (text) => ({ audit_action_id: actionId(text) })),
  ...given(query, 'user_id', (text) => ({ user_id: Number(text) })),
  ...given(query, 'target_type', (text) => ({ target_type: text })),
  ...given(query, 'target_id', (text) => ({ target_id: Number(text) })),
  ...given(query, 'success', (text) => ({ is_success: Number(isTrue(text)) })),
  ...given(query, 'from', (text) => ({ from: new Date(text).toISOString() })),
  ...given(query, 'to', (text) => ({ to: new Date(text).toISOString() })),
})

const given = (query: Query, name: string, read: (text: string) => AuditFilter): AuditFilter => {
  const text = query[name]
  return text === undefined || text === '' ? {} : read(text)
}

const actionId = (text: string): number => {
  const action = actionNamed(text)
  if (action) return AUDIT_ACTIONS[action]
  throw new Refusal('INVALID_REQUEST', message('panel.no_such_action'), {
    field: 'action',
    details: { known: AUDIT_ACTION_NAMES },
  })
}

export const auditEndpoints = [
  query('GET /audit', { tag: 'audit', summary: 'The requests to change something, newest first' }, listEntries),
]

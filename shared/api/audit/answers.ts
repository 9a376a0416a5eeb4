// What the API answers about the audit log (reference.md, Audit entry; decisions.md, U1).
import { MessageView } from '../base/errors.ts'
import { nullable, type Static } from '../../schema.ts'
import { Anything, Count, Flag, Id, Instant, list, Sentence, shape, Text, described } from '../base/shapes.ts'

export const AuditEntry = shape('AuditEntry', {
  audit_log_id: Id,
  audit_action_id: Id,
  action: Sentence,
  user_id: nullable(Id),
  username: Text,
  session_id: described(nullable(Id), 'The session that it was done in; null without one.'),
  target_type: Text,
  target_id: nullable(Id),
  target_name: described(
    Text,
    'The name that the tunnel, the rule or the pool has now; "" where it no longer exists, or has no name.',
  ),
  request: described(Anything, 'The request, without secrets.'),
  operations: described(list(Text), 'What was done.'),
  is_success: Flag,
  error_message: Text,
  error_reason: described(MessageView, 'The text of error_message, without its code.'),
  duration_ms: Count,
  client_ip: Text,
  request_id: Text,
  created_date: Instant,
})
export type AuditEntry = Static<typeof AuditEntry>

export const ListAuditAnswer = shape('AuditLog', {
  entries: described(list(AuditEntry), 'The newest first.'),
  total: Count,
  limit: Count,
  offset: Count,
  actions: described(list(Sentence), 'The names that the filter takes.'),
})
export type ListAuditAnswer = Static<typeof ListAuditAnswer>

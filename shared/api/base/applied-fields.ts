// The fields of whatever the panel stores and applies to the host: how that ended last, and when the record was
// written.
import { verbatim } from '../../messages/message.ts'
import { nullable } from '../../schema.ts'
import { MessageView } from './errors.ts'
import { field } from './field-list.ts'
import { APPLY_STATUSES } from './lookups.ts'
import { idIn, Instant, Text, wordIn } from './shapes.ts'

export const APPLIED_FIELDS = {
  apply_status_id: field({ answer: idIn(APPLY_STATUSES), byDefault: APPLY_STATUSES.Pending }),
  apply_status: field({ answer: wordIn(APPLY_STATUSES), stored: 'computed' }),
  last_applied_date: field({ answer: nullable(Instant), byDefault: null }),
  last_apply_error: field({ answer: Text, byDefault: '' }),
  last_apply_error_message: field({ answer: MessageView, byDefault: verbatim('') }),
  created_date: field({ answer: Instant }),
  updated_date: field({ answer: Instant }),
}

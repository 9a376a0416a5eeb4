// What a client may send about safe apply, and what it is answered (reference.md, Safe apply; decisions.md, section
// 10).
import { message } from '../messages/message.ts'
import { strict, nullable, Type, type Static } from '../schema.ts'
import { WINDOW_SECONDS, WINDOW_STARTS } from '../window/model.ts'
import { MessageView, sentence } from './base/errors.ts'
import { refusedWith } from './base/fields.ts'
import { readyRequest } from './base/ready.ts'
import { Count, Flag, Id, Instant, list, oneOf, shape, Text, described } from './base/shapes.ts'

const seconds = Type.Integer({
  minimum: WINDOW_SECONDS.least,
  maximum: WINDOW_SECONDS.most,
  ...refusedWith(
    'INVALID_VALUE',
    message('input.whole', { field: 'seconds', minimum: WINDOW_SECONDS.least, maximum: WINDOW_SECONDS.most }),
    'How long the changes wait for a confirmation, from the end of the last one.',
  ),
})
const window_id = Type.String({
  pattern: '^[0-9a-f]{32}$',
  ...refusedWith('INVALID_VALUE', message('input.window_id'), 'The window, as its answers name it.'),
})

const starts = oneOf(WINDOW_STARTS, {
  description: 'When the time begins to run: at once, or with the first change, for which it waits an hour at most.',
})
export const OpenSafeApplyBody = shape('OpenSafeApplyBody', {
  seconds: Type.Optional(seconds),
  starts: Type.Optional(starts),
})
export const EndSafeApplyBody = shape('EndSafeApplyBody', { window_id })
export type EndSafeApplyBody = Static<typeof EndSafeApplyBody>
export const ExtendSafeApplyBody = shape('ExtendSafeApplyBody', { window_id, seconds })

export const SAFE_APPLY_KINDS = ['tunnel', 'route', 'network', 'pool', 'setting', 'forwarding'] as const

export const SafeApplyItem = shape('SafeApplyItem', {
  kind: oneOf(SAFE_APPLY_KINDS),
  /** Null of what has no number: a setting, and IP forwarding. */
  target_id: nullable(Id),
  title: Text,
  what: oneOf(['created', 'updated', 'deleted']),
})
export type SafeApplyItem = Static<typeof SafeApplyItem>

export const CONFIRM_BY = ['operator', 'reach'] as const

export const SafeApplyWindow = shape('SafeApplyWindow', {
  window_id: Text,
  seconds: Count,
  seconds_left: described(Count, 'As root counts them: from the end of the last change.'),
  changes: Count,
  is_waiting: described(Flag, 'Whether the time begins to run with the first change, and there was none yet.'),
  opened_at: Instant,
  username: described(Text, 'Who opened it; empty where that was done at the socket of the root helper.'),
  state: oneOf(['open', 'ending', 'stuck']),
  ...sentence('detail', 'Why the changes cannot be put back; empty unless it is stuck.'),
  remediation: list(Text),
  remediation_messages: list(MessageView),
  items: list(SafeApplyItem),
  confirm_by: described(
    oneOf(CONFIRM_BY),
    'Who confirms: the operator, or also a page that reaches the panel again and again over new connections.',
  ),
  tunnels_not_up: described(
    list(Text),
    'Interfaces of tunnels that were up when the window was opened, and that are not up now.',
  ),
  is_this_connection_new: described(
    nullable(Flag),
    'Whether this request came over a connection that was made after the last change, which a confirmation needs; null behind a proxy.',
  ),
})
export type SafeApplyWindow = Static<typeof SafeApplyWindow>

export const SafeApplyEnded = shape('SafeApplyEnded', {
  window_id: Text,
  ended_how: oneOf(['confirmed', 'cancelled', 'expired', 'rebooted']),
  ended_at: Instant,
  username: Text,
  items: list(SafeApplyItem),
})
export type SafeApplyEnded = Static<typeof SafeApplyEnded>

const Call = readyRequest('POST', strict({ window_id: Text }))
/** What the answer of a command has beside its own fields while a window is open. */
export const SafeApplyPending = shape('SafeApplyPending', {
  window_id: Text,
  seconds_left: Count,
  changes: Count,
  confirm: Call,
  cancel: Call,
})
export type SafeApplyPending = Static<typeof SafeApplyPending>

export const SafeApplyAnswer = shape('SafeApplyAnswer', {
  window: nullable(SafeApplyWindow),
  last: nullable(SafeApplyEnded),
})
export type SafeApplyAnswer = Static<typeof SafeApplyAnswer>

// What a client may send about notifications, and what it is answered (reference.md, Notifications; decisions.md,
// section 12).
import { message } from '../messages/message.ts'
import { nullable, strict, stringEnum, Type, type Static } from '../schema.ts'
import { sentence } from './base/errors.ts'
import { flag, maybe, ranged, refusedWith, text } from './base/fields.ts'
import { Always, Count, described, Flag, Id, Instant, list, oneOf, shape, Text } from './base/shapes.ts'

export const WEBHOOK_KINDS = ['json', 'ntfy', 'telegram', 'slack', 'discord', 'email'] as const
export type WebhookKind = (typeof WEBHOOK_KINDS)[number]

/** What a notification can be about. Whatever publishes an event is listed in web-daemon/features/webhooks/sources/. */
export const NOTICE_KINDS = [
  'tunnel_state',
  'drift',
  'route_health',
  'destination',
  'heal_contested',
  'safe_apply_ended',
  'sign_in_failed',
  'sign_in_new_network',
  'certificate',
  'disk',
  'helper_away',
  'backup',
  'backup_failed',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

export const NOTICE_LANGUAGES = ['en', 'fa', 'ru', 'zh-CN'] as const
export type NoticeLanguage = (typeof NOTICE_LANGUAGES)[number]

/** A problem can be resolved; what happened once is an info. */
export const SEVERITIES = ['problem', 'resolved', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

const secret = (maxLength: number, name: string, description: string) =>
  Type.Unsafe<string>({ ...text(maxLength, false, name, description), 'x-secret': true })
const choice = <const V extends readonly string[]>(values: V, name: string, description: string) =>
  stringEnum(
    values,
    refusedWith('INVALID_VALUE', message('input.choice', { field: name, options: values.join(', ') }), description),
  )

const TITLE_MAX = 100
export const COOL_DOWN_MAX_SECONDS = 86_400

export const WebhookBody = shape('WebhookBody', {
  title: Type.String({
    minLength: 1,
    maxLength: TITLE_MAX,
    pattern: '^(?! *$)[^\\u0000-\\u001f\\u007f]*$',
    ...refusedWith(
      'INVALID_VALUE',
      message('input.title', { field: 'title', length: TITLE_MAX }),
      'A name for people.',
    ),
  }),
  kind: choice(WEBHOOK_KINDS, 'kind', 'How the receiver wants it.'),
  url: maybe(
    secret(
      2000,
      'url',
      'Where it goes: an https address; for email smtp://host:587 or smtps://host:465. Absent: the usual one of telegram; in a PUT as it is.',
    ),
  ),
  secret: maybe(
    secret(
      500,
      'secret',
      'json: what the signature is made with, generated if absent; ntfy: an access token; telegram: the token of the bot; email: the password. In a PUT absent: as it is.',
    ),
  ),
  username: maybe(text(320, false, 'username', 'email: the name to sign in with. Absent: the sender.')),
  sender: maybe(text(320, false, 'sender', 'email: the address that it comes from.')),
  recipient: maybe(
    text(2000, false, 'recipient', 'email: addresses, separated by commas; telegram: the id of the chat.'),
  ),
  events: Type.Array(choice(NOTICE_KINDS, 'events', 'What it is about.'), {
    minItems: 1,
    maxItems: NOTICE_KINDS.length,
    uniqueItems: true,
    ...refusedWith(
      'INVALID_VALUE',
      message('input.choice', { field: 'events', options: NOTICE_KINDS.join(', ') }),
      'What it is sent for.',
    ),
  }),
  language: maybe(
    nullable(
      choice(
        NOTICE_LANGUAGES,
        'language',
        'Language of its texts. Null, the default: by the setting display.language.',
      ),
    ),
  ),
  cool_down_seconds: maybe(
    ranged(
      'integer',
      0,
      COOL_DOWN_MAX_SECONDS,
      'INVALID_VALUE',
      'cool_down_seconds',
      'How long the same problem of the same thing is not reported again. Default 300.',
    ),
  ),
  is_enabled: maybe(flag('is_enabled', 'Whether anything is sent. Default true.')),
})
export type WebhookBody = Static<typeof WebhookBody>

export const WebhookView = shape('Webhook', {
  webhook_id: Id,
  title: Text,
  kind: oneOf(WEBHOOK_KINDS),
  address: described(Text, 'Where it goes, without what can be a secret: no path and no query.'),
  has_secret: Flag,
  is_readable: described(
    Flag,
    'Whether the panel can read its address and its secret: under another signing key both have to be sent again.',
  ),
  username: Text,
  sender: Text,
  recipient: Text,
  events: list(oneOf(NOTICE_KINDS)),
  language: nullable(oneOf(NOTICE_LANGUAGES)),
  cool_down_seconds: Count,
  is_enabled: Flag,
  failing_since: described(
    nullable(Instant),
    'Since when nothing has arrived; null where the last one did, or none was sent.',
  ),
  delivered_at: described(
    nullable(Instant),
    'When something last arrived, a test too; null where nothing has since it leads where it does.',
  ),
  ...sentence('last_error', 'Why the last one did not arrive; "" where it did.'),
  discarded: described(
    nullable(strict({ too_old: Count, no_room: Count, since: Instant, last: Instant })),
    'Notifications that were deleted without having been sent: after 7 days, or beyond 10,000 of all targets. From the first of them to the last; null where none was in the last 7 days.',
  ),
})
export type WebhookView = Static<typeof WebhookView>

export const ListWebhooksAnswer = shape('Webhooks', { webhooks: list(WebhookView), total: Count })
export type ListWebhooksAnswer = Static<typeof ListWebhooksAnswer>

export const ChangeWebhookAnswer = shape('WebhookChanged', {
  ...WebhookView.properties,
  secret: described(nullable(Text), 'What was generated to sign with, answered this once; null where nothing was.'),
})
export type ChangeWebhookAnswer = Static<typeof ChangeWebhookAnswer>

export const DeleteWebhookAnswer = shape('WebhookDeleted', { deleted: Always, webhook_id: Id })
export type DeleteWebhookAnswer = Static<typeof DeleteWebhookAnswer>

export const TestWebhookAnswer = shape('WebhookTested', {
  ok: described(Flag, 'Whether the receiver took it.'),
  ...sentence('detail', 'What became of it.'),
})
export type TestWebhookAnswer = Static<typeof TestWebhookAnswer>

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const DeliveryView = shape('Delivery', {
  delivery_id: Id,
  event_id: Text,
  kind: oneOf(NOTICE_KINDS),
  severity: oneOf(SEVERITIES),
  ...sentence('text', 'What it says.'),
  state: described(oneOf(DELIVERY_STATES), 'dropped: it was resolved, or its target deleted, before it was sent.'),
  tries: Count,
  created_at: Instant,
  next_try_at: nullable(Instant),
  ...sentence('last_error', 'Why the last try failed; "" where it did not.'),
})
export type DeliveryView = Static<typeof DeliveryView>

export const ListDeliveriesAnswer = shape('Deliveries', {
  deliveries: described(list(DeliveryView), 'Newest first.'),
  total: Count,
})
export type ListDeliveriesAnswer = Static<typeof ListDeliveriesAnswer>

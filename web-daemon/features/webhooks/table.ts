// The tables of notifications, as kysely sees them.
import type { Generated, Selectable } from 'kysely'

/** `events` is the JSON text of a list, `sealed` what credentials.ts makes of the whole address and the secret. */
export interface WebhookTable {
  webhook_id: Generated<number>
  title: string
  kind: string
  address: string
  has_secret: number
  sealed: Buffer
  username: string
  sender: string
  recipient: string
  events: string
  language: string | null
  cool_down_seconds: number
  is_enabled: number
  failing_since: string | null
  last_error: string
  delivered_at: Generated<string | null>
  discarded_too_old: Generated<number>
  discarded_no_room: Generated<number>
  discarded_since: Generated<string | null>
  discarded_last: Generated<string | null>
}

/** The outbox. `notice` is the JSON text of a Notice. */
export interface WebhookDeliveryTable {
  delivery_id: Generated<number>
  webhook_id: number
  event_id: string
  subject_key: string
  notice: string
  state: string
  tries: number
  created_date: string
  next_try_date: string | null
  last_error: string
}

/** What a target was last sent of one thing: whether it is a problem, and when it was reported last. */
export interface WebhookSubjectTable {
  webhook_id: number
  subject_key: string
  is_open: number
  level: number
  reported_date: string
}

export interface WebhookTables {
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  webhook_subject: WebhookSubjectTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends WebhookTables {}
}

export type WebhookRow = Selectable<WebhookTable>
export type DeliveryRow = Selectable<WebhookDeliveryTable>

// The targets of notifications in the store.
import type { NoticeKind, NoticeLanguage, WebhookKind, WebhookView } from '@panel/shared/api/webhooks.ts'
import { verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { WebhookRow } from './table.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

export interface NewWebhook {
  readonly title: string
  readonly kind: WebhookKind
  /** What may be shown of where it leads: scheme, host and port. */
  readonly address: string
  readonly has_secret: boolean
  readonly sealed: Buffer
  readonly username: string
  readonly sender: string
  readonly recipient: string
  readonly events: readonly NoticeKind[]
  readonly language: NoticeLanguage | null
  readonly cool_down_seconds: number
  readonly is_enabled: boolean
}

export interface Webhook extends NewWebhook {
  readonly webhook_id: number
  readonly failing_since: string | null
  /** The error of the last delivery; without text if it has arrived. */
  readonly last_error: Message
  /** When something last arrived where it leads now; null: nothing has. */
  readonly delivered_at: string | null
  /** Null where nothing was deleted without having been sent. */
  readonly discarded: Discarded | null
}

export type Discarded = NonNullable<WebhookView['discarded']>

/** Reads an error from the tables of notifications: JSON, or "" for none. */
export const errorFrom = (text: string): Message => (text === '' ? verbatim('') : (fromStoredJson(text) as Message))
export const errorText = (error: Message | null): string => (error ? JSON.stringify(error) : '')

const webhookFrom = ({
  discarded_too_old: too_old,
  discarded_no_room: no_room,
  discarded_since: since,
  discarded_last: last,
  ...row
}: WebhookRow): Webhook => ({
  ...row,
  kind: row.kind as WebhookKind,
  language: row.language as NoticeLanguage | null,
  events: fromStoredJson(row.events) as NoticeKind[],
  last_error: errorFrom(row.last_error),
  is_enabled: row.is_enabled === 1,
  has_secret: row.has_secret === 1,
  discarded: since === null || last === null ? null : { too_old, no_room, since, last },
})

const columnsOf = ({ events, is_enabled, has_secret, ...same }: NewWebhook) => ({
  ...same,
  has_secret: Number(has_secret),
  events: JSON.stringify(events),
  is_enabled: Number(is_enabled),
})

export async function allWebhooks(db: ReadDb): Promise<Webhook[]> {
  return (await db.selectFrom('webhook').selectAll().orderBy('webhook_id').execute()).map(webhookFrom)
}

export async function findWebhook(db: ReadDb, webhook_id: number): Promise<Webhook | null> {
  const row = await db.selectFrom('webhook').selectAll().where('webhook_id', '=', webhook_id).executeTakeFirst()
  return row ? webhookFrom(row) : null
}

export async function insertWebhook(db: WriteDb, webhook: NewWebhook): Promise<number> {
  const { webhook_id } = await db
    .insertInto('webhook')
    .values({ ...columnsOf(webhook), failing_since: null, last_error: '' })
    .returning('webhook_id')
    .executeTakeFirstOrThrow()
  return webhook_id
}

/** `isElsewhere`: what has arrived so far arrived at another receiver. */
export async function updateWebhook(
  db: WriteDb,
  webhook_id: number,
  webhook: NewWebhook,
  isElsewhere: boolean,
): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ ...columnsOf(webhook), ...(isElsewhere && { delivered_at: null }) })
    .where('webhook_id', '=', webhook_id)
    .execute()
}

/** Deletes a target together with its deliveries. */
export async function deleteWebhook(db: WriteDb, webhook_id: number): Promise<void> {
  await db.deleteFrom('webhook_delivery').where('webhook_id', '=', webhook_id).execute()
  await db.deleteFrom('webhook_subject').where('webhook_id', '=', webhook_id).execute()
  await db.deleteFrom('webhook').where('webhook_id', '=', webhook_id).execute()
}

/** `error` null: the last one has arrived. */
export async function markSent(db: WriteDb, webhook_id: number, error: Message | null, now: string): Promise<void> {
  await db
    .updateTable('webhook')
    .set((e) => ({
      last_error: errorText(error),
      failing_since: error === null ? null : e.fn.coalesce('failing_since', e.val(now)),
      ...(error === null && { delivered_at: now }),
    }))
    .where('webhook_id', '=', webhook_id)
    .execute()
}

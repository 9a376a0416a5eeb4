// Adds, replaces and removes a target of notifications.
import type { ChangeWebhookAnswer, DeleteWebhookAnswer, WebhookBody } from '@panel/shared/api/webhooks.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, ReadDb, StoreContext } from '../../platform/context.ts'
import { created, ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { draftWebhook } from './draft.ts'
import type { Outbox } from './outbox.ts'
import { deleteWebhook, findWebhook, insertWebhook, updateWebhook, type Webhook } from './store.ts'
import { webhookView } from './view.ts'

export async function createWebhook(
  { db, note, settings }: StoreContext,
  { body, problems }: Incoming<WebhookBody>,
): Promise<Answer<ChangeWebhookAnswer>> {
  const draft = draftWebhook(body, problems, { allowPrivate: settings.get('webhooks.allow_private'), stored: null })
  const webhook_id = await insertWebhook(db, draft)
  note.target('webhook', webhook_id)
  note.operation(`Added the target "${draft.title}" (${draft.kind})`)
  return created(changed(await requireWebhook(db, { id: webhook_id }), body.secret))
}

export function replaceWebhook(outbox: Pick<Outbox, 'kick'>) {
  return async (
    { db, note, settings }: StoreContext,
    { params, body, problems }: Incoming<WebhookBody>,
  ): Promise<Answer<ChangeWebhookAnswer>> => {
    const stored = await requireWebhook(db, params)
    note.target('webhook', stored.webhook_id)
    const draft = draftWebhook(body, problems, { allowPrivate: settings.get('webhooks.allow_private'), stored })
    await updateWebhook(db, stored.webhook_id, draft)
    note.operation(`Replaced the target "${stored.title}"`)
    note.rename(stored.title, draft.title)
    outbox.kick()
    const isKept = draft.secret === stored.secret
    return ok(changed(await requireWebhook(db, params), isKept ? draft.secret : body.secret))
  }
}

/** Whether a replaced target has another receiver or another secret; what is absent stays. */
export async function leadsElsewhere({ db }: ReadContext, { params, body }: Incoming<WebhookBody>): Promise<boolean> {
  const { kind, url, secret, recipient } = await requireWebhook(db, params)
  return (
    body.kind !== kind ||
    (body.recipient ?? '') !== recipient ||
    ![url, ''].includes(body.url ?? '') ||
    ![secret, ''].includes(body.secret ?? '')
  )
}

export async function removeWebhook(
  { db, note }: StoreContext,
  { params }: Incoming,
): Promise<Answer<DeleteWebhookAnswer>> {
  const { webhook_id, title } = await requireWebhook(db, params)
  note.target('webhook', webhook_id)
  await db.transaction().execute((transaction) => deleteWebhook(transaction, webhook_id))
  note.operation(`Removed the target "${title}"`)
  return ok({ deleted: true, webhook_id })
}

/** Throws 404 if there is none. */
export async function requireWebhook(db: ReadDb, params: Incoming['params']): Promise<Webhook> {
  const id = params['id']
  const webhook = id === undefined ? null : await findWebhook(db, id)
  if (!webhook) throw new Refusal('NOT_FOUND', message('notice.not_found', { webhook_id: id ?? '' }))
  return webhook
}

/** The answer to a change. It has the secret only if that is new: a sent or stored one is known to its users. */
const changed = (webhook: Webhook, known: string | undefined): ChangeWebhookAnswer => ({
  ...webhookView(webhook),
  secret: webhook.kind === 'json' && webhook.secret !== known ? webhook.secret : null,
})

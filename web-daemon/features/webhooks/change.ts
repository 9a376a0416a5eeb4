// Adds, replaces and removes a target of notifications.
import type { ChangeWebhookAnswer, DeleteWebhookAnswer, WebhookBody } from '@panel/shared/api/webhooks.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, ReadDb, StoreContext } from '../../platform/context.ts'
import { created, ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import { openCredentials, sealCredentials, type Credentials } from './credentials.ts'
import { draftWebhook } from './draft.ts'
import type { Outbox } from './outbox.ts'
import { deleteWebhook, findWebhook, insertWebhook, updateWebhook, type Webhook } from './store.ts'
import { webhookView } from './view.ts'

export function createWebhook(box: SecretBox) {
  return async (
    { db, note, settings }: StoreContext,
    { body, problems }: Incoming<WebhookBody>,
  ): Promise<Answer<ChangeWebhookAnswer>> => {
    const allowPrivate = settings.get('webhooks.allow_private')
    const { url, secret, ...draft } = draftWebhook(body, problems, { allowPrivate, stored: null })
    const webhook_id = await insertWebhook(db, { ...draft, ...sealCredentials(box, { url, secret }) })
    note.target('webhook', webhook_id)
    note.operation(`Added the target "${draft.title}" (${draft.kind})`)
    return created(changed(box, await requireWebhook(db, { id: webhook_id }), secret, [body.secret]))
  }
}

export function replaceWebhook(box: SecretBox, outbox: Pick<Outbox, 'kick'>) {
  return async (
    { db, note, settings }: StoreContext,
    { params, body, problems }: Incoming<WebhookBody>,
  ): Promise<Answer<ChangeWebhookAnswer>> => {
    const webhook = await requireWebhook(db, params)
    note.target('webhook', webhook.webhook_id)
    const credentials = openCredentials(box, webhook)
    const allowPrivate = settings.get('webhooks.allow_private')
    const stored = { webhook, credentials }
    const { url, secret, ...draft } = draftWebhook(body, problems, { allowPrivate, stored })
    const isElsewhere = differs(webhook, credentials, { ...draft, url, secret })
    await updateWebhook(db, webhook.webhook_id, { ...draft, ...sealCredentials(box, { url, secret }) }, isElsewhere)
    note.operation(`Replaced the target "${webhook.title}"`)
    note.rename(webhook.title, draft.title)
    outbox.kick()
    return ok(changed(box, await requireWebhook(db, params), secret, [body.secret, credentials?.secret]))
  }
}

/** Whether a replaced target has another receiver or another secret; what is absent stays. */
export function leadsElsewhere(box: SecretBox) {
  return async ({ db }: ReadContext, { params, body }: Incoming<WebhookBody>): Promise<boolean> => {
    const webhook = await requireWebhook(db, params)
    const credentials = openCredentials(box, webhook)
    const { url, secret } = credentials ?? UNREADABLE
    return differs(webhook, credentials, {
      kind: body.kind,
      recipient: body.recipient ?? '',
      url: body.url || url,
      secret: body.secret || secret,
    })
  }
}

type Receiver = Pick<Webhook, 'kind' | 'recipient'> & Credentials

const differs = (webhook: Webhook, credentials: Credentials | null, wanted: Receiver): boolean => {
  const { url, secret } = credentials ?? UNREADABLE
  return (
    wanted.kind !== webhook.kind ||
    wanted.recipient !== webhook.recipient ||
    wanted.url !== url ||
    wanted.secret !== secret
  )
}

/** Whatever is sent in its place is another one. */
const UNREADABLE: Credentials = { url: '', secret: '' }

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
function changed(
  box: SecretBox,
  webhook: Webhook,
  secret: string,
  known: readonly (string | undefined)[],
): ChangeWebhookAnswer {
  const isNew = webhook.kind === 'json' && !known.includes(secret)
  return { ...webhookView(box, webhook), secret: isNew ? secret : null }
}

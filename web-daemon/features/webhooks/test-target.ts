// Sends a test, past the outbox: the operator waits for what becomes of it, be the target stored yet or not.
import { randomUUID } from 'node:crypto'
import type { TestWebhookAnswer, WebhookBody } from '@panel/shared/api/webhooks.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { requireWebhook } from './change.ts'
import { sealCredentials } from './credentials.ts'
import { draftWebhook } from './draft.ts'
import { SendError } from './send/address.ts'
import { send, type SendDeps } from './send/send.ts'
import { markSent, type NewWebhook } from './store.ts'

export function testWebhook(deps: Pick<SendDeps, 'resolve' | 'box' | 'backupFile'>) {
  return async (
    { db, note, settings, now }: StoreContext,
    { params }: Incoming,
  ): Promise<Answer<TestWebhookAnswer>> => {
    const target = await requireWebhook(db, params)
    note.target('webhook', target.webhook_id)
    const failure = await sendTest(target, { ...deps, settings, now })
    await markSent(db, target.webhook_id, failure, now().toISOString())
    return answerOf(note, failure)
  }
}

/** Stores nothing. */
export function testNewWebhook(deps: Pick<SendDeps, 'resolve' | 'box' | 'backupFile'>) {
  return async (
    { note, settings, now }: StoreContext,
    { body, problems }: Incoming<WebhookBody>,
  ): Promise<Answer<TestWebhookAnswer>> => {
    const allowPrivate = settings.get('webhooks.allow_private')
    const { url, secret, ...draft } = draftWebhook(body, problems, { allowPrivate, stored: null })
    const target = { ...draft, ...sealCredentials(deps.box, { url, secret }) }
    return answerOf(note, await sendTest(target, { ...deps, settings, now }))
  }
}

const sendTest = (target: NewWebhook, deps: SendDeps): Promise<Message | null> =>
  send(
    target,
    {
      kind: 'test',
      severity: 'info',
      level: 0,
      subject: { type: 'test', id: null, name: '' },
      text: message('notice.test'),
      event_id: randomUUID(),
      at: deps.now().toISOString(),
    },
    deps,
  ).then(() => null, sentenceOf)

function answerOf(note: StoreContext['note'], failure: Message | null): Answer<TestWebhookAnswer> {
  note.operation(failure ? `Not delivered: ${failure.message}` : 'Delivered')
  return ok({ ok: failure === null, ...messageFields('detail', failure ?? message('notice.delivered')) })
}

function sentenceOf(failure: unknown): Message {
  if (failure instanceof SendError) return failure.sentence
  throw failure
}

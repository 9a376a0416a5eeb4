// Sends a test, past the outbox: the operator waits for what becomes of it.
import { randomUUID } from 'node:crypto'
import type { TestWebhookAnswer } from '@panel/shared/api/webhooks.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { requireWebhook } from './change.ts'
import { SendError } from './send/address.ts'
import { send, type SendDeps } from './send/send.ts'
import { markSent } from './store.ts'

export function testWebhook(deps: Pick<SendDeps, 'resolve' | 'box'>) {
  return async (
    { db, note, settings, now }: StoreContext,
    { params }: Incoming,
  ): Promise<Answer<TestWebhookAnswer>> => {
    const target = await requireWebhook(db, params)
    note.target('webhook', target.webhook_id)
    const failure = await send(
      target,
      {
        kind: 'test',
        severity: 'info',
        level: 0,
        subject: { type: 'test', id: null, name: '' },
        text: message('notice.test'),
        event_id: randomUUID(),
        at: now().toISOString(),
      },
      { ...deps, settings, now },
    ).then(() => null, sentenceOf)
    await markSent(db, target.webhook_id, failure, now().toISOString())
    note.operation(failure ? `Not delivered: ${failure.message}` : 'Delivered')
    return ok({ ok: failure === null, ...messageFields('detail', failure ?? message('notice.delivered')) })
  }
}

function sentenceOf(failure: unknown): Message {
  if (failure instanceof SendError) return failure.sentence
  throw failure
}

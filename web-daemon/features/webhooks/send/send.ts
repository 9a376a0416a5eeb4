// Sends one notice to one target, in its language and as it wants it.
import type { SettingsReader } from '../../../platform/settings.ts'
import { languageOf, textsOf } from '../language/texts.ts'
import type { SentNotice } from '../notice.ts'
import type { Webhook } from '../store.ts'
import { sendMail } from './email.ts'
import { sendPost, type SendOptions } from './http.ts'
import { requestFor } from './requests.ts'

export interface SendDeps {
  readonly settings: SettingsReader
  readonly now: () => Date
  readonly resolve: SendOptions['resolve']
  readonly timeout_ms?: number
}

/** Throws a SendError unless the receiver has taken it. */
export async function send(target: Webhook, notice: SentNotice, deps: SendDeps): Promise<void> {
  const texts = textsOf(notice, languageOf(target.language, deps.settings), deps.settings)
  const options: SendOptions = {
    allowPrivate: deps.settings.get('webhooks.allow_private'),
    resolve: deps.resolve,
    ...(deps.timeout_ms !== undefined && { timeout_ms: deps.timeout_ms }),
  }
  if (target.kind === 'email')
    return sendMail(target, { id: notice.event_id, subject: texts.title, text: `${texts.text}\n` }, options)
  return sendPost(requestFor(target, notice, texts, deps.now()), options)
}

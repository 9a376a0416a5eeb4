// Sends one notice to one target, in its language and as it wants it.
import { message } from '@panel/shared/messages/message.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import { openCredentials } from '../credentials.ts'
import { languageOf, textsOf } from '../language/texts.ts'
import type { NoticeFile, SentNotice } from '../notice.ts'
import type { NewWebhook } from '../store.ts'
import { SendError } from './address.ts'
import { sendMail } from './email.ts'
import { sendPost, type SendOptions } from './http.ts'
import { requestFor } from './requests.ts'

export interface SendDeps {
  readonly settings: SettingsReader
  /** Holds the addresses and secrets of targets. */
  readonly box: SecretBox
  readonly now: () => Date
  readonly resolve: SendOptions['resolve']
  /** The newest backup, for notices of that kind. */
  readonly backupFile: () => Promise<NoticeFile | null>
  readonly timeout_ms?: number
}

/** Throws a SendError unless the receiver has taken it. */
export async function send(webhook: NewWebhook, about: SentNotice, deps: SendDeps): Promise<void> {
  const credentials = openCredentials(deps.box, webhook)
  if (!credentials) throw new SendError(message('notice.unreadable'))
  const target = { ...webhook, ...credentials }
  const file = about.kind === 'backup' ? await deps.backupFile() : null
  const notice = file ? { ...about, file } : about
  const texts = textsOf(notice, languageOf(target.language, deps.settings), deps.settings)
  const options: SendOptions = {
    allowPrivate: deps.settings.get('webhooks.allow_private'),
    resolve: deps.resolve,
    ...(deps.timeout_ms !== undefined && { timeout_ms: deps.timeout_ms }),
  }
  if (target.kind === 'email')
    return sendMail(target, { id: notice.event_id, subject: texts.title, text: `${texts.text}\n`, file }, options)
  return sendPost(requestFor(target, notice, texts, deps.now()), options)
}

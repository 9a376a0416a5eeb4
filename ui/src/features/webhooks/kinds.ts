// The lists of the API, as the form shows them: the page takes no schema along.
import type { NoticeKind, NoticeLanguage, WebhookKind } from '@panel/shared/api/webhooks.ts'

/** Every member of the union, or it does not compile. */
const all = <T extends string>(members: Readonly<Record<T, true>>): readonly T[] => Object.keys(members) as T[]

export const WEBHOOK_KINDS = all<WebhookKind>({
  email: true,
  telegram: true,
  ntfy: true,
  slack: true,
  discord: true,
  json: true,
})

export const NOTICE_KINDS = all<NoticeKind>({
  tunnel_state: true,
  route_health: true,
  destination: true,
  drift: true,
  heal_contested: true,
  safe_apply_ended: true,
  sign_in_failed: true,
  sign_in_new_network: true,
  certificate: true,
  disk: true,
  helper_away: true,
  backup: true,
  backup_failed: true,
})

/** A backup is a file, which chats do not take. */
export const noticesFor = (kind: WebhookKind): readonly NoticeKind[] =>
  kind === 'email' || kind === 'json' ? NOTICE_KINDS : NOTICE_KINDS.filter((one) => one !== 'backup')

export const NOTICE_LANGUAGES = all<NoticeLanguage>({ en: true, fa: true, ru: true, 'zh-CN': true })

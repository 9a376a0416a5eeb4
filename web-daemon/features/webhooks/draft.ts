// A target as a request describes it: complete, or refused with every problem.
import { randomBytes } from 'node:crypto'
import type { WebhookBody, WebhookKind } from '@panel/shared/api/webhooks.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { addressOf, type Credentials } from './credentials.ts'
import type { NewWebhook, Webhook } from './store.ts'

const DEFAULT_COOL_DOWN_S = 300
const TELEGRAM = 'https://api.telegram.org/'
const SECRET_LEAST_BYTES = 24

type Draft = Omit<NewWebhook, 'address' | 'has_secret' | 'sealed'> & Credentials

/** The target that is replaced. */
export interface Stored {
  readonly webhook: Webhook
  /** Null if they cannot be read. */
  readonly credentials: Credentials | null
}

interface Given {
  readonly allowPrivate: boolean
  /** The address and the secret of this one stay if the request has none. */
  readonly stored: Stored | null
}

export function draftWebhook(body: Partial<WebhookBody>, problems: Problems, { allowPrivate, stored }: Given): Draft {
  const kind = body.kind ?? 'json'
  const kept = stored?.webhook.kind === kind ? stored : null
  if (kept) checkReadable(kept, body, problems)
  const draft: Draft = {
    title: body.title ?? '',
    kind,
    url: body.url || kept?.credentials?.url || (kind === 'telegram' ? TELEGRAM : ''),
    secret: body.secret || kept?.credentials?.secret || (kind === 'json' ? generated() : ''),
    username: body.username ?? '',
    sender: body.sender ?? '',
    recipient: body.recipient ?? '',
    events: body.events ?? [],
    language: body.language ?? null,
    cool_down_seconds: body.cool_down_seconds ?? DEFAULT_COOL_DOWN_S,
    is_enabled: body.is_enabled ?? true,
  }
  checkUrl(draft, problems, allowPrivate)
  checkNeeded(draft, problems)
  checkEvents(draft, problems)
  if (kept && !body.secret) checkKeptSecret(kept.webhook, draft, problems)
  if (kind === 'json' && !isSigningSecret(draft.secret) && !problems.has('secret'))
    problems.add('secret', 'INVALID_VALUE', message('notice.secret_form', { field: 'secret' }))
  problems.throwIfAny()
  return draft
}

const generated = (): string => `whsec_${randomBytes(32).toString('base64')}`

const isSigningSecret = (secret: string): boolean =>
  /^whsec_[A-Za-z0-9+/]+=*$/.test(secret) && Buffer.from(secret.slice(6), 'base64').length >= SECRET_LEAST_BYTES

/** What cannot be read does not stay. The usual address of its kind is no secret, so it need not be sent. */
function checkReadable({ webhook, credentials }: Stored, body: Partial<WebhookBody>, problems: Problems): void {
  if (credentials) return
  const isUsual = webhook.kind === 'telegram' && webhook.address === addressOf(TELEGRAM)
  const again = [...(isUsual ? [] : ['url' as const]), ...(webhook.has_secret ? ['secret' as const] : [])]
  for (const field of again)
    if (!body[field] && !problems.has(field))
      problems.add(field, 'INVALID_VALUE', message('notice.unreadable_field', { field }))
}

/** A kept secret goes to no other receiver than the one that it was given for. */
function checkKeptSecret(kept: Webhook, { url }: Draft, problems: Problems): void {
  if (!kept.has_secret || problems.has('url') || problems.has('secret') || addressOf(url) === kept.address) return
  problems.add('secret', 'INVALID_VALUE', message('notice.secret_again', { field: 'secret' }))
}

const NEEDED: Readonly<Record<WebhookKind, readonly ('url' | 'secret' | 'sender' | 'recipient')[]>> = {
  json: ['url'],
  ntfy: ['url'],
  telegram: ['secret', 'recipient'],
  slack: ['url'],
  discord: ['url'],
  email: ['url', 'sender', 'recipient'],
}

function checkNeeded(draft: Draft, problems: Problems): void {
  for (const field of NEEDED[draft.kind])
    if (draft[field] === '' && !problems.has(field))
      problems.add(field, 'INVALID_VALUE', message('notice.needed', { field, kind: draft.kind }))
}

const TAKE_FILES: readonly WebhookKind[] = ['json', 'email']

function checkEvents({ kind, events }: Draft, problems: Problems): void {
  if (!events.includes('backup') || TAKE_FILES.includes(kind) || problems.has('events')) return
  problems.add('events', 'INVALID_VALUE', message('notice.no_file', { field: 'events', kind }))
}

function checkUrl({ kind, url }: Draft, problems: Problems, allowPrivate: boolean): void {
  if (url === '' || problems.has('url')) return
  const protocols = kind === 'email' ? ['smtp:', 'smtps:'] : allowPrivate ? ['https:', 'http:'] : ['https:']
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isFine =
    parsed && protocols.includes(parsed.protocol) && parsed.hostname !== '' && parsed.username + parsed.password === ''
  const example = kind === 'email' ? 'smtp://mail.example.net:587' : 'https://hooks.example.net/panel'
  if (kind !== 'email' && parsed?.protocol === 'http:' && !allowPrivate)
    problems.add('url', 'INVALID_VALUE', message('notice.url_https', { field: 'url' }))
  else if (!isFine) problems.add('url', 'INVALID_VALUE', message('notice.url_form', { field: 'url', example }))
}

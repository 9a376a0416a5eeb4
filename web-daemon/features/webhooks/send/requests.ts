// The same notice as each kind of receiver wants it. JSON is signed as Standard Webhooks says.
import { createHmac } from 'node:crypto'
import type { WebhookKind } from '@panel/shared/api/webhooks.ts'
import type { SentNotice } from '../notice.ts'
import type { Receiver } from '../credentials.ts'
import type { Post } from './http.ts'

/** In the language of the target. */
export interface Texts {
  readonly title: string
  readonly text: string
  readonly server: string
}

const BODY_MAX_BYTES = 16 * 1024
/** A subject has a title of at most 100 characters, in any script. */
const SUBJECTS_MAX = 10
const PARAMS_MAX_BYTES = BODY_MAX_BYTES / 2
const JSON_TYPE = { 'Content-Type': 'application/json' }
/** The limit for text: the longest is foreign text within ours. */
const TEXT_MAX = 3000

type Format = (target: Receiver, notice: SentNotice, texts: Texts, now: Date) => Omit<Post, 'url'> & { url?: URL }

const FORMATS: Readonly<Record<Exclude<WebhookKind, 'email'>, Format>> = {
  json: (target, notice, texts, now) => {
    const body = JSON.stringify(payload(notice, texts))
    return { body, headers: { ...JSON_TYPE, ...signature(target.secret, notice.event_id, now, body) } }
  },
  ntfy: ({ secret }, { severity }, { title, text }) => ({
    body: text,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      Title: encodedWord(title),
      Priority: severity === 'problem' ? 'high' : 'default',
      Tags: TAGS[severity],
      ...(secret !== '' && { Authorization: `Bearer ${secret}` }),
    },
  }),
  telegram: ({ url, secret, recipient }, _notice, { title, text }) => ({
    url: new URL(`./bot${secret}/sendMessage`, url.endsWith('/') ? url : `${url}/`),
    body: JSON.stringify({ chat_id: recipient, text: `${title}\n${text}`, disable_web_page_preview: true }),
    headers: JSON_TYPE,
  }),
  slack: (_target, _notice, { title, text }) => ({
    body: JSON.stringify({ text: `*${escapeSlack(title)}*\n${escapeSlack(text)}` }),
    headers: JSON_TYPE,
  }),
  discord: (_target, _notice, { title, text }) => ({
    body: JSON.stringify({ content: `**${title}**\n${text}`.slice(0, 2000), allowed_mentions: { parse: [] } }),
    headers: JSON_TYPE,
  }),
}

const TAGS = { problem: 'rotating_light', resolved: 'white_check_mark', info: 'information_source' } as const

export function requestFor(target: Receiver, notice: SentNotice, texts: Texts, now: Date): Post {
  if (target.kind === 'email') throw new Error('A mail is no request')
  const format = FORMATS[target.kind]
  const most = BODY_MAX_BYTES + Buffer.byteLength(JSON.stringify(fileOf(notice)))
  // What a text takes depends on its language and on what its format escapes, so it is shortened until it fits.
  for (let length = TEXT_MAX; length > 0; length = Math.floor(length / 2)) {
    const cut = { ...texts, text: texts.text.slice(0, length) }
    const { url = new URL(target.url), ...request } = format(target, notice, cut, now)
    if (Buffer.byteLength(request.body) <= most) return { url, ...request }
  }
  throw new Error('A notification is too long')
}

function payload(notice: SentNotice, { server, text }: Texts) {
  const { kind, severity, subject, subjects = [subject], at } = notice
  const { message_id, params } = notice.text
  const named = subjects.slice(0, SUBJECTS_MAX)
  return {
    type: kind,
    timestamp: at,
    data: { severity, subject, subjects: named, server, text, message_id, params: short(params), ...fileOf(notice) },
  }
}

/** A text file: its content is Base64 below a few lines of text. */
const fileOf = ({ file }: SentNotice) => (file ? { file: { name: file.name, content: file.text } } : {})

/** What words are made from elsewhere is left out where it is long. */
const short = (params: SentNotice['text']['params']) =>
  Buffer.byteLength(JSON.stringify(params)) > PARAMS_MAX_BYTES ? {} : params

/** https://www.standardwebhooks.com: the id, the time of the try, and an HMAC over both and the body. */
function signature(secret: string, id: string, now: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` }
}

/** A header is ASCII (RFC 2047, which ntfy reads). */
const encodedWord = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`

const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

// Sends one POST: ten seconds, one redirect to the same host, and no more of the answer than a kilobyte.
import { request as overHttp, type IncomingMessage } from 'node:http'
import { request as overTls } from 'node:https'
import { message } from '@panel/shared/messages/message.ts'
import { checkedLookup, refuseInside, SendError, unresolved, type ResolveAll } from './address.ts'
import { certificateRefusal } from './certificate.ts'

export const TIMEOUT_MS = 10_000
/** A larger answer is cut off; only the status counts. */
const READ_MAX_BYTES = 1024

export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface SendOptions {
  readonly allowPrivate: boolean
  readonly resolve: ResolveAll
  readonly timeout_ms?: number
}

/** Resolves once the receiver has taken it; throws a SendError otherwise. */
export async function sendPost(post: Post, options: SendOptions): Promise<void> {
  const signal = AbortSignal.timeout(options.timeout_ms ?? TIMEOUT_MS)
  const first = await attempt(post, options, signal)
  if (first.location === null) return settle(first.status)
  const url = nextUrl(post.url, first.location)
  if (!url) throw new SendError(message('notice.redirect'))
  const second = await attempt({ ...post, url }, options, signal)
  if (second.location !== null) throw new SendError(message('notice.redirect'))
  settle(second.status)
}

interface Answered {
  readonly status: number
  readonly location: string | null
}

function settle(status: number): void {
  if (status < 200 || status >= 300) throw new SendError(message('notice.status', { status: String(status) }))
}

/** The same host and port, and never from TLS to plain HTTP. */
function nextUrl(from: URL, location: string): URL | null {
  if (!URL.canParse(location, from.href)) return null
  const to = new URL(location, from.href)
  return to.host === from.host && to.protocol === from.protocol && to.username === '' ? to : null
}

function attempt(post: Post, options: SendOptions, signal: AbortSignal): Promise<Answered> {
  const { url, headers, body } = post
  refuseInside(url.hostname, options.allowPrivate)
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(asSendError(url, error, signal, options))
    const sent = (url.protocol === 'https:' ? overTls : overHttp)(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)), 'User-Agent': 'Tunnel-Panel' },
        lookup: checkedLookup(url.hostname, options),
        agent: false,
        signal,
      },
      (answer) => readSome(answer, fail, () => resolve(answeredOf(answer))),
    )
    sent.on('error', fail)
    sent.end(body)
  })
}

/** Until its end, or until there is too much of it. */
function readSome(answer: IncomingMessage, fail: (error: Error) => void, done: () => void): void {
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= READ_MAX_BYTES) return
    done()
    answer.destroy()
  })
  answer.on('end', done)
  answer.on('error', fail)
}

const answeredOf = ({ statusCode = 0, headers: { location } }: IncomingMessage): Answered => ({
  status: statusCode,
  location: [301, 302, 307, 308].includes(statusCode) ? (location ?? '') : null,
})

function asSendError(
  { hostname }: URL,
  error: NodeJS.ErrnoException,
  signal: AbortSignal,
  { timeout_ms = TIMEOUT_MS }: SendOptions,
): SendError {
  if (error instanceof SendError) return error
  if (signal.aborted) return new SendError(message('notice.timeout', { seconds: timeout_ms / 1000 }))
  const code = error.code ?? 'unknown'
  if (error.syscall === 'getaddrinfo' || code === 'ENOTFOUND') return unresolved(hostname, code)
  return new SendError(certificateRefusal(hostname, code) ?? message('notice.unreachable', { error: code }))
}

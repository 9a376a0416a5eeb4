// Sends one request of the command line: on this host signed by the daemon's key, elsewhere with an API token.
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { text as read } from 'node:stream/consumers'
import { CommandError } from '../errors.ts'
import type { Call } from './arguments.ts'

export interface Target {
  /** The address with the web path, ending in a slash. */
  readonly url: string
  readonly authorize: (method: string, path: string, body: string) => string
  /** On this host the certificate need not be valid for the address that is used. */
  readonly isLocal: boolean
}

const ANSWER_WITHIN_MS = 90_000

/** Reads the token from the environment or a file: every user can read the arguments of a program. */
export function readToken(file: string | null, env: NodeJS.ProcessEnv): string {
  const path = file ?? env['PANEL_TOKEN_FILE']
  const text = path === undefined ? (env['PANEL_TOKEN'] ?? '') : readTokenFile(path)
  if (text.trim() === '')
    throw new CommandError(
      'A panel elsewhere takes an API token: in --token-file FILE, PANEL_TOKEN_FILE or PANEL_TOKEN.',
      2,
    )
  return text.trim()
}

/** Other users of this host could read the token in a file of any other mode. What is no file, as a pipe, has no mode. */
function readTokenFile(path: string): string {
  const file = openSync(path, 'r')
  try {
    const found = fstatSync(file)
    if (found.isFile() && (found.mode & 0o077) !== 0)
      throw new CommandError(`Other users may read the token in ${path}: chmod 600 ${path}`, 2)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** A token that is sent in the clear belongs to everyone on the path. */
export function refusePlainHttp({ protocol, hostname, origin }: URL): void {
  if (protocol === 'https:') return
  if (protocol !== 'http:') throw new CommandError(`${origin} is no address of a panel: it begins with https://.`, 2)
  if (hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)) return
  throw new CommandError(
    `The token would cross the network in the clear: use https://. Over plain http it is sent to this host alone, as through ssh -L.`,
    2,
  )
}

/** `within_ms`: until the whole answer is there. */
export async function send(
  target: Target,
  { method, path, body }: Call,
  within_ms = ANSWER_WITHIN_MS,
): Promise<unknown> {
  const url = new URL(`api/v1${path}`, target.url)
  const payload = method === 'GET' ? '' : JSON.stringify(body)
  const headers = {
    Authorization: target.authorize(method, url.pathname + url.search, payload),
    ...(method === 'GET' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
  }
  const { status, text, location } = await exchange(url, {
    method,
    headers,
    payload,
    isLocal: target.isLocal,
    within_ms,
  })
  if (status >= 300 && status < 400)
    throw new CommandError(
      `The panel at ${url.origin} refers to ${location}, where the token is not sent: name that address with --panel.`,
      5,
    )
  const answer = parse(text, url)
  if (status >= 200 && status < 300) return answer
  throw refusal(status, answer)
}

interface Sending {
  readonly method: string
  readonly headers: Record<string, string | number>
  readonly payload: string
  readonly isLocal: boolean
  readonly within_ms: number
}

const exchange = (
  url: URL,
  { method, headers, payload, isLocal, within_ms }: Sending,
): Promise<{ status: number; text: string; location: string }> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? overHttps : overHttp
    const signal = AbortSignal.timeout(within_ms)
    const failed = (failure: NodeJS.ErrnoException): void => {
      const why = signal.aborted ? `no answer within ${within_ms / 1000} s` : (failure.code ?? failure.message)
      reject(new CommandError(`The panel does not answer at ${url.origin} (${why}).`, 5))
    }
    const options = { method, headers, signal, ...(isLocal && { rejectUnauthorized: false }) }
    request(url, options, (answer) => {
      // One that breaks off fails as one that never comes.
      const { statusCode: status = 0, headers: found } = answer
      read(answer).then((text) => resolve({ status, text, location: found.location ?? 'another address' }), failed)
    })
      .once('error', failed)
      .end(payload)
  })

const parse = (text: string, url: URL): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`Something other than the panel answers at ${url.origin}${url.pathname}.`, 5)
  }
}

interface Envelope {
  readonly error?: {
    readonly message: string
    readonly field: string
    readonly details: { fields?: { field: string; message: string }[] }
  }
}

/** What the panel has refused, with its fields. */
export class RefusedError extends CommandError {
  readonly fields: readonly { readonly field: string; readonly message: string }[]

  constructor(message: string, exitCode: CommandError['exitCode'], fields: RefusedError['fields']) {
    super(message, exitCode)
    this.fields = fields
  }
}

/** 3: not allowed, 4: there is no such thing, 1: anything else that was refused. */
const refusal = (status: number, answer: unknown): RefusedError => {
  const { error } = answer as Envelope
  const fields = error?.details.fields ?? []
  const lines = fields.map(({ field, message }) => `\n  ${field}: ${message}`).join('')
  const code = status === 401 || status === 403 ? 3 : status === 404 ? 4 : 1
  return new RefusedError(`${error?.message ?? `The panel answered ${status}`}${lines}`, code, fields)
}

// A small HTTP client with a cookie jar, which sends the CSRF cookie back as the header, as a browser's page does. Over
// TLS it takes any certificate.
import { request as overHttp, type Agent, type IncomingHttpHeaders } from 'node:http'
import { request as overTls } from 'node:https'
import type { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'

export interface Reply<B = Record<string, unknown>> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Header names and values as they came over the wire. */
  readonly rawHeaders: readonly string[]
  readonly text: string
  /** The body as JSON. */
  readonly body: B
  readonly error: ErrorEnvelope['error']
}

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, in the place of JSON. */
  readonly raw?: string | Uint8Array
  /** Without a Content-Length. */
  readonly isChunked?: boolean
  /** Whether the CSRF header goes along; true by default. */
  readonly csrf?: boolean
  /** The address of this host that the connection comes from. */
  readonly from?: string
  /** The client goes away. */
  readonly signal?: AbortSignal
  /** Keeps connections; without it each request makes one of its own. */
  readonly agent?: Agent
}

/** Checks every answer, and throws if it is not what the API description says. `target` is the requested path. */
export interface AnswerCheck {
  readonly answer: (method: string, target: string, reply: Pick<Reply, 'status' | 'headers' | 'text'>) => void
  readonly event: (method: string, target: string, name: string, data: unknown) => void
}

const UNCHECKED: AnswerCheck = { answer: () => undefined, event: () => undefined }

export class Client {
  /** Ends in a slash. */
  readonly base: string
  readonly cookies = new Map<string, string>()

  readonly check: AnswerCheck

  constructor(base: string, check: AnswerCheck = UNCHECKED) {
    this.base = base
    this.check = check
  }

  get = <B = Record<string, unknown>>(path: string, sending?: Sending): Promise<Reply<B>> =>
    this.api('GET', path, undefined, sending)
  post = <B = Record<string, unknown>>(path: string, body?: unknown, sending?: Sending): Promise<Reply<B>> =>
    this.api('POST', path, body, sending)
  put = <B = Record<string, unknown>>(path: string, body?: unknown, sending?: Sending): Promise<Reply<B>> =>
    this.api('PUT', path, body, sending)
  patch = <B = Record<string, unknown>>(path: string, body?: unknown, sending?: Sending): Promise<Reply<B>> =>
    this.api('PATCH', path, body, sending)
  delete = <B = Record<string, unknown>>(path: string, body?: unknown, sending?: Sending): Promise<Reply<B>> =>
    this.api('DELETE', path, body, sending)

  /** `path` is relative to {api}. */
  api<B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    sending: Sending = {},
  ): Promise<Reply<B>> {
    return this.raw(method, `${new URL(this.base).pathname}api/v1${path}`, body, sending)
  }

  /** `target` is the request target exactly as it goes over the wire. */
  raw<B = Record<string, unknown>>(
    method: string,
    target: string,
    body?: unknown,
    sending: Sending = {},
  ): Promise<Reply<B>> {
    const payload = sending.raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const { protocol, hostname, port } = new URL(this.base)
    const request = protocol === 'https:' ? overTls : overHttp
    const headers = { ...this.#headers(method, payload, sending), ...sending.headers }
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
          port,
          method,
          path: target,
          headers,
          agent: sending.agent ?? false,
          rejectUnauthorized: false,
          ...(sending.from ? { localAddress: sending.from } : {}),
          ...(sending.signal && { signal: sending.signal }),
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            this.#keep(response.headers['set-cookie'] ?? [])
            const reply = replyOf<B>(
              response.statusCode ?? 0,
              response.headers,
              response.rawHeaders,
              Buffer.concat(chunks).toString(),
            )
            try {
              this.check.answer(method, target, reply)
              resolve(reply)
            } catch (violation) {
              reject(violation as Error)
            }
          })
        },
      )
      sent.on('error', reject)
      sent.end(payload)
    })
  }

  #headers(method: string, payload: string | Uint8Array | undefined, sending: Sending): Record<string, string> {
    const jar = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const csrf = this.cookies.get('panel_csrf')
    return {
      ...(jar === '' ? {} : { Cookie: jar }),
      ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(payload === undefined || sending.isChunked === true
        ? {}
        : { 'Content-Length': String(Buffer.byteLength(payload)) }),
      ...(csrf !== undefined && method !== 'GET' && sending.csrf !== false ? { 'X-CSRF-Token': csrf } : {}),
    }
  }

  #keep(instructions: readonly string[]): void {
    for (const instruction of instructions) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(instruction) ?? []
      if (/Max-Age=0(;|$)/.test(instruction)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

const replyOf = <B>(
  status: number,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  text: string,
): Reply<B> => ({
  status,
  headers,
  rawHeaders,
  text,
  get body() {
    return JSON.parse(text) as B
  },
  get error() {
    return (JSON.parse(text) as ErrorEnvelope).error
  },
})

// A signed-in operator on one connection that is kept, as a browser's is; an answer other than the expected one is an
// error.
import { Agent, request } from 'node:http'

export const OPERATOR = { username: 'operator', password: 'correct horse battery' }

interface Reply {
  readonly status: number
  readonly bytes: Buffer
  /** The time from the call to the last byte of the body. */
  readonly ms: number
}

export interface Answered<B> extends Reply {
  readonly body: B
}

export class Http {
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #cookies = new Map<string, string>()

  private constructor(url: string) {
    this.#url = url
  }

  /** Sets the panel up, or signs in where that has been done. */
  static async operator(url: string): Promise<Http> {
    const http = new Http(url)
    const first = await http.#send('POST', '/auth/setup', OPERATOR)
    if (first.status !== 201) await http.expect(200, 'POST', '/auth/login', OPERATOR)
    return http
  }

  /** Reading the JSON is not part of the time. */
  async expect<B>(status: number, method: string, path: string, body?: object): Promise<Answered<B>> {
    const reply = await this.#send(method, path, body)
    if (reply.status !== status)
      throw new Error(
        `${method} ${path} answered ${reply.status} where ${status} is due: ${reply.bytes.toString().slice(0, 2000)}`,
      )
    return { ...reply, body: JSON.parse(reply.bytes.toString()) as B }
  }

  #send(method: string, path: string, body?: object): Promise<Reply> {
    const started = performance.now()
    const payload = body === undefined ? '' : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#url}/api/v1${path}`,
        { method, agent: this.#agent, headers: this.#headers(payload) },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
          response.on('end', () => {
            const ms = performance.now() - started
            for (const cookie of response.headers['set-cookie'] ?? []) this.#keep(cookie)
            resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks), ms })
          })
        },
      )
      sent.on('error', reject).end(payload)
    })
  }

  #headers(payload: string): Record<string, string> {
    const jar = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return {
      Cookie: jar,
      'X-CSRF-Token': this.#cookies.get('panel_csrf') ?? '',
      ...(payload && { 'Content-Type': 'application/json', 'Content-Length': `${Buffer.byteLength(payload)}` }),
    }
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    this.#cookies.set(name, value)
  }
}

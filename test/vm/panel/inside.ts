// A client whose only way to the panel is a tunnel of it: curl on the far server, a new connection for each request.
import type { Client } from '../../api/support/client.ts'
import type { Server } from '../lab/index.ts'

export interface Reply<B> {
  /** 0: nobody answered. */
  readonly status: number
  readonly body: B
}

export class Inside {
  readonly #far: Server
  readonly #url: string
  readonly #operator: Client

  /** `operator` has the session; `url` is the panel's address inside the tunnel. */
  constructor(far: Server, url: string, operator: Client) {
    this.#far = far
    this.#url = url
    this.#operator = operator
  }

  async request<B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
    within_seconds = 5,
  ): Promise<Reply<B>> {
    const { cookies } = this.#operator
    const headers = [
      `Cookie: ${[...cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
      `X-CSRF-Token: ${cookies.get('panel_csrf')}`,
      'Content-Type: application/json',
    ]
    const { stdout } = await this.#far.try('curl', [
      ...['-sS', '-m', `${within_seconds}`, '-w', '\\n%{http_code}', '-X', method],
      ...headers.flatMap((header) => ['-H', header]),
      ...(body ? ['-d', JSON.stringify(body)] : []),
      `${this.#url}/api/v1${path}`,
    ])
    const lines = stdout.trimEnd().split('\n')
    const status = Number(lines.pop())
    return { status, body: (status > 0 && lines.length > 0 ? JSON.parse(lines.join('\n')) : {}) as B }
  }

  /** Whether the panel answers. */
  async reaches(): Promise<boolean> {
    return (await this.request('GET', '/auth/me', undefined, 2)).status === 200
  }
}

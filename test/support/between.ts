// A socket between the web daemon and the helper, which passes on what they send, up to the moment of a request at which
// the web daemon is to be killed.
import { chmodSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** Before the helper has the request, or when it has carried it out and its answer is not there yet. */
export type Moment = 'before' | 'after'

export interface Order {
  readonly method: string
  readonly moment: Moment
  readonly kill: () => void
}

export class Between {
  readonly path: string
  readonly #helper: string
  readonly #server = createServer((daemon) => this.#join(daemon))
  #order: Order | null = null

  constructor(path: string, helper: string) {
    this.path = path
    this.#helper = helper
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.path, resolve))
    chmodSync(this.path, 0o666)
  }

  close(): void {
    this.#server.close()
  }

  /** At the next request by this method. Resolves when the daemon is killed. */
  killAt(method: string, moment: Moment, kill: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#order = { method, moment, kill: () => (kill(), resolve()) }
    })
  }

  #join(daemon: Socket): void {
    const helper = connect(this.#helper)
    let awaited: unknown = null
    const lines = (input: Socket, take: (line: string) => void): void =>
      void createInterface({ input })
        .on('line', take)
        .on('error', () => undefined)
    lines(daemon, (line) => {
      const { id, method } = JSON.parse(line) as { id?: unknown; method?: string }
      if (method !== undefined && method === this.#order?.method) {
        if (this.#order.moment === 'before') return this.#carryOut()
        awaited = id
      }
      helper.write(`${line}\n`)
    })
    lines(helper, (line) => {
      if (awaited !== null && (JSON.parse(line) as { id?: unknown }).id === awaited) this.#carryOut()
      else daemon.write(`${line}\n`)
    })
    for (const [one, other] of [
      [daemon, helper],
      [helper, daemon],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy())
  }

  #carryOut(): void {
    this.#order?.kill()
    this.#order = null
  }
}

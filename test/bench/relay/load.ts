// Traffic: load.c, compiled here, one process of it at the server and one at the client for each thing that is
// measured.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Namespace } from '../host/namespace.ts'
import { SERVER_PORT } from './rules.ts'
import type { Stage } from './stage.ts'

export type Kind = 'connections' | 'datagrams' | 'stream' | 'round_trips'

/**
 * What one window saw. `done` is what the server answered or counted in it; `had`, of datagrams, is what it counted of
 * all that were `sent`; `opening` is what it counted before, of the datagrams that ask it for an answer.
 */
export interface Seen {
  readonly done: number
  readonly sent: number
  readonly had: number
  readonly failed: number
  readonly opening: number
  readonly ms: number
  /**
   * Processor time of all that carry the traffic: both ends and a relay in user space, and what the kernel books to
   * them.
   */
  readonly used_ms: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly slowest_ms: number
}

export interface Place {
  readonly address: string
  readonly port: number
}

export class Load {
  readonly #program: string
  readonly #counts: string
  readonly #client: Namespace

  private constructor(folder: string, client: Namespace) {
    this.#program = join(folder, 'load')
    this.#counts = join(folder, 'counts')
    this.#client = client
  }

  static async open(folder: string, { client, server }: Stage): Promise<Load> {
    const load = new Load(folder, client)
    await promisify(execFile)('cc', ['-O2', '-o', load.#program, fileURLToPath(new URL('load.c', import.meta.url))])
    await server.start([load.#program, 'server', load.#counts, String(SERVER_PORT)], {}, /serving/)
    return load
  }

  /** New connections or datagrams so many a second; 0: as many as go. */
  async measure(kind: Kind, { address, port }: Place, ms: number, aSecond = 0): Promise<Seen> {
    return JSON.parse(
      await this.#client.run([this.#program, kind, this.#counts, String(port), address, String(ms), String(aSecond)]),
    ) as Seen
  }
}

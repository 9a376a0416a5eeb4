// Has tunnels follow the routes to their far ends with their own addresses, as the host changes (decisions.md, T49).
// Without a route, or an address of it, a tunnel keeps its last one.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { BOUNDS_S } from '../../../platform/network/followed-names.ts'
import { Moves, type MoveDeps } from '../far-end/moves.ts'
import type { TunnelRecord } from '../record.ts'
import { existingTunnels } from '../store.ts'
import { automaticTunnels } from '../store-far-end.ts'
import { sourcesOf, type Source } from './source.ts'

export interface LocalEndDeps extends MoveDeps {
  readonly bus: Bus
}

const MOVING: readonly HostEvent['subject'][] = ['address', 'link', 'lost', 'route']

export class LocalEnds {
  readonly #deps: LocalEndDeps
  readonly #moves: Moves
  #ends: (() => void)[] = []
  #work: Promise<void> = Promise.resolve()
  /** A look that has not begun sees whatever changes until then. */
  #isAwaited = false

  constructor(deps: LocalEndDeps) {
    this.#deps = deps
    this.#moves = new Moves(deps, 'TunnelLocalMoved', 'local_endpoint_problem')
  }

  start(): void {
    const { bus } = this.#deps
    this.#ends = [
      ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const).map((name) =>
        bus.subscribe(name, ({ tunnel_id }) => {
          if (tunnel_id !== this.#moves.writing) this.#look()
        }),
      ),
      bus.subscribe('host.changed', ({ events }) => {
        if (events.some(({ subject }) => MOVING.includes(subject))) this.#look()
      }),
    ]
    this.#look()
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) end()
    this.#ends = []
    await this.settled()
  }

  /** Resolves when everything that is under way has been carried out. */
  async settled(): Promise<void> {
    await this.#work
  }

  #look(): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    const { logger } = this.#deps
    this.#work = this.#work
      .then(() => this.#follow())
      .catch((err: unknown) => logger.warn({ err }, 'the routes that tunnels follow were not read'))
  }

  async #follow(): Promise<void> {
    this.#isAwaited = false
    const { db, request } = this.#deps.context
    const records = await automaticTunnels(db)
    if (records.length === 0) return
    const { interfaces } = await request('host.probe', { parts: ['interfaces'] })
    const host = { request, interfaces: interfaces ?? [], tunnels: await existingTunnels(db) }
    const sources = await sourcesOf(
      host,
      records.map((record) => ({ ...record, inUse: record.local_endpoint })),
    )
    for (const [at, source] of sources.entries()) {
      const record = records[at]
      if (record) await this.#take(record, source)
    }
  }

  async #take(record: TunnelRecord, source: Source): Promise<void> {
    const { tunnel_id, local_endpoint } = record
    if (source.why !== null) {
      this.#moves.forget(tunnel_id)
      return this.#moves.report(record, message('tunnel.local_last_address', { why: source.why }))
    }
    const { address } = source
    if (address === local_endpoint) {
      this.#moves.forget(tunnel_id)
      return this.#moves.report(record, null)
    }
    // What root refuses and puts back is an event of the host, too.
    if (this.#moves.isTooEarly(tunnel_id, address, BOUNDS_S.least)) return
    const problem = (why: Message): Message => message('tunnel.local_not_taken', { address, why })
    await this.#moves.move(record, { lead: null, to: address, problem })
  }
}

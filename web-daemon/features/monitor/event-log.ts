// Stores changes of state in batches, with what follows from them, and remembers the last reported state of each tunnel.
import type { Logger } from 'pino'
import type { StoreContext } from '../../platform/context.ts'
import type { PanelEvents, PublishIn } from '../../platform/events/bus.ts'
import { insertEvents, lastStates, type NewEvent } from './store.ts'

/** While the store cannot be written, the oldest are dropped. */
const WAITING_MAX = 20_000
/** SQLite blocks the thread while it writes; other requests are served in between. */
const AT_ONCE = 200

interface Waiting {
  readonly row: NewEvent
  readonly change: PanelEvents['tunnel.state']
}

export interface EventLogDeps {
  readonly db: StoreContext['db']
  readonly publishIn: PublishIn
  readonly logger: Logger
}

export class EventLog {
  readonly #deps: EventLogDeps
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null
  #lastReported = new Map<number, number>()

  constructor(deps: EventLogDeps) {
    this.#deps = deps
  }

  /** Continues from the last stored state: a tunnel that is found as it was left has not changed. */
  async start(): Promise<void> {
    this.#lastReported = await lastStates(this.#deps.db)
  }

  add(row: NewEvent, change: PanelEvents['tunnel.state']): void {
    const from_monitor_state_id = this.#lastReported.get(row.tunnel_id) ?? row.from_monitor_state_id
    if (from_monitor_state_id === row.to_monitor_state_id) return
    this.#lastReported.set(row.tunnel_id, row.to_monitor_state_id)
    this.#waiting.push({ row: { ...row, from_monitor_state_id }, change })
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift()
    this.#writing ??= this.#write().finally(() => (this.#writing = null))
  }

  forget(tunnel_id: number): void {
    this.#lastReported.delete(tunnel_id)
  }

  /** Resolves when all events so far are stored, or could not be. */
  async saved(): Promise<void> {
    await this.#writing
  }

  /** Events that cannot be written are tried again with the next one. */
  async #write(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const events = this.#waiting.splice(0, AT_ONCE)
      try {
        await this.#store(events)
        await new Promise((resolve) => setImmediate(resolve))
      } catch (err) {
        this.#waiting = [...events, ...this.#waiting].slice(-WAITING_MAX)
        this.#deps.logger.error({ err }, 'state changes of tunnels cannot be stored')
        return
      }
    }
  }

  #store(events: readonly Waiting[]): Promise<void> {
    const { db, publishIn } = this.#deps
    return db.transaction().execute(async (transaction) => {
      await insertEvents(
        transaction,
        events.map(({ row }) => row),
      )
      await publishIn(
        transaction,
        'tunnel.state',
        events.map(({ change }) => change),
      )
    })
  }
}

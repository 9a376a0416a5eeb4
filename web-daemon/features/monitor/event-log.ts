// Stores changes of state in batches, and remembers the last reported state of each tunnel.
import type { Logger } from 'pino'
import type { StoreContext } from '../../platform/context.ts'
import { insertEvents, lastStates, type NewEvent } from './store.ts'

/** While the store cannot be written, the oldest are dropped. */
const WAITING_MAX = 20_000
/** SQLite blocks the thread while it writes; other requests are served in between. */
const AT_ONCE = 200

export class EventLog {
  readonly #db: StoreContext['db']
  readonly #logger: Logger
  #waiting: NewEvent[] = []
  #writing: Promise<void> | null = null
  #lastReported = new Map<number, number>()

  constructor(db: StoreContext['db'], logger: Logger) {
    this.#db = db
    this.#logger = logger
  }

  /** Continues from the last stored state: a tunnel that is found as it was left has not changed. */
  async start(): Promise<void> {
    this.#lastReported = await lastStates(this.#db)
  }

  add(event: NewEvent): void {
    const from_monitor_state_id = this.#lastReported.get(event.tunnel_id) ?? event.from_monitor_state_id
    if (from_monitor_state_id === event.to_monitor_state_id) return
    this.#lastReported.set(event.tunnel_id, event.to_monitor_state_id)
    this.#waiting.push({ ...event, from_monitor_state_id })
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
        await this.#db.transaction().execute((transaction) => insertEvents(transaction, events))
        await new Promise((resolve) => setImmediate(resolve))
      } catch (err) {
        this.#waiting = [...events, ...this.#waiting].slice(-WAITING_MAX)
        this.#logger.error({ err }, 'state changes of tunnels cannot be stored')
        return
      }
    }
  }
}

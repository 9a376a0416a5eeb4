// Entries of refused requests that nobody signed in made. They could fill the disk, and hide what matters: each action
// has a few a minute, and one entry counts the rest.
import type { StoreContext } from '../../platform/context.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { insertEntry, updateEntry, type NewEntry } from './store.ts'

/** Of each action. Those without a session are the ones by which a password is guessed. */
export const ROWS_PER_MINUTE = { withoutSession: 60, withSession: 10 } as const

type Db = StoreContext['db']

const MINUTE_MS = 60_000
/** How long a request beyond the budget waits to be counted together with others. */
const GATHERS_MS = 200
const MAX_ADDRESSES = 10

export class Strangers {
  readonly #db: Db
  readonly #now: () => Date
  readonly #windows: Record<keyof typeof ROWS_PER_MINUTE, SlidingWindow>
  readonly #sums = new Map<string, Summary>()

  constructor(db: Db, now: () => Date) {
    this.#db = db
    this.#now = now
    this.#windows = {
      withoutSession: new SlidingWindow(ROWS_PER_MINUTE.withoutSession, MINUTE_MS, now),
      withSession: new SlidingWindow(ROWS_PER_MINUTE.withSession, MINUTE_MS, now),
    }
  }

  /** Writes the entry, or counts it. */
  async record(entry: NewEntry, code: string, needsSession: boolean): Promise<void> {
    const window = this.#windows[needsSession ? 'withSession' : 'withoutSession']
    const key = String(entry.audit_action_id)
    if (window.secondsToWait(key) === 0) {
      window.add(key)
      return void (await insertEntry(this.#db, entry))
    }
    const now = this.#now().getTime()
    const sum = this.#sums.get(key)
    if (sum && now < sum.until) return sum.add(entry.client_ip, code)
    const next = new Summary(this.#db, entry, now + MINUTE_MS)
    this.#sums.set(key, next)
    return next.add(entry.client_ip, code)
  }
}

/** One entry that stands for many, and is written again while they come. */
class Summary {
  readonly until: number
  readonly #db: Db
  readonly #first: NewEntry
  readonly #codes = new Map<string, number>()
  readonly #addresses = new Map<string, number>()
  #id: number | null = null
  #written: Promise<void> | null = null

  constructor(db: Db, first: NewEntry, until: number) {
    this.#db = db
    this.#first = first
    this.until = until
  }

  /** Resolves when it is in the store. */
  add(address: string, code: string): Promise<void> {
    const isKept = this.#addresses.has(address) || this.#addresses.size < MAX_ADDRESSES
    countOne(this.#codes, code)
    countOne(this.#addresses, isKept ? address : 'other addresses')
    return (this.#written ??= this.#writeSoon())
  }

  async #writeSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, GATHERS_MS))
    this.#written = null
    if (this.#id === null) this.#id = await insertEntry(this.#db, this.#entry())
    else await updateEntry(this.#db, this.#id, this.#entry())
  }

  #entry(): NewEntry {
    const [[code] = ['']] = byCount(this.#codes)
    const count = [...this.#codes.values()].reduce((sum, one) => sum + one, 0)
    return {
      ...this.#first,
      request: '{}',
      operations: JSON.stringify([`Refused: ${list(this.#codes)}`, `From: ${list(this.#addresses)}`]),
      error_message: `${code}: ${count} more requests were refused within a minute, too many for an entry of each`,
      client_ip: this.#addresses.size === 1 ? this.#first.client_ip : '',
    }
  }
}

const countOne = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

const byCount = (counts: Map<string, number>): [string, number][] => [...counts].sort(([, a], [, b]) => b - a)

const list = (counts: Map<string, number>): string =>
  byCount(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

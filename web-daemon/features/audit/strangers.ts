// Entries of refused requests that nobody signed in made. They could fill the disk, and hide what matters: each action
// has a few a minute, and one entry counts the rest.
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { StoreTransaction } from '../../platform/db/database.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { insertEntry, updateEntry, type NewEntry } from './store.ts'

/** The rows for each action. Those without a session are the ones by which a password is guessed. */
export const ROWS_PER_MINUTE = { withoutSession: 60, withSession: 10 } as const

type Db = StoreContext['db']

/** What one entry records, or what it records beyond what it did before. */
interface Refused {
  readonly action: AuditAction
  /** How many were refused, by the code of the refusal. */
  readonly codes: ReadonlyMap<string, number>
  /** The address of the last one. */
  readonly client_ip: string
}

/** Writes what follows from an entry into the same transaction. */
export type Follow = (db: StoreTransaction, refused: Refused) => Promise<void>

const MINUTE_MS = 60_000
/** How long a request beyond the budget waits to be counted together with others. */
const GATHERS_MS = 200
const MAX_ADDRESSES = 10

export class Strangers {
  readonly #db: Db
  readonly #now: () => Date
  readonly #windows: Record<keyof typeof ROWS_PER_MINUTE, SlidingWindow>
  readonly #sums = new Map<string, Summary>()
  readonly #follow: Follow

  constructor(db: Db, now: () => Date, follow: Follow) {
    this.#db = db
    this.#now = now
    this.#follow = follow
    this.#windows = {
      withoutSession: new SlidingWindow(ROWS_PER_MINUTE.withoutSession, MINUTE_MS, now),
      withSession: new SlidingWindow(ROWS_PER_MINUTE.withSession, MINUTE_MS, now),
    }
  }

  /** Writes the entry, or counts it. */
  async record(
    entry: NewEntry,
    { action, code }: { readonly action: AuditAction; readonly code: string },
    needsSession: boolean,
  ): Promise<void> {
    const window = this.#windows[needsSession ? 'withSession' : 'withoutSession']
    const key = String(entry.audit_action_id)
    if (window.secondsToWait(key) === 0) {
      window.add(key)
      return this.#db.transaction().execute(async (transaction) => {
        await insertEntry(transaction, entry)
        await this.#follow(transaction, { action, codes: new Map([[code, 1]]), client_ip: entry.client_ip })
      })
    }
    const now = this.#now().getTime()
    const sum = this.#sums.get(key)
    if (sum && now < sum.until && sum.until <= now + MINUTE_MS) return sum.add(entry.client_ip, code)
    const next = new Summary(this.#db, entry, {
      until: now + MINUTE_MS,
      follow: (db, refused) => this.#follow(db, { action, ...refused }),
    })
    this.#sums.set(key, next)
    return next.add(entry.client_ip, code)
  }
}

interface SummaryDeps {
  readonly until: number
  readonly follow: (db: StoreTransaction, refused: Omit<Refused, 'action'>) => Promise<void>
}

/** One entry that stands for many, and is written again while they come. */
class Summary {
  readonly until: number
  readonly #db: Db
  readonly #first: NewEntry
  readonly #follow: SummaryDeps['follow']
  readonly #codes = new Map<string, number>()
  /** Since it was written last. */
  #news = new Map<string, number>()
  #lastAddress = ''
  readonly #addresses = new Map<string, number>()
  #id: number | null = null
  #written: Promise<void> | null = null

  constructor(db: Db, first: NewEntry, { until, follow }: SummaryDeps) {
    this.#db = db
    this.#first = first
    this.#follow = follow
    this.until = until
  }

  /** Resolves when it is in the store. */
  add(address: string, code: string): Promise<void> {
    const isKept = this.#addresses.has(address) || this.#addresses.size < MAX_ADDRESSES
    countOne(this.#codes, code)
    countOne(this.#news, code)
    this.#lastAddress = address
    countOne(this.#addresses, isKept ? address : 'other addresses')
    return (this.#written ??= this.#writeSoon())
  }

  async #writeSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, GATHERS_MS))
    this.#written = null
    const [codes, id] = [this.#news, this.#id]
    this.#news = new Map()
    this.#id = await this.#db.transaction().execute(async (transaction) => {
      const written = id ?? (await insertEntry(transaction, this.#entry()))
      if (id !== null) await updateEntry(transaction, id, this.#entry())
      await this.#follow(transaction, { codes, client_ip: this.#lastAddress })
      return written
    })
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

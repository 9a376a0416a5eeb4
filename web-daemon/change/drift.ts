// Compares the host with what is stored, in the background and for every noun: looks, settles what is pending,
// publishes what is not as it was, and has drift corrected where the operator wants that (decisions.md, S15).
import type { Logger } from 'pino'
import type { Noticed, PassReason } from '@panel/shared/api/reconcile.ts'
import type { CommandContext } from '../platform/context.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { settleEnds } from './open-ends.ts'

/** One object as a look found it. */
export interface Observed<Key> {
  readonly key: Key
  readonly status: string
  /** What is news, too, where it changes while the status stays. */
  readonly variant?: string
}

/** Null where the object was not there before, or is not there any more. */
export interface StatusChange<Item> {
  readonly from: Item | null
  readonly to: Item | null
}

export interface Look<Key, Item> {
  readonly items: readonly Item[]
  /** What was looked at; what is among it and not among the items is gone. */
  readonly scope: 'all' | readonly Key[]
}

export interface Pass<Item> extends Noticed {
  readonly items: readonly Item[]
  readonly changes: readonly StatusChange<Item>[]
}

/** What the background knows of one noun. A hint says what may have changed. */
export interface DriftSource<Key, Item extends Observed<Key>, Hint> {
  readonly noun: string
  /**
   * Is called in turn with the changes. `unexpected`: what was not as it should be at the last look; null where there
   * was none yet.
   */
  readonly look: (hints: ReadonlySet<Hint>, unexpected: readonly Key[] | null) => Promise<Look<Key, Item>>
  /** Whether the status is what an operator wants. Of the first look only the others are news. */
  readonly isExpected: (item: Item) => boolean
  /** Something is not as it was. */
  readonly publish: (pass: Pass<Item>) => void
  /** Everything that the first look found, which ends what was reported before it. */
  readonly publishFirst: (changes: readonly StatusChange<Item>[]) => void
  /** Is called after every look, outside of the turn. Never throws. */
  readonly remediate: (items: readonly Item[]) => Promise<void>
  /**
   * Milliseconds until it is to be looked again for the sake of what waits to be corrected; null where nothing does.
   */
  readonly dueIn?: () => number | null
  /** Whether something that an event may have taken away is worth a look at once. May throw. */
  readonly isUrgent?: (hints: readonly Hint[]) => Promise<boolean>
}

type Deps = Pick<CommandContext, 'db' | 'inTurn' | 'now'>

interface Entry<Item> extends Noticed {
  readonly item: Item
}

export class DriftWatch<Key, Item extends Observed<Key>, Hint = never> {
  readonly #deps: Deps
  readonly #source: DriftSource<Key, Item, Hint>
  readonly #logger: Logger
  #entries: ReadonlyMap<Key, Entry<Item>> | null = null
  #hints = new Set<Hint>()
  #last: Pass<Item> | null = null

  constructor(deps: Deps, source: DriftSource<Key, Item, Hint>, logger: Logger) {
    this.#deps = deps
    this.#source = source
    this.#logger = logger
  }

  /** The next look includes what the hint speaks of. */
  hint(hint: Hint): void {
    this.#hints.add(hint)
  }

  dueIn(): number | null {
    return this.#source.dueIn?.() ?? null
  }

  /** Never throws: what cannot be answered is not urgent. */
  async isUrgent(hints: readonly Hint[]): Promise<boolean> {
    try {
      return (await this.#source.isUrgent?.(hints)) ?? false
    } catch (err) {
      this.#logger.debug({ err }, `reconcile: it is not known whether ${this.#source.noun} are urgent`)
      return false
    }
  }

  /** The last pass that could be made. */
  last(): Pass<Item> | null {
    return this.#last
  }

  /** Everything as it was when it was last looked at. */
  entries(): Item[] {
    return [...(this.#entries?.values() ?? [])].map(({ item }) => item)
  }

  /** Which pass first found the object in the status that it has. */
  noticed({ key, status }: Observed<Key>): Noticed | null {
    const entry = this.#entries?.get(key)
    return entry?.item.status === status ? { at: entry.at, because: entry.because } : null
  }

  /**
   * Never throws: a pass that cannot be made is logged, and the next one finds what it would have found. Returns how
   * many milliseconds were spent on looking: waiting for a turn is not looking.
   */
  async pass(because: PassReason): Promise<number> {
    const hints = this.#hints
    this.#hints = new Set()
    let looked_ms = 0
    try {
      // In turn with the changes, so that one half done does not count as drift.
      const look = await this.#deps.inTurn(async () => {
        const began = performance.now()
        try {
          await settleEnds(this.#deps.db)
          return await this.#source.look(hints, this.#unexpected())
        } finally {
          looked_ms = performance.now() - began
        }
      })
      this.#compare(look, because)
      await this.#source.remediate(look.items)
    } catch (err) {
      for (const hint of hints) this.#hints.add(hint)
      const reason = err instanceof Refusal ? { code: err.code, reason: err.message } : { err }
      this.#logger.warn(
        { because, ...reason },
        `reconcile: ${this.#source.noun} could not be compared with what is stored`,
      )
    }
    return looked_ms
  }

  #unexpected(): Key[] | null {
    if (!this.#entries) return null
    return [...this.#entries].filter(([, { item }]) => !this.#source.isExpected(item)).map(([key]) => key)
  }

  #compare({ items, scope }: Look<Key, Item>, because: PassReason): void {
    const before = this.#entries
    const pass = { at: this.#deps.now().toISOString(), because, items, changes: this.#changes(items, scope) }
    const entries = new Map(scope === 'all' ? [] : (before ?? []))
    for (const key of scope === 'all' ? [] : scope) entries.delete(key)
    for (const item of items) {
      const was = before?.get(item.key)
      const { at } = was?.item.status === item.status ? was : pass
      entries.set(item.key, { item, at, because: was?.item.status === item.status ? was.because : because })
    }
    this.#entries = entries
    this.#last = pass
    if (!before) this.#source.publishFirst(items.map((to) => ({ from: null, to })))
    if (pass.changes.length === 0) return
    this.#log(pass)
    this.#source.publish(pass)
  }

  #changes(items: readonly Item[], scope: 'all' | readonly Key[]): StatusChange<Item>[] {
    const before = this.#entries
    const isNews = (item: Item): boolean =>
      before ? !isSame(before.get(item.key)?.item, item) : !this.#source.isExpected(item)
    const found = new Set(items.map(({ key }) => key))
    const gone = (scope === 'all' ? [...(before?.keys() ?? [])] : scope).filter((key) => !found.has(key))
    return [
      ...items.filter(isNews).map((to) => ({ from: before?.get(to.key)?.item ?? null, to })),
      ...gone.flatMap((key) => before?.get(key) ?? []).map(({ item }) => ({ from: item, to: null })),
    ]
  }

  #log({ because, changes }: Pass<Item>): void {
    const changed = changes.slice(0, LOGGED_MAX).map(({ from, to }) => {
      const { key } = (to ?? from) as Item
      return { key, from: from?.status ?? null, to: to?.status ?? null }
    })
    this.#logger.info(
      { because, changed, total: changes.length },
      `reconcile: ${this.#source.noun} are not as they were`,
    )
  }
}

const isSame = (a: Omit<Observed<unknown>, 'key'> | undefined, b: Omit<Observed<unknown>, 'key'>): boolean =>
  a?.status === b.status && a.variant === b.variant

/** Thousands of rules can change at once, as with a flushed ruleset. */
const LOGGED_MAX = 20

// What others take away is put back with growing pauses, so that nobody is fought (decisions.md, S19). In memory: a
// daemon that has started again begins with no pause.
import type { HealView } from '@panel/shared/api/base/heal.ts'
import { message, messageFields, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { SettingsReader } from '../platform/settings.ts'

export type HealedNoun = 'tunnel' | 'route'

/** Before the first try, the second and so on; the last one before each further try. */
export const PAUSES_MS = [0, 30_000, 120_000, 600_000, 3_600_000] as const
/** Taken away so often, it is contested. */
export const CONTESTED_FROM = 3
/** After a time of peace as long as this it is as if nothing had happened. */
const FORGOTTEN_MS = 24 * 3_600_000

interface Entry {
  /** How often it was found taken away or changed. */
  times: number
  tries: number
  readonly since: number
  last: number
  /** When it was last found away after it had been there. */
  gone: number
  next: number
  isAway: boolean
  by: string
  /** Whether it was our own at the last look. */
  own: boolean | null
}

/** An object as a look found it. */
export interface Found {
  readonly id: number
  readonly isAway: boolean
  /** Whether it is put back, by its own word; null where it follows the settings. */
  readonly own: boolean | null
}

export interface Healed {
  readonly noun: HealedNoun
  readonly id: number
}

export interface HealDeps {
  readonly now: () => Date
  readonly settings: SettingsReader
  /** An object is taken away so often that it matters by whom. */
  readonly onRepeated: (noun: HealedNoun) => void
  readonly onContested: (healed: Healed, view: HealView) => void
}

export class Heals {
  readonly #deps: HealDeps
  readonly #entries: Record<HealedNoun, Map<number, Entry>> = { tunnel: new Map(), route: new Map() }
  /** Who has changed the ruleset since the last look. */
  #writer = ''

  constructor(deps: HealDeps) {
    this.#deps = deps
  }

  /** `own` is the object's own word; null where it follows the settings. */
  isWanted(noun: HealedNoun, own: boolean | null): boolean {
    if (own !== null) return own
    const { settings } = this.#deps
    // The older setting stands for `all`.
    const mode = settings.get('system.auto_reapply_on_drift') ? 'all' : settings.get('system.self_heal')
    return mode === 'all' || (mode === 'rules' && noun === 'route')
  }

  heardOf(writer: string): void {
    this.#writer = writer
  }

  /** A look found these, each as it should be or not. */
  found(noun: HealedNoun, items: readonly Found[]): void {
    const entries = this.#entries[noun]
    const now = this.#now()
    for (const [id, { last }] of entries) if (now - last > FORGOTTEN_MS) entries.delete(id)
    const taken = items.filter(({ id, isAway }) => isAway && !entries.get(id)?.isAway)
    for (const { id, isAway, own } of items) {
      const entry = entries.get(id)
      if (entry) entry.own = own
      if (!entry?.isAway) continue
      if (isAway) entry.last = now
      else entry.isAway = false
    }
    if (taken.length === 0) return
    for (const one of taken) this.#taken(noun, one)
    this.#writer = ''
    if (taken.some(({ id }) => (entries.get(id)?.times ?? 0) > 1)) this.#deps.onRepeated(noun)
  }

  mayTry(noun: HealedNoun, id: number): boolean {
    const entry = this.#entries[noun].get(id)
    return entry === undefined || this.#now() >= entry.next
  }

  /** The next try comes after a pause, whether this one works or not. */
  trying(noun: HealedNoun, ids: readonly number[]): void {
    for (const id of ids) {
      const entry = this.#entries[noun].get(id)
      if (!entry) continue
      entry.tries += 1
      entry.next = this.#now() + (PAUSES_MS[Math.min(entry.tries, PAUSES_MS.length - 1)] ?? 0)
    }
  }

  /** These are back: found away once more, they were taken away once more. */
  worked(noun: HealedNoun, ids: readonly number[]): void {
    for (const entry of this.#away(noun, ids)) entry.isAway = false
  }

  /** For how many milliseconds at most these are known to be away. */
  awayFor(noun: HealedNoun, ids: readonly number[]): number {
    return this.#away(noun, ids).reduce((most, { gone }) => Math.max(most, this.#now() - gone), 0)
  }

  /** Milliseconds until the first of these may be tried. */
  dueIn(noun: HealedNoun, ids: readonly number[]): number {
    const now = this.#now()
    const dues = ids.map((id) => this.#entries[noun].get(id)?.next ?? now)
    return Math.max(0, dues.reduce((a, b) => Math.min(a, b), Infinity) - now)
  }

  view(noun: HealedNoun, id: number, own: boolean | null): HealView {
    return viewOf(this.#entries[noun].get(id), this.isWanted(noun, own))
  }

  /** What other programs do to it again and again; null if none does. */
  contest(noun: HealedNoun, id: number): Message | null {
    const entry = this.#entries[noun].get(id)
    return entry && isContested(entry) ? described(entry, this.isWanted(noun, entry.own)) : null
  }

  contested(): Healed[] {
    return (['tunnel', 'route'] as const).flatMap((noun) =>
      [...this.#entries[noun]].filter(([, entry]) => isContested(entry)).map(([id]) => ({ noun, id })),
    )
  }

  /** Forgets what was; returns how many waited or were contested. */
  reset(): number {
    const entries = Object.values(this.#entries)
    const count = entries.reduce((sum, { size }) => sum + size, 0)
    for (const one of entries) one.clear()
    return count
  }

  #taken(noun: HealedNoun, { id, own }: Found): void {
    const now = this.#now()
    const entry = this.#entries[noun].get(id) ?? fresh(now)
    this.#entries[noun].set(id, entry)
    Object.assign(entry, { times: entry.times + 1, last: now, gone: now, isAway: true, own })
    // Only a change of the ruleset has a name.
    if (noun === 'route' && this.#writer !== '') entry.by = this.#writer
    if (isContested(entry)) this.#deps.onContested({ noun, id }, this.view(noun, id, own))
  }

  #away(noun: HealedNoun, ids: readonly number[]): Entry[] {
    return ids.flatMap((id) => this.#entries[noun].get(id) ?? [])
  }

  #now(): number {
    return this.#deps.now().getTime()
  }
}

const fresh = (now: number): Entry => ({
  times: 0,
  tries: 0,
  since: now,
  last: now,
  gone: now,
  next: now,
  isAway: false,
  by: '',
  own: null,
})

const isContested = (entry: Entry | undefined): boolean => (entry?.times ?? 0) >= CONTESTED_FROM

const instant = (at: number): string => new Date(at).toISOString()

const viewOf = (entry: Entry | undefined, isWanted: boolean): HealView => ({
  is_wanted: isWanted,
  times: entry?.times ?? 0,
  tries: entry?.tries ?? 0,
  since: entry ? instant(entry.since) : null,
  next_try_at: entry?.isAway && isWanted ? instant(entry.next) : null,
  contested: isContested(entry),
  last_by: entry?.by ?? '',
  ...messageFields('detail', described(entry, isWanted)),
})

function described(entry: Entry | undefined, isWanted: boolean): Message {
  if (!entry || !isContested(entry)) return verbatim('')
  const since = instant(entry.since)
  const taken =
    entry.by === ''
      ? message('heal.contested', { times: entry.times, since })
      : message('heal.contested_by', { times: entry.times, since, program: entry.by })
  if (!entry.isAway || !isWanted) return taken
  return message('heal.next', { text: taken, at: instant(entry.next) })
}

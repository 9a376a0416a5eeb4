// Resolves names again as long as something uses them: as often as DNS allows, between half a minute and an hour. What
// uses them decides what becomes of the answers.
import type { Logger } from 'pino'
import { compareIp, parseIp, type Family } from '@panel/shared/address/ip.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { Resolution, ResolveHost } from './resolver.ts'

export const BOUNDS_S = { least: 30, most: 3600 } as const
/** The number of failures in a row from which on addresses are reported as stale. */
export const STALE_AFTER = 3

export type Found = Extract<Resolution, { readonly isFound: true }>

export const otherFamily = (family: Family): Family => (family === 6 ? 4 : 6)

/** The name in the form in which it is compared and stored. */
export const canonicalName = (hostname: string): string => hostname.toLowerCase().replace(/\.$/, '')

/** In an order that does not depend on that of the answer. */
export const inOrder = (addresses: readonly string[]): string[] =>
  [...new Set(addresses)].sort((a, b) => {
    const [one, other] = [parseIp(a), parseIp(b)]
    return one && other ? compareIp(one, other) : 0
  })

/** The address that is held stays while it is among them. */
export const stickyAddress = (addresses: readonly string[], held: readonly string[]): string =>
  held.find((address) => addresses.includes(address)) ?? inOrder(addresses)[0] ?? ''

/** One use of a name, by the id of what uses it. */
export interface NameUse {
  readonly id: number
  readonly hostname: string
  readonly family: Family
}

export interface FollowedName extends Omit<NameUse, 'id'> {
  readonly ids: readonly number[]
}

export interface NamesDeps {
  readonly resolve: ResolveHost
  readonly servers: () => readonly string[]
  readonly now: () => Date
  readonly logger: Logger
  /** Takes over what a name resolves to; returns what keeps some of it from being used, which may soon be otherwise. */
  readonly take: (name: FollowedName, found: Found, isSteady: boolean) => Promise<Message | null>
  /** Why a name has no address; `other`: what it resolves to in the other family. */
  readonly why: (name: FollowedName, error: string, other: Resolution) => Message
  /** Returns what is reported of a name that has failed that often in a row; never less than STALE_AFTER. */
  readonly stale: (name: FollowedName, failure: Failure) => Promise<Message>
  /** Whether a name resolves is another now, or why not. */
  readonly changed: (name: FollowedName) => void
}

interface Failure {
  readonly error: string
  readonly why: Message
  readonly failures: number
}

interface Entry extends Omit<FollowedName, 'ids'> {
  readonly ids: Set<number>
  timer: NodeJS.Timeout | null
  failures: number
  /** What the last look found, once it has found anything. */
  seen: Found | null
  /** The look before that found the same. */
  isSteady: boolean
  problem: Message | null
  resolved_at: string | null
  /** Why the last look found no address; null if it found one. */
  unresolved: Message | null
}

export interface NameStatus extends Pick<Entry, 'problem' | 'resolved_at' | 'unresolved'> {
  /** It has not resolved for so long that this is reported. */
  readonly isStale: boolean
  /** What two looks in a row have found; null where they differ. */
  readonly steady: Found | null
}

export class FollowedNames {
  readonly #deps: NamesDeps
  readonly #entries = new Map<string, Entry>()

  constructor(deps: NamesDeps) {
    this.#deps = deps
  }

  /** Puts these uses in the place of all those of the ids. */
  follow(ids: readonly number[], uses: readonly NameUse[]): void {
    for (const entry of this.#entries.values()) for (const id of ids) entry.ids.delete(id)
    for (const { id, hostname, family } of uses) this.#entry(hostname, family).ids.add(id)
    for (const [key, entry] of this.#entries)
      if (entry.ids.size === 0) {
        if (entry.timer) clearTimeout(entry.timer)
        this.#entries.delete(key)
      }
  }

  close(): void {
    for (const { timer } of this.#entries.values()) if (timer) clearTimeout(timer)
    this.#entries.clear()
  }

  of(hostname: string, family: Family): NameStatus | null {
    const entry = this.#entries.get(keyOf(hostname, family))
    if (!entry) return null
    return { ...entry, isStale: entry.failures >= STALE_AFTER, steady: entry.isSteady ? entry.seen : null }
  }

  /** Looks at once; a timer does it otherwise. Never throws. */
  async look(hostname: string, family: Family): Promise<void> {
    const entry = this.#entries.get(keyOf(hostname, family))
    if (!entry) return
    if (entry.timer) clearTimeout(entry.timer)
    entry.timer = null
    const { resolve, servers, logger } = this.#deps
    let wait_s: number = BOUNDS_S.least
    try {
      wait_s = await this.#resolved(entry, await resolve(hostname, family, servers()))
    } catch (err) {
      logger.warn({ err, hostname }, 'what a name resolves to could not be taken over')
    }
    this.#schedule(entry, wait_s * 1000)
  }

  #entry(hostname: string, family: Family): Entry {
    const key = keyOf(hostname, family)
    const known = this.#entries.get(key)
    if (known) return known
    const entry: Entry = {
      hostname,
      family,
      ids: new Set(),
      timer: null,
      failures: 0,
      seen: null,
      isSteady: false,
      problem: null,
      resolved_at: null,
      unresolved: null,
    }
    this.#entries.set(key, entry)
    // A daemon that starts with many names does not resolve all of them at once.
    this.#schedule(entry, 1000 + Math.random() * 4000)
    return entry
  }

  #schedule(entry: Entry, wait_ms: number): void {
    if (this.#entries.get(keyOf(entry.hostname, entry.family)) !== entry || entry.timer) return
    entry.timer = setTimeout(() => void this.look(entry.hostname, entry.family), wait_ms)
    entry.timer.unref()
  }

  /** Returns in how many seconds it is to be resolved again. */
  async #resolved(entry: Entry, resolution: Resolution): Promise<number> {
    if (!resolution.isFound) return this.#unresolved(entry, resolution.error)
    const { now, take, changed } = this.#deps
    const wasUnresolved = entry.unresolved !== null
    const isSteady = entry.seen !== null && setOf(entry.seen) === setOf(resolution)
    Object.assign(entry, { failures: 0, problem: null, unresolved: null, seen: resolution, isSteady })
    entry.resolved_at = now().toISOString()
    entry.problem = await take(named(entry), resolution, isSteady)
    if (wasUnresolved) changed(named(entry))
    if (entry.problem !== null) return BOUNDS_S.least
    return Math.min(BOUNDS_S.most, Math.max(BOUNDS_S.least, resolution.ttl_seconds))
  }

  async #unresolved(entry: Entry, error: string): Promise<number> {
    const { resolve, servers, why: explain, stale, changed } = this.#deps
    const name = named(entry)
    const other = await resolve(entry.hostname, otherFamily(entry.family), servers())
    const before = entry.unresolved?.message
    const why = explain(name, error, other)
    entry.unresolved = why
    entry.failures += 1
    const { failures } = entry
    if (failures >= STALE_AFTER) entry.problem = await stale(name, { error, why, failures })
    if (failures === STALE_AFTER || why.message !== before) changed(name)
    return BOUNDS_S.least
  }
}

const keyOf = (hostname: string, family: Family): string => `${hostname} ${family}`
const named = ({ hostname, family, ids }: Entry): FollowedName => ({ hostname, family, ids: [...ids] })
const setOf = ({ addresses }: Found): string => [...addresses].sort().join()

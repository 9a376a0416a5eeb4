// Resolves the names among destinations again as long as rules have them: as often as DNS allows, between half a minute
// and an hour. Names that do not resolve keep their last addresses, and a new set of addresses has to be seen twice.
import type { Family } from '@panel/shared/address/ip.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { resolveHost, type Resolution } from '../../platform/network/resolver.ts'
import { familyOf, type RouteRecord } from '../routes/record.ts'
import { hasOtherFamily, otherFamily, whatBecomes, whyUnresolved } from '../routes/unresolved.ts'
import { storeEvents } from './store.ts'
import { routesOf } from '../routes/store.ts'
import { moveToAddresses, type HostnamesDeps } from './move-to-addresses.ts'

export const BOUNDS_S = { least: 30, most: 3600 } as const
/** The number of failures in a row from which on addresses are reported as stale. */
export const STALE_AFTER = 3

interface Entry {
  readonly hostname: string
  readonly family: Family
  readonly rules: Set<number>
  timer: NodeJS.Timeout | null
  failures: number
  /** What the last look found, once it has found anything. */
  seen: string | null
  problem: Message | null
  resolved_at: string | null
  /** Why the last look found no address; null if it found one. */
  unresolved: Message | null
}

export interface NameStatus extends Pick<Entry, 'problem' | 'resolved_at' | 'unresolved'> {
  /** It has not resolved for so long that this is reported. */
  readonly isStale: boolean
}

export class Hostnames {
  readonly #deps: Required<HostnamesDeps>
  readonly #entries = new Map<string, Entry>()

  constructor(deps: HostnamesDeps) {
    this.#deps = { resolve: resolveHost, ...deps }
  }

  follow(ids: readonly number[], records: readonly RouteRecord[]): void {
    for (const entry of this.#entries.values()) for (const id of ids) entry.rules.delete(id)
    for (const record of records)
      for (const { hostname } of record.destinations)
        if (hostname !== null && record.is_enabled)
          this.#entry(hostname, familyOf(record)).rules.add(record.route_rule_id)
    for (const [key, entry] of this.#entries)
      if (entry.rules.size === 0) {
        if (entry.timer) clearTimeout(entry.timer)
        this.#entries.delete(key)
      }
  }

  close(): void {
    for (const { timer } of this.#entries.values()) if (timer) clearTimeout(timer)
    this.#entries.clear()
  }

  of(hostname: string, family: Family): NameStatus | null {
    const entry = this.#entries.get(`${hostname} ${family}`)
    return entry ? { ...entry, isStale: entry.failures >= STALE_AFTER } : null
  }

  /** Looks at once; a timer does it otherwise. Never throws. */
  async look(hostname: string, family: Family): Promise<void> {
    const entry = this.#entries.get(`${hostname} ${family}`)
    if (!entry) return
    if (entry.timer) clearTimeout(entry.timer)
    entry.timer = null
    const { context, resolve, logger } = this.#deps
    let wait_s: number = BOUNDS_S.least
    try {
      const resolution = await resolve(hostname, family, context.settings.get('routes.dns_servers'))
      wait_s = await this.#resolved(entry, resolution)
    } catch (err) {
      logger.warn({ err, hostname }, 'what a name resolves to could not be taken over')
    }
    this.#schedule(entry, wait_s * 1000)
  }

  #entry(hostname: string, family: Family): Entry {
    const key = `${hostname} ${family}`
    const known = this.#entries.get(key)
    if (known) return known
    const entry: Entry = {
      hostname,
      family,
      rules: new Set(),
      timer: null,
      failures: 0,
      seen: null,
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
    if (this.#entries.get(`${entry.hostname} ${entry.family}`) !== entry || entry.timer) return
    entry.timer = setTimeout(() => void this.look(entry.hostname, entry.family), wait_ms)
    entry.timer.unref()
  }

  /** Returns in how many seconds it is to be resolved again. */
  async #resolved(entry: Entry, resolution: Resolution): Promise<number> {
    if (!resolution.isFound) return this.#unresolved(entry, resolution.error)
    const { context } = this.#deps
    const wasUnresolved = entry.unresolved !== null
    Object.assign(entry, { failures: 0, problem: null, unresolved: null })
    entry.resolved_at = context.now().toISOString()
    const set = [...resolution.addresses].sort().join()
    const isSteady = entry.seen === set
    entry.seen = set
    const records = await routesOf(context.db, [...entry.rules])
    for (const record of records) {
      const problem = await moveToAddresses(this.#deps, record, { hostname: entry.hostname, resolution, isSteady })
      if (problem) entry.problem = problem
    }
    if (wasUnresolved) this.#publish(entry)
    return Math.min(BOUNDS_S.most, Math.max(BOUNDS_S.least, resolution.ttl_seconds))
  }

  async #unresolved(entry: Entry, error: string): Promise<number> {
    const { resolve, context } = this.#deps
    const { hostname, family } = entry
    const other = await resolve(hostname, otherFamily(family), context.settings.get('routes.dns_servers'))
    const before = entry.unresolved?.message
    const why = whyUnresolved(hostname, family, error, other)
    entry.unresolved = why
    entry.failures += 1
    if (entry.failures >= STALE_AFTER) await this.#stale(entry, error, why)
    if (entry.failures === STALE_AFTER || why.message !== before) this.#publish(entry)
    return BOUNDS_S.least
  }

  #publish({ rules }: Entry): void {
    this.#deps.context.publish('name.changed', { route_rule_ids: [...rules] })
  }

  /** Reports stale addresses once in the history of each rule; they are shown as long as that lasts. */
  async #stale(entry: Entry, error: string, why: Message): Promise<void> {
    const { context } = this.#deps
    const { hostname, failures } = entry
    const records = await routesOf(context.db, [...entry.rules])
    const its = records.flatMap(({ route_rule_id, destinations }) =>
      destinations.filter((one) => one.hostname === hostname).map((one) => ({ ...one, route_rule_id })),
    )
    const isHeld = its.some(({ address }) => address !== '')
    const counted = isHeld
      ? message('check.stale', { hostname, count: failures, error })
      : message('check.unresolved', { hostname, error })
    const reason = hasOtherFamily(why) ? message('health.sentence', { text: whatBecomes(why, isHeld) }) : counted
    entry.problem = reason
    if (failures !== STALE_AFTER) return
    const events = its.map(({ route_rule_id, route_destination_id, state }) => {
      return { route_rule_id, route_destination_id, from: state, to: state, reason }
    })
    await context.db.transaction().execute((db) => storeEvents(db, events, context.now().toISOString()))
  }
}

// Watches how rules are, and says when that changes: by the panel's own doing, a tunnel's, or somebody else's (decisions.md, S7, S15, E2).
import type { Logger } from 'pino'
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { RouteHealthState } from '@panel/shared/api/routes/answers.ts'
import type { CommandContext } from '../../../platform/context.ts'
import type { RouteHealthEvent } from '@panel/shared/api/routes/answers.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { healthOf } from './health.ts'
import { heldRules, isAsStored, type HeldRules } from '../kernel-rules.ts'
import type { RouteRecord } from '../record.ts'
import { settlePending } from '../settle.ts'
import { allRoutes, idsOverTunnels, routesOf } from '../store.ts'

/** What a hint speaks of: all rules, those that relay over a tunnel, or some by their ids. */
export type Hint = 'all' | 'tunnels' | readonly number[]

interface Seen {
  readonly state: RouteHealthState
  readonly title: string
}

interface Parts extends Pick<CommandContext, 'db' | 'ask' | 'now' | 'inTurn' | 'publish'> {
  /** Is given the rules that the kernel does not hold as they are stored. Never throws. */
  readonly putRight: (route_rule_ids: readonly number[]) => Promise<void>
}

/** What nobody could undo is for the operator to look at. */
const isDrifted = (record: RouteRecord, held: HeldRules): boolean =>
  record.apply_status_id !== APPLY_STATUSES.Inconsistent && !isAsStored(record, held)
const idOf = ({ route_rule_id }: RouteRecord): number => route_rule_id

/** Healthy and disabled are what an operator wants; of a first look only the others are news. */
const isWanted = ({ state }: Seen): boolean => state === 'healthy' || state === 'disabled'

export class RouteWatch {
  readonly #parts: Parts
  readonly #logger: Logger
  #seen: ReadonlyMap<number, Seen> | null = null
  #hints = new Set<Hint>()

  constructor(parts: Parts, logger: Logger) {
    this.#parts = parts
    this.#logger = logger
  }

  /** The next look is at these too, and at those that were not well when they were looked at last. */
  hear(hint: Hint): void {
    this.#hints.add(hint)
  }

  /** Never throws: a look that cannot be taken is logged, and the next one sees what it would have seen. */
  async look(): Promise<void> {
    const hints = this.#hints
    this.#hints = new Set()
    try {
      // In turn with the changes, so that one half done is not taken for drift.
      const found = await this.#parts.inTurn(() => this.#find(hints))
      this.#take(found)
      await this.#parts.putRight(found.drifted)
    } catch (err) {
      for (const hint of hints) this.#hints.add(hint)
      this.#logger.warn(
        err instanceof Refusal ? { code: err.code, reason: err.message } : { err },
        'routes: the health of the rules could not be looked at',
      )
    }
  }

  /** Of the rules looked at that are still there, how they are; `ids` null: all were looked at. */
  async #find(hints: ReadonlySet<Hint>): Promise<Found> {
    const { db, ask, now } = this.#parts
    // While root is away nothing is known: that is no health of a rule.
    await ask('host.probe', { parts: [] })
    const isAll = this.#seen === null || hints.size === 0 || hints.has('all')
    const ids = isAll ? null : await this.#idsOf(hints)
    const stored = ids === null ? await allRoutes(db) : await routesOf(db, ids)
    if (stored.length === 0) return { ids, healths: [], drifted: [] }
    const held = await heldRules(
      ask,
      stored.map(({ route_rule_id }) => route_rule_id),
    )
    const records = await settlePending({ db, now }, stored, held)
    const healths = await healthOf({ db, ask }, records, held)
    return {
      ids,
      healths: healths.map((one, at) => ({ ...one, title: records[at]?.route_rule_title ?? '' })),
      drifted: held.is_readable ? records.filter((record) => isDrifted(record, held)).map(idOf) : [],
    }
  }

  async #idsOf(hints: ReadonlySet<Hint>): Promise<number[]> {
    const named = [...hints].flatMap((hint) => (typeof hint === 'string' ? [] : [...hint]))
    const over = hints.has('tunnels') ? await idsOverTunnels(this.#parts.db) : []
    const unwell = [...(this.#seen ?? [])].filter(([, seen]) => !isWanted(seen)).map(([id]) => id)
    return [...new Set([...named, ...over, ...unwell])]
  }

  #take({ ids, healths }: Found): void {
    const before = this.#seen
    const now = new Map(healths.map(({ route_rule_id, state, title }) => [route_rule_id, { state, title }]))
    const whole = new Map(ids === null ? now : [...(before ?? []), ...now])
    const gone = (ids ?? [...(before?.keys() ?? [])]).filter((id) => !now.has(id))
    for (const id of gone) whole.delete(id)
    this.#seen = whole
    const changed: RouteHealthEvent[] = [
      ...healths
        .filter((one) => (before ? before.get(one.route_rule_id)?.state !== one.state : !isWanted(one)))
        .map(({ route_rule_id, title, state, detail }) => ({
          route_rule_id,
          title,
          from: before?.get(route_rule_id)?.state ?? null,
          to: state,
          detail,
        })),
      ...gone.flatMap((route_rule_id) => told(route_rule_id, before?.get(route_rule_id))),
    ]
    if (changed.length === 0) return
    this.#logger.info(
      { changed: changed.slice(0, LOGGED_MAX), total: changed.length },
      'routes: rules are not as they were',
    )
    for (const event of changed) this.#parts.publish('route.health', event)
  }
}

/** Thousands of rules can change at once, as with a flushed ruleset. */
const LOGGED_MAX = 20

interface Found {
  readonly ids: readonly number[] | null
  readonly drifted: readonly number[]
  readonly healths: readonly {
    readonly route_rule_id: number
    readonly state: RouteHealthState
    readonly detail: string
    readonly title: string
  }[]
}

const told = (route_rule_id: number, was: Seen | undefined): RouteHealthEvent[] =>
  was ? [{ route_rule_id, title: was.title, from: was.state, to: null, detail: 'The rule is no more' }] : []

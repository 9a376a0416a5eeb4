// Takes a destination out by hand and puts it back: on request, or once the time is over for which it was taken out.
import type { Logger } from 'pino'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { PanelAction } from '../../change/remediate.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import { asRefusal } from '../../platform/http/answer.ts'
import { updateRule, type Changed } from '../routes/change.ts'
import type { DestinationRecord, RouteRecord } from '../routes/record.ts'
import { isDrained, shownState } from './shown-state.ts'
import { routesOf } from '../routes/store.ts'
import { storeEvents } from './store.ts'
import type { Accounting } from '../routes/accounting.ts'

/** Until it is put back by hand. */
export const FOR_EVER = '9999-12-31T23:59:59.999Z'

interface Drained {
  readonly stored: RouteRecord
  readonly destination: DestinationRecord
  readonly until: string | null
  readonly reason: Message
}

export const drainedRecord = (
  stored: RouteRecord,
  ids: readonly number[],
  drained_until: string | null,
): RouteRecord => ({
  ...stored,
  destinations: stored.destinations.map((one) =>
    ids.includes(one.route_destination_id) ? { ...one, drained_until } : one,
  ),
})

/** Call it inside `inTurn`. */
export async function setDrained(
  context: CommandContext,
  traffic: Accounting,
  { stored, destination, until, reason }: Drained,
): Promise<{ readonly record: RouteRecord; readonly changed: Changed }> {
  const { route_destination_id } = destination
  const wanted = drainedRecord(stored, [route_destination_id], until)
  const done = await updateRule(context, traffic, stored, wanted)
  const after = done.record.destinations.find((one) => one.route_destination_id === route_destination_id)
  const change = {
    route_rule_id: stored.route_rule_id,
    route_destination_id,
    from: shownState(destination),
    to: after ? shownState(after) : 'unknown',
    reason,
  }
  context.note.operation(`destination ${destination.address} port ${destination.port}: ${change.from} -> ${change.to}`)
  await context.db.transaction().execute((db) => storeEvents(db, [change], context.now().toISOString()))
  return done
}

interface DrainsDeps {
  readonly context: Omit<CommandContext, 'note'>
  readonly traffic: Accounting
  readonly record: (action: PanelAction) => Promise<void>
  readonly logger: Logger
}

/** A timer takes no longer time than this. */
const LONGEST_MS = 3_600_000
const AGAIN_MS = 30_000

export class Drains {
  readonly #deps: DrainsDeps
  readonly #ends = new Map<number, { readonly route_rule_id: number; readonly at: number }>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: DrainsDeps) {
    this.#deps = deps
  }

  follow(ids: readonly number[], records: readonly RouteRecord[]): void {
    for (const [id, { route_rule_id }] of this.#ends) if (ids.includes(route_rule_id)) this.#ends.delete(id)
    for (const { route_rule_id, destinations } of records)
      for (const { route_destination_id, drained_until } of destinations)
        if (drained_until !== null && drained_until !== FOR_EVER)
          this.#ends.set(route_destination_id, { route_rule_id, at: Date.parse(drained_until) })
    this.#schedule(0)
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#ends.clear()
  }

  #schedule(atLeast_ms: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#ends.size === 0) return
    const first = Math.min(...[...this.#ends.values()].map(({ at }) => at))
    const wait_ms = Math.min(LONGEST_MS, Math.max(atLeast_ms, first - this.#deps.context.now().getTime()))
    this.#timer = setTimeout(() => void this.returnDue(), wait_ms)
  }

  /** Those whose time is over. Never throws. */
  async returnDue(): Promise<void> {
    const now = this.#deps.context.now().getTime()
    const due = [...this.#ends].filter(([, { at }]) => at <= now)
    let isDone = true
    for (const [id, { route_rule_id }] of due) isDone = (await this.#return(route_rule_id, id)) && isDone
    this.#schedule(isDone ? 0 : AGAIN_MS)
  }

  async #return(route_rule_id: number, id: number): Promise<boolean> {
    const { context, traffic, record, logger } = this.#deps
    const note = new AuditNote()
    note.target('route', route_rule_id)
    const began = performance.now()
    const finish = (failure: unknown): Promise<void> =>
      record({
        action: 'DestinationReturn',
        note,
        refusal: failure === null ? null : asRefusal(failure),
        duration_ms: Math.round(performance.now() - began),
      }).catch((err: unknown) => logger.error({ err }, 'no audit entry could be written'))
    try {
      const isReturned = await context.inTurn(async () => {
        const [stored] = await routesOf(context.db, [route_rule_id])
        const destination = stored?.destinations.find((one) => one.route_destination_id === id)
        if (!stored || !destination || !isDrained(destination)) return false
        const reason = message('check.drain_over')
        await setDrained({ ...context, note }, traffic, { stored, destination, until: null, reason })
        return true
      })
      this.#ends.delete(id)
      if (isReturned) await finish(null)
      return true
    } catch (failure) {
      logger.warn({ err: failure, route_rule_id }, 'a destination could not be put back')
      await finish(failure)
      return false
    }
  }
}

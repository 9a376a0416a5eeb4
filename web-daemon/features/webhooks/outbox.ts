// Sends what lies in the outbox: at once, and again after growing pauses where it did not arrive. A row is marked only
// once its receiver has answered, so that a kill in between sends it twice rather than never.
import type { Logger } from 'pino'
import type { Message } from '@panel/shared/messages/message.ts'
import type { ReadDb, StoreContext, WriteDb } from '../../platform/context.ts'
import { errorMessage } from '../../platform/http/refusal.ts'
import { enqueue } from './enqueue.ts'
import type { Notice } from './notice.ts'
import { SendError } from './send/address.ts'
import { send, type SendDeps } from './send/send.ts'
import { pruneDeliveries } from './store-prune.ts'
import { allWebhooks, findWebhook, markSent } from './store.ts'
import {
  dueDeliveries,
  markTried,
  nextDue,
  releaseHeld,
  type Delivery,
  type DeliveryEnd,
  type Due,
  type Silences,
} from './store-deliveries.ts'
import { together } from './together.ts'

export const RETRY_AFTER_S = [5, 30, 120, 600, 3600, 21_600] as const
const PRUNE_EVERY_MS = 3_600_000
/** A store that cannot be read, or a clock that was set, is noticed within this time. */
const LOOK_EVERY_MS = 60_000
const SOON_MS = 50

export interface OutboxDeps extends SendDeps {
  readonly db: StoreContext['db']
  readonly logger: Logger
  /** Returns until when a problem of a subject is to wait, and null if it is not to. */
  readonly readSilences: (db: ReadDb, now: Date) => Promise<Silences>
}

export class Outbox {
  readonly #deps: OutboxDeps
  readonly #busy = new Map<number, Promise<void>>()
  #timer: NodeJS.Timeout | null = null
  #pruning: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()
  #added: Notice[] = []
  #isStarted = false

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#isStarted = true
    this.#pruning = setInterval(() => this.#prune(), PRUNE_EVERY_MS)
    this.#prune()
    this.kick()
  }

  /** What is being sent may take its ten seconds; it is sent again otherwise. */
  async stop(): Promise<void> {
    this.#isStarted = false
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#pruning) clearInterval(this.#pruning)
    await this.#writing
    await Promise.all(this.#busy.values())
  }

  /** Within the transaction that stores what they tell of: what is sent is read once that has ended. */
  async write(transaction: WriteDb, notices: readonly Notice[]): Promise<void> {
    await enqueue(transaction, notices, this.#deps.now())
    this.kick()
  }

  /**
   * Adds notices of events that nothing stores. In the order of the calls; what cannot be written is logged. Those that
   * come at once, such as those of one look, are written at once, so that none is sent before the others are there.
   */
  add(notices: readonly Notice[]): void {
    if (notices.length === 0) return
    const isAwaited = this.#added.length > 0
    this.#added.push(...notices)
    if (isAwaited) return
    const { db, logger } = this.#deps
    this.#writing = this.#writing
      .then(async () => {
        const all = this.#added
        this.#added = []
        if ((await allWebhooks(db)).length === 0) return
        await db.transaction().execute((transaction) => this.write(transaction, all))
      })
      .catch((err: unknown) => logger.error({ err, kind: notices[0]?.kind }, 'a notification was not stored'))
  }

  /** Resolves once everything added so far is stored. */
  stored(): Promise<void> {
    return this.#writing
  }

  /** What waits for the end of a silence that was to last until then is due, unless it is silenced still. */
  async release(db: WriteDb, waitedUntil: string): Promise<void> {
    await releaseHeld(db, waitedUntil, this.#deps.now().toISOString())
    this.kick()
  }

  /** Looks for what is due, now or at the time of the next one. */
  kick(): void {
    if (!this.#isStarted) return
    this.#lookIn(0)
  }

  #lookIn(ms: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(), ms)
  }

  async #look(): Promise<void> {
    let wait = LOOK_EVERY_MS
    try {
      const { db, now } = this.#deps
      const silencedUntil = await this.#deps.readSilences(db, now())
      for (const due of await dueDeliveries(db, now(), silencedUntil)) this.#begin(due)
      const next = await nextDue(db)
      if (next !== null) wait = Math.min(wait, Math.max(SOON_MS, Date.parse(next) - now().getTime()))
    } catch (err) {
      this.#deps.logger.error({ err }, 'the notifications to be sent cannot be read')
    }
    // A target that is busy kicks by itself once it is free.
    if (this.#isStarted) this.#lookIn(this.#busy.size > 0 ? Math.max(wait, 1000) : wait)
  }

  #begin(due: Due): void {
    const { webhook_id } = due.first
    if (this.#busy.has(webhook_id)) return
    const work = this.#try(due)
      .catch((err: unknown) => this.#deps.logger.error({ err }, 'the outcome of a notification was not stored'))
      .finally(() => {
        this.#busy.delete(webhook_id)
        this.kick()
      })
    this.#busy.set(webhook_id, work)
  }

  async #try({ first, others }: Due): Promise<void> {
    const { db, now, logger } = this.#deps
    const target = await findWebhook(db, first.webhook_id)
    if (!target) return
    const notices = others.map(({ notice }) => notice)
    const error = await send(target, together(first.notice, notices), this.#deps).then(
      () => null,
      (failure: unknown) => this.#describe(failure),
    )
    const end = endOf(first, error, now())
    logger.info(
      { webhook_id: target.webhook_id, state: end.state, tries: end.tries, error: error?.message ?? '' },
      'notification',
    )
    await markTried(
      db,
      [first, ...others].map(({ delivery_id }) => delivery_id),
      end,
    )
    await markSent(db, target.webhook_id, error, now().toISOString())
  }

  #describe(failure: unknown): Message {
    if (failure instanceof SendError) return failure.sentence
    this.#deps.logger.error({ err: failure }, 'a notification could not be made')
    return errorMessage(failure)
  }

  #prune(): void {
    const { db, now, logger } = this.#deps
    pruneDeliveries(db, now()).catch((err: unknown) => logger.error({ err }, 'old notifications could not be deleted'))
  }
}

function endOf({ tries }: Delivery, error: Message | null, now: Date): DeliveryEnd {
  if (!error) return { state: 'delivered', tries: tries + 1, next_try_date: null, last_error: null }
  const pause = RETRY_AFTER_S[tries]
  if (pause === undefined) return { state: 'failed', tries: tries + 1, next_try_date: null, last_error: error }
  const next_try_date = new Date(now.getTime() + pause * 1000).toISOString()
  return { state: 'waiting', tries: tries + 1, next_try_date, last_error: error }
}

// The outbox in the store: what is to be sent, when it is tried again, and what was last reported of each thing.
import { COOL_DOWN_MAX_SECONDS, type DeliveryState } from '@panel/shared/api/webhooks.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import type { Paging } from '../../platform/http/paging.ts'
import type { StoredNotice } from './notice.ts'
import { errorFrom, errorText } from './store.ts'
import { isShared } from './together.ts'
import type { DeliveryRow } from './table.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

export interface Delivery extends Omit<DeliveryRow, 'notice' | 'state' | 'last_error'> {
  readonly last_error: Message
  readonly notice: StoredNotice
  readonly state: DeliveryState
}

export interface Due {
  readonly first: Delivery
  readonly others: readonly Delivery[]
}

const deliveryFrom = (row: DeliveryRow): Delivery => ({
  ...row,
  notice: fromStoredJson(row.notice) as StoredNotice,
  state: row.state as DeliveryState,
  last_error: errorFrom(row.last_error),
})

interface NewDelivery {
  readonly webhook_id: number
  readonly subject_key: string
  readonly notice: StoredNotice
  readonly next_try_date: string
}

export async function insertDelivery(db: WriteDb, { notice, ...delivery }: NewDelivery): Promise<void> {
  await db
    .insertInto('webhook_delivery')
    .values({
      ...delivery,
      event_id: notice.event_id,
      notice: JSON.stringify(notice),
      state: 'waiting',
      tries: 0,
      created_date: notice.at,
      last_error: '',
    })
    .execute()
}

/** Nothing waits longer for its next try; a later one was set while the clock was ahead. */
const LONGEST_WAIT_MS = COOL_DOWN_MAX_SECONDS * 1000

/** What is due at enabled targets, in the order in which it was written. */
function dueRows(db: ReadDb, now: Date): Promise<DeliveryRow[]> {
  const latest = new Date(now.getTime() + LONGEST_WAIT_MS).toISOString()
  return db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook', 'webhook.webhook_id', 'webhook_delivery.webhook_id')
    .selectAll('webhook_delivery')
    .where('webhook.is_enabled', '=', 1)
    .where((e) => e.or([e('next_try_date', '<=', now.toISOString()), e('next_try_date', '>', latest)]))
    .orderBy('delivery_id')
    .execute()
}

/**
 * For each enabled target the delivery that is due first, in the order in which they were written, and those after it
 * that are sent with it. What is silenced waits for the end of that, so that the end of the problem drops it.
 */
export async function dueDeliveries(db: WriteDb, now: Date, silencedUntil: Silences): Promise<Due[]> {
  const due = new Map<number, { first: Delivery; others: Delivery[] }>()
  for (const row of await dueRows(db, now)) {
    const heldTo = heldUntil(row, silencedUntil)
    if (heldTo !== null) {
      if (heldTo !== row.next_try_date) await holdDelivery(db, row.delivery_id, heldTo)
      continue
    }
    const before = due.get(row.webhook_id)
    if (!before) due.set(row.webhook_id, { first: deliveryFrom(row), others: [] })
    else if (before.first.notice.shared && row.notice.includes('"shared"')) {
      const one = deliveryFrom(row)
      if (isShared(before.first.notice, one.notice)) before.others.push(one)
    }
  }
  return [...due.values()]
}

/** Returns until when a subject is silenced; null if it is not. */
export type Silences = (subject: StoredNotice['subject']) => string | null

/** A problem that is silenced waits, unless it was tried before: its end is sent then, too. */
function heldUntil({ tries, notice }: DeliveryRow, silencedUntil: Silences): string | null {
  const { severity, subject } = fromStoredJson(notice) as StoredNotice
  return tries === 0 && severity === 'problem' ? silencedUntil(subject) : null
}

async function holdDelivery(db: WriteDb, delivery_id: number, next_try_date: string): Promise<void> {
  await db.updateTable('webhook_delivery').set({ next_try_date }).where('delivery_id', '=', delivery_id).execute()
}

/** What waits for the end of a silence that was to last until then is due now. */
export async function releaseHeld(db: WriteDb, waitedUntil: string, now: string): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ next_try_date: now })
    .where('next_try_date', '=', waitedUntil)
    .where('tries', '=', 0)
    .execute()
}

/** Whether the last that was written for the target about the subject, and not dropped, is a problem. */
export async function isProblemLast(db: ReadDb, webhook_id: number, subject_key: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_delivery')
    .select('notice')
    .where('webhook_id', '=', webhook_id)
    .where('subject_key', '=', subject_key)
    .where('state', '!=', 'dropped')
    .orderBy('delivery_id', 'desc')
    .executeTakeFirst()
  return row !== undefined && (fromStoredJson(row.notice) as StoredNotice).severity === 'problem'
}

export async function nextDue(db: ReadDb): Promise<string | null> {
  const row = await db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook', 'webhook.webhook_id', 'webhook_delivery.webhook_id')
    .select((e) => e.fn.min('next_try_date').as('next'))
    .where('webhook.is_enabled', '=', 1)
    .where('next_try_date', 'is not', null)
    .executeTakeFirst()
  return row?.next ?? null
}

export interface DeliveryEnd extends Pick<Delivery, 'state' | 'tries' | 'next_try_date'> {
  readonly last_error: Message | null
}

export async function markTried(db: WriteDb, ids: readonly number[], end: DeliveryEnd): Promise<void> {
  const values = { ...end, last_error: errorText(end.last_error) }
  await db.updateTable('webhook_delivery').set(values).where(isAmong('delivery_id', ids)).execute()
}

/** Reports of the thing that wait for the end of a cool-down. Whether there were any. */
export async function dropDeferred(
  db: WriteDb,
  webhook_id: number,
  subject_key: string,
  now: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_delivery')
    .set({ state: 'dropped', next_try_date: null })
    .where('webhook_id', '=', webhook_id)
    .where('subject_key', '=', subject_key)
    .where('state', '=', 'waiting')
    .where('tries', '=', 0)
    .where('next_try_date', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function pageOfDeliveries(
  db: ReadDb,
  webhook_id: number,
  { limit, offset }: Paging,
): Promise<{ total: number; deliveries: Delivery[] }> {
  const all = db.selectFrom('webhook_delivery').where('webhook_id', '=', webhook_id)
  const { total } = await all.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all.selectAll().orderBy('delivery_id', 'desc').limit(limit).offset(offset).execute()
  return { total, deliveries: rows.map(deliveryFrom) }
}

export interface Reported {
  readonly isOpen: boolean
  readonly level: number
  readonly reported_date: string
}

export async function subjectOf(db: ReadDb, webhook_id: number, subject_key: string): Promise<Reported | null> {
  const row = await db
    .selectFrom('webhook_subject')
    .selectAll()
    .where('webhook_id', '=', webhook_id)
    .where('subject_key', '=', subject_key)
    .executeTakeFirst()
  return row ? { isOpen: row.is_open === 1, level: row.level, reported_date: row.reported_date } : null
}

/** What some target was last sent a problem of, by key. */
export async function openSubjects(db: ReadDb): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_subject')
    .select('subject_key')
    .distinct()
    .where('is_open', '=', 1)
    .execute()
  return rows.map(({ subject_key }) => subject_key)
}

export async function setSubject(
  db: WriteDb,
  webhook_id: number,
  subject_key: string,
  { isOpen, level, reported_date }: Reported,
): Promise<void> {
  const values = { is_open: Number(isOpen), level, reported_date }
  await db
    .insertInto('webhook_subject')
    .values({ webhook_id, subject_key, ...values })
    .onConflict((conflict) => conflict.columns(['webhook_id', 'subject_key']).doUpdateSet(values))
    .execute()
}

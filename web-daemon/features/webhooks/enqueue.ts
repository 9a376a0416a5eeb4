// Writes notices into the outbox of each target that wants them: once for a problem and once for its end, and not more
// often than the target's cool-down allows.
import { randomUUID } from 'node:crypto'
import type { WriteDb } from '../../platform/context.ts'
import { subjectKey, type Notice, type StoredNotice } from './notice.ts'
import { allWebhooks, type Webhook } from './store.ts'
import { dropDeferred, insertDelivery, isProblemLast, openSubjects, setSubject, subjectOf } from './store-deliveries.ts'

/** Call it in a transaction, so that a kill leaves all of it or nothing. */
export async function enqueue(db: WriteDb, notices: readonly Notice[], now: Date): Promise<void> {
  const targets = (await allWebhooks(db)).filter(({ is_enabled }) => is_enabled)
  if (targets.length === 0) return
  for (const notice of await withNews(db, notices)) {
    const stored: StoredNotice = { ...notice, event_id: randomUUID(), at: now.toISOString() }
    for (const target of targets.filter(({ events }) => events.includes(notice.kind)))
      await enqueueFor(db, target, stored, now)
  }
}

/** Thousands of things can be found well at once, and hardly any of them was reported. */
async function withNews(db: WriteDb, notices: readonly Notice[]): Promise<readonly Notice[]> {
  if (notices.every(({ severity }) => severity !== 'resolved')) return notices
  const open = new Set(await openSubjects(db))
  const added = notices.flatMap((one) => (one.severity === 'problem' ? [subjectKey(one)] : []))
  for (const key of added) open.add(key)
  return notices.filter((one) => one.severity !== 'resolved' || open.has(subjectKey(one)))
}

/** What is sent to one target alone, such as a test, waits for nothing. */
export async function enqueueFor(db: WriteDb, target: Webhook, notice: StoredNotice, now: Date): Promise<void> {
  const send = (next_try_date: string) =>
    insertDelivery(db, { webhook_id: target.webhook_id, subject_key: subjectKey(notice), notice, next_try_date })
  if (notice.severity === 'info') return send(notice.at)
  if (notice.severity === 'problem') return problem(db, target, notice, { now, send })
  return resolved(db, target, notice, send)
}

interface Reporting {
  readonly now: Date
  readonly send: (next_try_date: string) => Promise<void>
}

/** One that comes back within the cool-down is reported at its end, unless it is over by then. */
async function problem(db: WriteDb, target: Webhook, notice: StoredNotice, { now, send }: Reporting): Promise<void> {
  const key = subjectKey(notice)
  const before = await subjectOf(db, target.webhook_id, key)
  const isWorse = before !== null && before.isOpen && notice.level > before.level
  const coolDown = target.cool_down_seconds * 1000
  // What is deferred is so by one cool-down at most: a later time is one of a clock that was ahead.
  const isOfNow = before !== null && Date.parse(before.reported_date) <= now.getTime() + coolDown
  const free = isOfNow && !isWorse ? Date.parse(before.reported_date) + coolDown : 0
  if (before?.isOpen && !isWorse && (notice.mayBeOld || now.getTime() < free)) return
  if (isWorse) await dropDeferred(db, target.webhook_id, key, notice.at)
  const at = new Date(Math.max(now.getTime(), free)).toISOString()
  await setSubject(db, target.webhook_id, key, { isOpen: true, level: notice.level, reported_date: at })
  await send(at)
}

/** The end of a problem that was never sent is no news; the cool-down goes on from the one that was. */
async function resolved(
  db: WriteDb,
  { webhook_id, cool_down_seconds }: Webhook,
  notice: StoredNotice,
  send: Reporting['send'],
): Promise<void> {
  const key = subjectKey(notice)
  const before = await subjectOf(db, webhook_id, key)
  if (!before?.isOpen) return
  const wasDeferred = await dropDeferred(db, webhook_id, key, notice.at)
  const sent = Date.parse(before.reported_date) - (wasDeferred ? cool_down_seconds * 1000 : 0)
  await setSubject(db, webhook_id, key, { ...before, isOpen: false, reported_date: new Date(sent).toISOString() })
  // A worse state that a silence kept back does not hide the end of the one that was sent.
  if (!wasDeferred || (await isProblemLast(db, webhook_id, key))) await send(notice.at)
}

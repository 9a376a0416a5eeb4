// The defects that the engine ended, each by name, over a noun that it has never seen (decisions.md, S1).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { converge, createTogether, remove } from '@panel/web-daemon/change/engine.ts'
import type { CommandContext } from '@panel/web-daemon/platform/context.ts'
import { AuditNote } from '@panel/web-daemon/platform/audit-note.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { QuotaHost, quotaResource, QuotaStore, type Quota, type QuotaResource } from './quota.ts'

const busy = new Refusal('SERVICE_UNAVAILABLE', verbatim('Another change is under way.'), {
  details: { reason: 'busy' },
})
const taken = new Refusal('CONFLICT', verbatim('There is one already.'))
const isRefusal =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code

describe('A change of three quotas that root makes one by one', () => {
  let host: QuotaHost
  let records: QuotaStore
  let resource: QuotaResource
  let context: Pick<CommandContext, 'db' | 'now' | 'note' | 'recordIn'>
  let events: string[]
  /** The numbers of the requests that are refused. */
  let refusedAt: Set<number>

  beforeEach(() => {
    host = new QuotaHost()
    records = new QuotaStore()
    refusedAt = new Set()
    events = []
    for (const quota_id of [1, 2, 3]) {
      const mark = {
        apply_status_id: APPLY_STATUSES.Applied,
        ...messageFields('last_apply_error', verbatim('')),
        last_applied_date: null,
      }
      records.rows.set(quota_id, { quota_id, bytes: 5, ...mark })
      host.held = { ...host.held, [quota_id]: 5 }
    }
    let requests = 0
    const apply: QuotaHost['apply'] = async (change) => {
      requests += 1
      if (refusedAt.has(requests)) throw busy
      return host.apply(change)
    }
    resource = quotaResource({ apply, verify: host.verify }, records, (event, rows) =>
      events.push(...rows.map(({ quota_id }) => `${event} ${quota_id} ${statusOf(quota_id)}`)),
    )
    const db = { transaction: () => ({ execute: (work: () => Promise<unknown>) => records.transaction(work) }) }
    context = { db: db as unknown as CommandContext['db'], now: () => new Date(), note: new AuditNote() }
  })

  const rows = (): Quota[] => [...records.rows.values()]
  const statusOf = (id: number): string => {
    const status = records.rows.get(id)?.apply_status_id
    return Object.entries(APPLY_STATUSES).find(([, one]) => one === status)?.[0] ?? 'gone'
  }
  const statuses = (): string[] => [1, 2, 3].map(statusOf)
  const FIVE = { 1: 5, 2: 5, 3: 5 }
  const SIX = { 1: 6, 2: 6, 3: 6 }
  const change = () => converge(context, resource, { rows: rows(), changes: [{ before: FIVE, after: SIX }] })

  it('is taken back where root refuses the third: none is changed, and none is marked', async () => {
    refusedAt.add(3)
    await assert.rejects(change, isRefusal('SERVICE_UNAVAILABLE'))
    assert.deepEqual(host.held, FIVE)
    assert.deepEqual(statuses(), ['Applied', 'Applied', 'Applied'])
  })

  it('is stuck, and says so, where the second cannot be taken back', async () => {
    for (const at of [3, 4]) refusedAt.add(at)
    await assert.rejects(change, isRefusal('TUNNEL_INCONSISTENT'))
    assert.deepEqual(host.held, { 1: 6, 2: 6, 3: 5 })
    assert.deepEqual(statuses(), ['Inconsistent', 'Inconsistent', 'Inconsistent'])
    assert.match(rows()[0]?.last_apply_error ?? '', /Undoing the part before it failed too/)
  })

  it('is taken back on the host where the store cannot be written', async () => {
    let writes = 0
    records.beforeWrite = () => {
      writes += 1
      if (writes > 3) throw new Error('The disk is full')
    }
    await assert.rejects(change, /The disk is full/)
    assert.deepEqual(host.held, FIVE)
  })

  it('has its entry in the transaction that stores it, so that neither is there without the other', async () => {
    const seen: string[][] = []
    context = { ...context, recordIn: async () => void seen.push(statuses()) }
    await change()
    assert.deepEqual(seen, [['Applied', 'Applied', 'Applied']])
    context = { ...context, recordIn: () => Promise.reject(new Error('The disk is full')) }
    const more = converge(context, resource, { rows: rows(), changes: [{ before: SIX, after: FIVE }] })
    await assert.rejects(more, /The disk is full/)
    assert.deepEqual([host.held, statuses()], [SIX, ['Applied', 'Applied', 'Applied']])
  })

  it('is published only once the store says so', async () => {
    await change()
    assert.deepEqual(events, ['updated 1 Applied', 'updated 2 Applied', 'updated 3 Applied'])
  })

  it('that deletes one puts it back on the host where its record cannot be deleted', async () => {
    const [stored] = rows()
    assert.ok(stored)
    let writes = 0
    records.beforeWrite = () => {
      writes += 1
      if (writes === 2) throw new Error('The disk is full')
    }
    const deleting = remove(context, resource, { rows: [stored], changes: [{ before: { 1: 5 }, after: null }] })
    await assert.rejects(deleting, /The disk is full/)
    assert.deepEqual(host.held, FIVE)
    assert.deepEqual(statuses(), ['Applied', 'Applied', 'Applied'])
  })

  const draft = (quota_id: number, failure?: Error) => async (): Promise<Quota> => {
    if (failure) throw failure
    const mark = { apply_status_id: APPLY_STATUSES.Pending, ...messageFields('last_apply_error', verbatim('')) }
    return { quota_id, bytes: 7, ...mark, last_applied_date: null }
  }
  const plan = async (made: readonly Quota[]) => ({
    resource,
    changes: [{ before: null, after: Object.fromEntries(made.map(({ quota_id, bytes }) => [quota_id, bytes])) }],
  })

  it('that makes them leaves out what is refused as a draft, and says so in its place', async () => {
    const drafts = [draft(4), draft(5, taken), draft(6)]
    const made = await createTogether(context, resource, { drafts, plan })
    assert.deepEqual(
      made.map((one) => (one instanceof Refusal ? one.code : one.quota_id)),
      [4, 'CONFLICT', 6],
    )
    assert.deepEqual(host.held, { ...FIVE, 4: 7, 6: 7 })
    assert.deepEqual(events, ['created 4 Applied', 'created 6 Applied'])
  })

  it('that makes them leaves no record where a draft fails, the plan, or root', async () => {
    const isFull = new Error('The disk is full')
    const failing = async (): Promise<never> => Promise.reject(isFull)
    const all = [4, 5].map((id) => draft(id))
    await assert.rejects(createTogether(context, resource, { drafts: [draft(4), draft(5, isFull)], plan }), isFull)
    const halfway = createTogether(context, resource, { drafts: [draft(4), draft(5, busy)], plan })
    await assert.rejects(halfway, isRefusal('SERVICE_UNAVAILABLE'))
    await assert.rejects(createTogether(context, resource, { drafts: all, plan: failing }), isFull)
    refusedAt.add(2)
    await assert.rejects(createTogether(context, resource, { drafts: all, plan }), isRefusal('SERVICE_UNAVAILABLE'))
    assert.deepEqual([host.held, rows().map(({ quota_id }) => quota_id), events], [FIVE, [1, 2, 3], []])
  })

  it('that makes none of them asks root for nothing', async () => {
    const unplanned = (): never => assert.fail('there is nothing to plan')
    const [one] = await createTogether(context, resource, { drafts: [draft(4, taken)], plan: unplanned })
    assert.equal(one, taken)
  })
})

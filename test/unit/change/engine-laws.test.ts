// The laws of the engine, over a noun that it has never seen, with a fault at any step: what a record says of itself is
// true.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { converge, create, createTogether, remove, settle, update } from '@panel/web-daemon/change/engine.ts'
import type { CommandContext } from '@panel/web-daemon/platform/context.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { AuditNote } from '@panel/web-daemon/platform/audit-note.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { QuotaHost, quotaResource, QuotaStore, type Quota, type QuotaResource, type Quotas } from './quota.ts'

/**
 * What happens to one request to root. refuses: it is not begun. restores: it fails and is put back. sticks: it is half
 * done and cannot be undone. lost: it is done, and the answer is lost. unreached: the helper went away before it. gone:
 * likewise, and it stays away. dies: this process is killed before it. dies-after: likewise, once root has done it.
 */
const ROOT_FAULTS = [
  'refuses',
  'restores',
  'sticks',
  'lost',
  'unreached',
  'gone',
  'lost-gone',
  'dies',
  'dies-after',
] as const
type RootFault = (typeof ROOT_FAULTS)[number]

interface Scenario {
  readonly quotas: readonly number[]
  readonly command: 'create' | 'createTogether' | 'update' | 'remove' | 'converge'
  /** Faults by the number of the request to root, the first being 1; undoing is a request too. */
  readonly atRoot: ReadonlyMap<number, RootFault>
  /** The writes to the store that fail, by their numbers. */
  readonly failingWrites: ReadonlySet<number>
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  quotas: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  command: fc.constantFrom('create', 'createTogether', 'update', 'remove', 'converge'),
  atRoot: fc
    .array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(...ROOT_FAULTS)), { maxLength: 3 })
    .map((faults) => new Map(faults)),
  failingWrites: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }).map((writes) => new Set(writes)),
})

const { Applied, Failed, Pending, Inconsistent } = APPLY_STATUSES
const APPLIED = {
  apply_status_id: Applied,
  ...messageFields('last_apply_error', verbatim('')),
  last_applied_date: '2026-01-01T00:00:00.000Z',
}

/** A host, a store and the engine's context, with the scenario's faults. */
class World {
  readonly host = new QuotaHost()
  readonly records = new QuotaStore()
  readonly resource: QuotaResource
  readonly context: Pick<CommandContext, 'db' | 'now' | 'note'>
  readonly #scenario: Scenario
  #requests = 0
  #writes = 0
  #isGone = false
  readonly died: Promise<'died'>
  #die: () => void = () => undefined

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    for (const [at, bytes] of scenario.quotas.entries()) {
      this.records.rows.set(at + 1, { quota_id: at + 1, bytes, ...APPLIED })
      this.host.held = { ...this.host.held, [at + 1]: bytes }
    }
    this.died = new Promise((resolve) => (this.#die = () => resolve('died')))
    this.resource = quotaResource(
      { apply: (change) => this.#apply(change), verify: (change) => this.#verify(change) },
      this.records,
      (_event, rows) => this.#checkStored(rows),
    )
    const db = { transaction: () => ({ execute: (work: () => Promise<unknown>) => this.records.transaction(work) }) }
    this.context = { db: db as unknown as CommandContext['db'], now: () => new Date(), note: new AuditNote() }
  }

  arm(): void {
    this.records.beforeWrite = () => {
      this.#writes += 1
      if (this.#scenario.failingWrites.has(this.#writes)) throw new Error('The disk is full')
    }
  }

  /** Nothing fails any more, and a helper that went away is back. */
  recover(): void {
    this.records.beforeWrite = () => undefined
    this.#isGone = false
  }

  async #apply(change: Change<Quotas>): Promise<Outcome> {
    if (this.#isGone) throw helperAway('gone')
    this.#requests += 1
    const fault = this.#scenario.atRoot.get(this.#requests)
    switch (fault) {
      case undefined:
        return this.host.apply(change)
      case 'refuses':
        throw new Refusal('SERVICE_UNAVAILABLE', verbatim('Busy.'), { details: { reason: 'busy' } })
      case 'restores':
        return { ...(await this.#nothing(change)), outcome: 'restored' }
      case 'sticks':
        for (const id of Object.keys(change.after ?? {})) this.host.held = { ...this.host.held, [id]: -1 }
        return { ...(await this.#nothing(change)), outcome: 'stuck' }
      case 'dies':
        return this.#stop()
      case 'dies-after':
        await this.host.apply(change)
        return this.#stop()
      case 'lost':
      case 'lost-gone':
        await this.host.apply(change)
        break
      case 'unreached':
      case 'gone':
        break
    }
    this.#isGone = fault.endsWith('gone')
    throw helperAway('cut off')
  }

  async #verify(change: Change<Quotas>) {
    if (this.#isGone) throw helperAway('gone')
    return this.host.verify(change)
  }

  #stop(): Promise<never> {
    this.#die()
    return new Promise(() => undefined)
  }

  async #nothing({ before }: Change<Quotas>): Promise<Outcome> {
    const failure = { step: 'set_quota', message: 'The kernel refused' }
    return {
      outcome: 'restored',
      checks: [],
      steps: Object.keys(before ?? {}).map(() => 'set_quota'),
      failure,
      remediation: [],
    }
  }

  /** Checks that a subscriber finds the published record, or none. */
  #checkStored(rows: readonly Quota[]): void {
    for (const { quota_id } of rows) {
      const stored = this.records.rows.get(quota_id)
      if (stored) assert.notEqual(this.isTrue(stored), false, `${quota_id} was published ahead of the store`)
    }
  }

  /** Whether the host holds what the record claims that it holds; null where it claims nothing. */
  isTrue({ quota_id, bytes, apply_status_id }: Quota): boolean | null {
    return apply_status_id === Pending || apply_status_id === Inconsistent ? null : this.host.held[quota_id] === bytes
  }
}

const stateOf = (rows: readonly Quota[]): Quotas => Object.fromEntries(rows.map((row) => [row.quota_id, row.bytes]))

const draftOf = (quota_id: number): Quota => ({
  quota_id,
  bytes: 7,
  apply_status_id: Pending,
  ...messageFields('last_apply_error', verbatim('')),
  last_applied_date: null,
})

/** The command of the scenario; every quota is to have ten bytes more. */
async function run({ context, resource, records, host }: World, { command }: Scenario): Promise<unknown> {
  const rows = [...records.rows.values()]
  const [first] = rows
  assert.ok(first)
  const before = { [first.quota_id]: first.bytes }
  switch (command) {
    case 'create':
      return create(context, resource, { draft: draftOf(99), changes: [{ before: null, after: { 99: 7 } }] })
    case 'createTogether': {
      const drafts = [98, 99].map((id) => async () => draftOf(id))
      const plan = async (made: readonly Quota[]) => ({
        resource,
        changes: [{ before: null, after: stateOf(made) }],
      })
      return createTogether(context, resource, { drafts, plan })
    }
    case 'update': {
      const wanted = { ...first, bytes: first.bytes + 10 }
      return update(context, resource, { stored: first, wanted, changes: [{ before, after: stateOf([wanted]) }] })
    }
    case 'remove':
      return remove(context, resource, { rows: [first], changes: [{ before, after: null }] })
    case 'converge': {
      const wanted = rows.map((row) => ({ ...row, bytes: row.bytes + 10 }))
      const commit = async (): Promise<void> => {
        for (const row of wanted) await records.store.replace(null as never, row.quota_id, row)
      }
      return converge(context, resource, { rows, changes: [{ before: host.held, after: stateOf(wanted) }], commit })
    }
  }
}

type End = { readonly how: 'done' | 'died' } | { readonly how: 'failed'; readonly failure: unknown }

async function endOf(world: World, scenario: Scenario): Promise<End> {
  world.arm()
  const ended: Promise<End> = run(world, scenario).then(
    () => ({ how: 'done' }),
    (failure: unknown) => ({ how: 'failed', failure }),
  )
  const end = await Promise.race([ended, world.died.then(() => ({ how: 'died' }) as const)])
  world.recover()
  return end
}

const RUNS = { numRuns: Number(process.env['PANEL_LAW_RUNS'] ?? 1500) }
/** The engine waits between looks at a helper that went away; here the time is not waited for. */
const realSetTimeout = globalThis.setTimeout

describe('A change that the engine carries out, with a fault at any step', () => {
  before(() => {
    globalThis.setTimeout = ((work: () => void) => realSetTimeout(work, 0)) as typeof setTimeout
  })
  after(() => {
    globalThis.setTimeout = realSetTimeout
  })

  const law =
    (holds: (world: World, scenario: Scenario, end: End) => void | Promise<void>) => async (): Promise<void> =>
      fc.assert(
        fc.asyncProperty(scenarios, async (scenario) => {
          const world = new World(scenario)
          await holds(world, scenario, await endOf(world, scenario))
        }),
        RUNS,
      )

  it(
    'leaves no record that claims what the host does not hold',
    law(({ records, isTrue, host }, _scenario, _end) => {
      for (const row of records.rows.values())
        assert.notEqual(isTrue.call({ host } as World, row), false, JSON.stringify([row, host.held]))
    }),
  )

  it(
    'leaves nothing on the host that has no record',
    law(({ records, host }) => {
      for (const id of Object.keys(host.held)) assert.ok(records.rows.has(Number(id)), `quota ${id} has no record`)
    }),
  )

  it(
    'answers that it is done only where the host and the store hold what was wanted',
    law(({ records, host }, { quotas, command }, { how }) => {
      if (how !== 'done') return
      const tens = quotas.map((bytes, at) => [
        at + 1,
        command === 'converge' || (command === 'update' && at === 0) ? bytes + 10 : bytes,
      ])
      const kept = tens.filter(([id]) => command !== 'remove' || id !== 1)
      const made = { create: [99], createTogether: [98, 99] }[command as string] ?? []
      const wanted = Object.fromEntries([...kept, ...made.map((id) => [id, 7])]) as Quotas
      assert.deepEqual(host.held, wanted)
      assert.deepEqual(stateOf([...records.rows.values()].sort((a, b) => a.quota_id - b.quota_id)), wanted)
      for (const { apply_status_id } of records.rows.values()) assert.equal(apply_status_id, Applied)
    }),
  )

  it(
    'says why in a record that is marked as failed or stuck',
    law(({ records }) => {
      for (const { apply_status_id, last_apply_error } of records.rows.values())
        if (apply_status_id === Failed || apply_status_id === Inconsistent) assert.notEqual(last_apply_error, '')
    }),
  )

  it(
    'leaves a pending record where the end is not known, which a later look settles where the host holds it',
    law(async ({ context, resource, records, host }) => {
      const rows = [...records.rows.values()]
      const isInSync = ({ quota_id, bytes }: Quota): boolean => host.held[quota_id] === bytes
      const pending = rows.filter((row) => row.apply_status_id === Pending && isInSync(row))
      const noted: string[] = []
      await settle(
        { ...context, record: async ({ note }) => void noted.push(...note.operations) },
        resource,
        rows,
        isInSync,
      )
      for (const row of records.rows.values())
        if (row.apply_status_id === Pending) assert.ok(!isInSync(row), `quota ${row.quota_id} is in sync and pending`)
      const ids = pending.map(({ quota_id }) => quota_id).join(', ')
      assert.deepEqual(
        noted.map((text) => / holds quota (.*) as stored$/.exec(text)?.[1]),
        pending.length > 0 ? [ids] : [],
      )
    }),
  )

  it(
    'keeps what was requested apart from what failed: a refusal at one piece takes back those before it',
    law(({ host, records }, { command, atRoot, failingWrites, quotas }, { how }) => {
      const [[at, fault] = [0, '']] = atRoot
      if (command !== 'converge' || atRoot.size !== 1 || fault !== 'refuses' || at > quotas.length) return
      if (failingWrites.size > 0) return
      assert.equal(how, 'failed')
      assert.deepEqual(host.held, Object.fromEntries(quotas.map((bytes, index) => [index + 1, bytes])))
      for (const { apply_status_id } of records.rows.values()) assert.equal(apply_status_id, Applied)
    }),
  )
})

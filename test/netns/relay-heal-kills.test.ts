// The web daemon under kill -9 while it puts flushed relay rules back: the next one finishes what is left, and whatever
// changed the kernel is in the audit log once.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import type { HealView } from '@panel/shared/api/base/heal.ts'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { ChangeRouteAnswer, ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import { eventually } from '../support/eventually.ts'
import { Between, type Moment } from '../support/between.ts'
import { repetitions } from '../support/counts.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const KILLS = repetitions('PANEL_HEAL_KILLS')
const PORTS = [1001, 1002, 1003]
const { Pending, Applied } = APPLY_STATUSES
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Entry {
  readonly action: string
  readonly is_success: boolean
  readonly operations: readonly string[]
}

describe('Flushed relay rules whose web daemon is killed while it puts them back', function () {
  const rig = new RelayRig()
  const between = new Between(join(rig.folder, 'between.sock'), rig.socket)
  let panel: ReturnType<RelayRig['panel']>
  let wanted: Awaited<ReturnType<RelayRig['held']>>
  let entriesBefore = 0

  /** The next one; while a host boots it puts nothing back. */
  async function arrived(): Promise<void> {
    panel = rig.panel({ isKept: true, socket: between.path })
    await panel.watch()
  }
  async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const stored = async (): Promise<number[]> =>
    (await api<ListRoutesAnswer>('GET', '/routes')).routes.map(({ route }) => route.apply_status_id)
  /** While nobody has it open. */
  function left(): unknown[] {
    const store = new SQLite(rig.store, { readonly: true })
    try {
      return store.prepare('select apply_status_id from route_rule order by route_rule_id').pluck().all()
    } finally {
      store.close()
    }
  }
  /** What the panel did by itself, the latest first. */
  const entries = async (): Promise<Entry[]> =>
    (await api<{ entries: Entry[] }>('GET', '/audit?limit=1000')).entries.filter(({ action }) =>
      ['RouteReapply', 'ChangeSettle'].includes(action),
    )
  const fresh = async (): Promise<Entry[]> => {
    const all = await entries()
    return all.slice(0, all.length - entriesBefore)
  }
  const heals = async (): Promise<(HealView | null)[]> =>
    (await api<ReconcileAnswer>('GET', '/reconcile')).routes.map(({ heal }) => heal)
  const inSync = async (): Promise<boolean> =>
    (await api<ReconcileAnswer>('GET', '/reconcile')).routes.every(({ status }) => status === 'InSync')

  async function settled(): Promise<void> {
    const isSo = async (): Promise<boolean> => (await inSync()) && (await stored()).every((one) => one === Applied)
    await eventually(isSo, 'all is stored and in sync', { pause_ms: 30 })
  }
  const flush = (): string => rig.relay.run('nft', ['flush', 'ruleset'])
  /** Ends the time of booting and changes something, which is worth a look. */
  async function bootIsOver(): Promise<void> {
    await panel.advance(31)
    rig.relay.nft('add table inet news\ndelete table inet news\n')
  }
  async function killed(moment: Moment): Promise<void> {
    const isKilled = between.killAt('ruleset.apply', moment, () => void rig.killPanel())
    flush()
    await isKilled
    await rig.killPanel()
  }
  async function holds(): Promise<void> {
    assert.deepEqual((await rig.held()).rules, wanted.rules)
    for (const port of PORTS)
      assert.ok((await rig.client.calls.talk({ protocol: 'tcp', address: RELAY, port })) !== null, `${port}`)
  }

  before(async () => {
    await Promise.all([rig.open(), between.open()])
    await rig.servers.calls.listen({ protocol: 'tcp', address: SERVERS[0], port: 80 })
    await arrived()
    await api('PUT', '/settings', { 'system.ruleset_protection': 'off', 'system.self_heal': 'rules' })
    for (const bind_port of PORTS) {
      const destination = { destination_address: SERVERS[0], destination_port: 80 }
      await api<ChangeRouteAnswer>('POST', '/routes', { bind_address: RELAY, bind_port, ...destination })
    }
    wanted = await rig.held()
  })
  after(async () => {
    between.close()
    await rig.close()
  })
  beforeEach(async () => {
    await settled()
    entriesBefore = (await entries()).length
    await bootIsOver()
    await pause(600)
  })

  it('are pending where the kernel was not reached, and put back by the next one, which counts that once', async () => {
    await killed('before')
    assert.deepEqual([left(), (await rig.held()).is_present], [PORTS.map(() => Pending), false])
    await arrived()
    assert.deepEqual(await stored(), left())
    await bootIsOver()
    await settled()
    await holds()
    assert.deepEqual(
      (await heals()).map((heal) => [heal?.times, heal?.tries, heal?.contested]),
      PORTS.map(() => [1, 1, false]),
    )
    assert.deepEqual(
      (await fresh()).map(({ action, is_success }) => [action, is_success]),
      [['RouteReapply', true]],
    )
  })

  it('are settled where the kernel holds them, without a change, and the audit log says that it does', async () => {
    await killed('after')
    const listed = rig.relay.run('nft', ['list', 'ruleset'])
    assert.deepEqual([left(), (await rig.held()).rules], [PORTS.map(() => Pending), wanted.rules])
    await arrived()
    await settled()
    assert.equal(rig.relay.run('nft', ['list', 'ruleset']), listed)
    await holds()
    assert.deepEqual(
      (await heals()).map((heal) => [heal?.times, heal?.tries]),
      PORTS.map(() => [0, 0]),
    )
    assert.deepEqual(
      (await fresh()).map(({ action, is_success }) => [action, is_success]),
      [['ChangeSettle', true]],
    )
  })

  for (let turn = 0; turn < KILLS; turn += 1)
    it(`are as they are stored, with one entry of it, whenever that is: turn ${turn + 1}`, async () => {
      flush()
      await pause(randomInt(250))
      await rig.killPanel()
      await arrived()
      await bootIsOver()
      await settled()
      await holds()
      for (const heal of await heals()) assert.ok((heal?.times ?? 2) <= 1 && (heal?.tries ?? 2) <= 1)
      const reported = await fresh()
      assert.deepEqual(
        reported.map(({ is_success }) => is_success),
        [true],
        JSON.stringify(reported),
      )
    })
})

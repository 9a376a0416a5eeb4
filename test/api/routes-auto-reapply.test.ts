// The setting system.auto_reapply_on_drift for relay rules: what another program took from the kernel or changed there
// is put back by the panel itself (decisions.md, S15).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { GRACE_MS } from '@panel/web-daemon/change/remediate.ts'
import { LOST, RULESET_CHANGED } from '@panel/shared/events/model.ts'
import type { HealEvent, HealView } from '@panel/shared/api/base/heal.ts'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { from } from '../support/faulty.ts'
import { quietly } from '../support/quietly.ts'
import type { Client } from './support/client.ts'
import { actOnRoute, getRoute, listRoutes, madeRoute } from './support/routes.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { set } from './support/settings.ts'
import { startFaultyPanel, type FaultyPanel } from './support/tunnels.ts'

interface Entries {
  readonly entries: readonly {
    readonly target_id: number | null
    readonly username: string
    readonly is_success: boolean
    readonly operations: readonly string[]
  }[]
}

describe('Relay rules that another program changes', () => {
  let panel: FaultyPanel
  let client: Client
  beforeEach(async () => {
    panel = await startFaultyPanel()
    client = await panel.setUp()
    for (const bind_port of [1, 2, 3]) await madeRoute(client, { bind_port })
    await set(client, { 'system.auto_reapply_on_drift': true })
    panel.clock.advance(GRACE_MS / 1000 + 1)
  })
  afterEach(() => panel.close())

  /** Looks, which puts right what it finds, and says how the rules are after it. */
  async function looked(): Promise<string> {
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('event')
    return (await listRoutes(client)).body.routes.map(({ health }) => health.state).join()
  }
  const reapplies = async (): Promise<Entries['entries']> =>
    (await client.get<Entries>('/audit?action=RouteReapply')).body.entries
  const held = (): number[] => [...panel.host.rulesets.rules.keys()]

  it('are put back where the ruleset was flushed, in one change, and their totals go on', async () => {
    panel.host.rulesets.relay(2, { tx_bytes: 500, tx_packets: 5 })
    await panel.traffic.sample()
    panel.host.rulesets.flush()
    panel.host.changes.length = 0
    assert.equal(await looked(), 'healthy,healthy,healthy')
    assert.deepEqual(panel.host.changes, ['ruleset - +1,2,3'])
    panel.host.rulesets.relay(2, { tx_bytes: 70, tx_packets: 1 })
    panel.clock.advance(2)
    const { tx_bytes_since_boot, tx_bytes_since_creation } = (await getRoute(client, 2)).body
    assert.deepEqual([tx_bytes_since_boot, tx_bytes_since_creation], [70, 570])
    const [entry, ...more] = await reapplies()
    assert.deepEqual([entry?.username, entry?.is_success, more], ['', true, []])
    assert.match(
      entry?.operations.join() ?? '',
      /by the panel itself .*did not hold 3 rules as they are stored,ruleset_submit.*,back \d+ ms after it was found away$/,
    )
  })

  it('are looked at without waiting for quiet where the whole table is gone and they are to be put back, else not', async () => {
    const isUrgent = () => panel.routeWatch.isUrgent(['all'])
    panel.host.rulesets.edit(1, { nat_mode: 'none' })
    assert.equal(await isUrgent(), false)
    panel.host.rulesets.flush()
    assert.equal(await isUrgent(), true)
    await set(client, { 'system.auto_reapply_on_drift': false })
    assert.equal(await isUrgent(), false)
    await set(client, { 'system.auto_reapply_on_drift': true })
    assert.equal(await looked(), 'healthy,healthy,healthy')
    panel.host.rulesets.flush()
    // Taken away again, they wait for their pause.
    assert.equal(await looked(), 'failed,failed,failed')
    assert.equal(await isUrgent(), false)
  })

  it('are put right where one was changed, and taken out where one is disabled; others are left alone', async () => {
    await actOnRoute(client, 3, 'disable')
    panel.host.rulesets.rules.set(3, {
      ...(panel.host.rulesets.rules.get(1) ?? assert.fail()),
      route_rule_id: 3,
      bind_port: 3,
    })
    panel.host.rulesets.edit(1, { nat_mode: 'none' })
    panel.host.changes.length = 0
    assert.equal(await looked(), 'healthy,healthy,disabled')
    assert.deepEqual(
      [panel.host.changes[0], held(), panel.host.rulesets.rules.get(1)?.nat_mode],
      ['ruleset -3 +1', [1, 2], 'masquerade'],
    )
    panel.host.rulesets.edit(2, { destinations: [] })
    await looked()
    assert.equal((await reapplies())[0]?.target_id, 2)
  })

  it('are left as they are where the setting is off, and while the host may still be booting', async () => {
    await set(client, { 'system.auto_reapply_on_drift': false })
    panel.host.rulesets.flush()
    assert.equal(await looked(), 'failed,failed,failed')
    await set(client, { 'system.auto_reapply_on_drift': true })
    panel.clock.advance(-GRACE_MS / 1000 - 1)
    assert.equal(await looked(), 'failed,failed,failed')
    assert.deepEqual([held(), await reapplies()], [[], []])
  })

  it('are put back although the clock was ahead when the panel started', async () => {
    panel.host.rulesets.flush()
    panel.clock.set(-400 * 86_400)
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('event')
    assert.deepEqual(held(), [1, 2, 3])
  })

  it('are put back by their own word where they have one, whatever the setting says of all', async () => {
    await set(client, { 'system.auto_reapply_on_drift': false })
    assert.equal((await client.patch('/routes/2', { is_self_heal: true })).status, 200)
    panel.host.rulesets.flush()
    assert.equal(await looked(), 'failed,healthy,failed')
    const wanted = async () =>
      (await client.get<ReconcileAnswer>('/reconcile')).body.routes.map(({ heal }) => heal?.is_wanted)
    assert.deepEqual([held(), await wanted()], [[2], [false, true, false]])
    await set(client, { 'system.self_heal': 'rules' })
    await client.patch('/routes/3', { is_self_heal: false })
    panel.clock.advance(60)
    panel.host.rulesets.flush()
    assert.equal(await looked(), 'healthy,healthy,failed')
    assert.deepEqual(await wanted(), [true, true, false])
    await client.patch('/routes/3', { is_self_heal: null })
    assert.equal(await looked(), 'healthy,healthy,healthy')
  })

  const taken = (id: number): void => void panel.host.rulesets.edit(id, { nat_mode: 'none' })
  const healOf = async (id: number): Promise<HealView> =>
    (await client.get<ReconcileAnswer>('/reconcile')).body.routes.find(({ route_rule_id }) => route_rule_id === id)
      ?.heal ?? assert.fail()

  /** Looks, and says whether the first rule is as it is stored after it. */
  async function isBack(): Promise<boolean> {
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('event')
    return panel.host.rulesets.rules.get(1)?.nat_mode === 'masquerade'
  }

  it('again and again are put back after growing pauses, each by itself, and a day of peace forgets', async () => {
    taken(1)
    assert.equal(await isBack(), true)
    for (const pause of [30, 120, 600, 3600, 3600]) {
      taken(1)
      panel.clock.advance(pause - 1)
      assert.equal(await isBack(), false, `within ${pause} s`)
      panel.clock.advance(1)
      assert.equal(await isBack(), true, `after ${pause} s`)
    }
    assert.ok(panel.log.some((line) => line.includes('left alone for now')))
    panel.host.rulesets.edit(2, { nat_mode: 'none' })
    await isBack()
    assert.equal(panel.host.rulesets.rules.get(2)?.nat_mode, 'masquerade')
    panel.clock.advance(86_401)
    assert.equal(await isBack(), true)
    client = await panel.signIn()
    assert.deepEqual([(await healOf(1)).times, (await healOf(2)).times], [0, 0])
  })

  it('in a fight cost six tries in an hour at most', async () => {
    for (let second = 0; second < 3600; second += 20) {
      taken(1)
      await isBack()
      panel.clock.advance(20)
    }
    client = await panel.signIn()
    const tries = (await reapplies()).length
    assert.ok(tries > 1 && tries <= 6, `${tries}`)
  })

  it('are contested from the third time on: rule, incident, health and stream say how often, and by whom', async () => {
    const reported: HealEvent[] = []
    panel.bus.subscribe('heal.contested', (event) => void reported.push(event))
    taken(1)
    await looked()
    assert.deepEqual([(await healOf(1)).contested, panel.host.writersNamed], [false, 0])
    taken(1)
    await looked()
    assert.deepEqual([(await healOf(1)).contested, panel.host.writersNamed, reported.length], [false, 1, 0])
    panel.clock.advance(30)
    await looked()
    taken(1)
    panel.bus.publish('host.changed', { events: [{ ...RULESET_CHANGED, by: 'cron > nft' }] })
    await looked()
    const heal = await healOf(1)
    assert.deepEqual(
      [heal.contested, heal.times, heal.tries, heal.last_by, reported.map(({ kind, id }) => `${kind} ${id}`)],
      [true, 3, 2, 'cron > nft', ['route 1']],
    )
    assert.match(heal.detail, /^Taken away or changed 3 times since .*, last by cron > nft\. Next try at /)
    const { incidents } = (await client.get<AttentionAnswer>('/reconcile/attention')).body
    assert.match(incidents[0]?.reason ?? '', /last by cron > nft/)
    const { components } = (await client.get<HealthAnswer>('/system/health')).body
    assert.equal(components.find(({ name }) => name === 'heal')?.status, 'degraded')
    assert.equal((await client.post('/reconcile/heal/reset')).status, 200)
    assert.equal(await looked(), 'healthy,healthy,healthy')
    assert.equal((await healOf(1)).contested, false)
  })

  it('and that nobody could undo are for the operator to look at', async () => {
    await panel.db
      .updateTable('route_rule')
      .set({ apply_status_id: APPLY_STATUSES.Inconsistent })
      .where('route_rule_id', '=', 1)
      .execute()
    panel.host.rulesets.flush()
    assert.equal(await looked(), 'inconsistent,healthy,healthy')
    assert.deepEqual(held(), [2, 3])
  })

  it('are in the log and the audit log if they cannot be reapplied', async () => {
    panel.host.rulesets.flush()
    panel.arm(from(1, 'refuses'))
    assert.equal(await looked(), 'failed,failed,failed')
    assert.deepEqual(
      [
        (await reapplies()).map(({ is_success }) => is_success),
        panel.log.some((line) => line.includes('could not be reapplied')),
      ],
      [[false], true],
    )
    panel.disarm()
    panel.clock.advance(30)
    assert.equal(await looked(), 'healthy,healthy,healthy')
  })
})

describe('Relay rules that root has taken back', () => {
  quietly()
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await madeRoute(client, { bind_port: 1 })
    await set(client, { 'system.auto_reapply_on_drift': true })
    panel.clock.advance(GRACE_MS / 1000 + 1)
  })
  afterEach(() => panel.close())

  const pass = async (): Promise<void> => {
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('event')
  }
  const port = (): unknown => panel.kernel.rulesets.rules.get(1)?.bind_port

  it('are never brought back by the panel itself: not before its store has followed, and not after', async () => {
    await client.post('/safe-apply', { seconds: 60 })
    assert.equal((await client.patch('/routes/1', { bind_port: 2 })).status, 200)
    // Nobody tells the web daemon, as where its events are lost.
    await panel.windowClock.advance(60_000)
    while (panel.windows.probe().ended === null) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual([port(), (await getRoute(client, 1)).body.route.bind_port], [1, 2])
    await pass()
    // Root itself refuses what would bring it back, to any client.
    const { status, error } = await actOnRoute(client, 1, 'reapply')
    assert.deepEqual([status, error.details['reason'], port()], [503, 'window_ended', 1])
    panel.bus.publish('host.changed', { events: [LOST] })
    while (panel.windows.probe().ended !== null) await new Promise((resolve) => setTimeout(resolve, 10))
    await pass()
    assert.deepEqual([port(), (await getRoute(client, 1)).body.route.bind_port], [1, 1])
  })
})

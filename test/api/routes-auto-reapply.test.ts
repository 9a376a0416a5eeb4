// The setting system.auto_reapply_on_drift for relay rules: what somebody else took from the kernel or changed there is
// put back by the panel itself (decisions.md, S15).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { GRACE_MS } from '@panel/web-daemon/change/remediate.ts'
import { LOST } from '@panel/shared/events/model.ts'
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

describe('Relay rules that somebody else changes', () => {
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
      /by the panel itself .*did not hold 3 rules as they are stored,ruleset_submit/,
    )
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

  it('again and again are not fought: three times in ten minutes, each by itself', async () => {
    const states: string[] = []
    for (let i = 0; i < 4; i += 1) {
      panel.host.rulesets.edit(1, { nat_mode: 'none' })
      states.push(await looked())
    }
    assert.deepEqual(states, [...Array<string>(3).fill('healthy,healthy,healthy'), 'failed,healthy,healthy'])
    assert.ok(panel.log.some((line) => line.includes('left alone for now')))
    panel.host.rulesets.edit(2, { nat_mode: 'none' })
    assert.equal(await looked(), 'failed,healthy,healthy')
    panel.clock.advance(601)
    assert.equal(await looked(), 'healthy,healthy,healthy')
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

  it('are told of in the log and the audit log where they cannot be reapplied', async () => {
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
    // Root itself refuses what would bring it back, whoever asks.
    const { status, error } = await actOnRoute(client, 1, 'reapply')
    assert.deepEqual([status, error.details['reason'], port()], [503, 'window_ended', 1])
    panel.bus.publish('host.changed', { events: [LOST] })
    while (panel.windows.probe().ended !== null) await new Promise((resolve) => setTimeout(resolve, 10))
    await pass()
    assert.deepEqual([port(), (await getRoute(client, 1)).body.route.bind_port], [1, 1])
  })
})

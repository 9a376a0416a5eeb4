// Paths of networks that the monitor takes out and puts back (reference.md, Network; decisions.md, T38).
import assert from 'node:assert/strict'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { NetworkView } from '@panel/shared/api/networks/answers.ts'
import { becomes, eventually } from '../support/eventually.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { from, FaultyKernel } from '../support/faulty.ts'
import { startWatching, type WatchingPanel } from './support/monitor.ts'
import { createNetwork, getNetwork, movePath, patchNetwork, PREFERRED, statesOf } from './support/networks.ts'

/** Far more than a test takes, since what a path waits for is so many of them. */
const INTERVAL = 40
const DESTINATION = '10.50.0.0/16'

describe('A path of a network', () => {
  let panel: WatchingPanel
  const name = { 1: 'gre-a-1', 2: 'gre-a-2' } as const
  let real: FakeKernel
  let faulty: FaultyKernel
  beforeEach(async () => {
    real = new FakeKernel()
    faulty = new FaultyKernel(real, () => null)
    panel = await startWatching({}, Object.create(real, { networks: { get: () => faulty.networks } }) as FakeKernel)
    for (const remote_endpoint of ['203.0.113.1', '203.0.113.2'])
      await panel.up({ remote_endpoint, monitor_interval_seconds: INTERVAL })
    for (const id of [1, 2]) await panel.until(id, 'Up')
    panel.pathFailover.start()
    await createNetwork(panel.operator, { network_title: 'Office', paths: PREFERRED, own_addresses: ['10.66.0.1'] })
  })
  afterEach(() => panel.close())

  const carrying = (): string[] =>
    (real.networks.routes.get(DESTINATION)?.paths ?? []).map(({ interface_name }) => interface_name)
  const read = async (): Promise<NetworkView> => (await getNetwork(panel.operator, 1)).body
  const untilCarries = (path: string): Promise<unknown> => becomes(carrying, ([one]) => one === path)
  const look = (): Promise<void> => panel.pathFailover.look()
  const untilState = (id: number, state: string, probe: () => void): Promise<void> =>
    eventually(() => {
      probe()
      return panel.monitor.tunnels.stateOf(id) === state
    }, `${id} is ${state}`)
  const silence = (id: 1 | 2): Promise<void> => untilState(id, 'Down', () => panel.prober.lose(name[id], 20))
  const recover = (id: 1 | 2): Promise<void> => untilState(id, 'Up', () => panel.prober.answer(name[id], 20))
  const audited = async () =>
    (
      await panel.operator.get<{ entries: { operations: string[]; is_success: boolean; target_id: number | null }[] }>(
        '/audit?action=NetworkFailover',
      )
    ).body.entries

  it('goes out when the monitor finds its tunnel down, and the next one carries', async () => {
    await silence(1)
    await untilCarries('gre-a-2')
    const [first] = (await read()).paths
    assert.deepEqual([first?.state, first?.taken_out_date], ['out', null])
    assert.match(first?.reason ?? '', /^The monitor has found gre-a-1 down\. It comes back/)
    assert.ok(first?.failed_date !== null && first?.since === first?.failed_date)
    await eventually(async () => (await audited()).length === 1)
    assert.deepEqual(
      (await audited()).map(({ operations: [said], is_success, target_id }) => [said, is_success, target_id]),
      [['network 1: gre-a-1 goes out', true, 1]],
    )
  })

  it('comes back by itself, and not before its tunnel has been well for a while', async () => {
    await silence(1)
    await untilCarries('gre-a-2')
    await recover(1)
    await look()
    assert.deepEqual(statesOf(await read()), { 'gre-a-1': 'out', 'gre-a-2': 'carries' })
    panel.clock.advance(3 * INTERVAL)
    await look()
    assert.deepEqual(carrying(), ['gre-a-1'])
    const [first] = (await read()).paths
    assert.deepEqual([first?.state, first?.failed_date, first?.since], ['carries', null, null])
  })

  it('that flaps has to be well for twice as long with each time too many', async () => {
    const waited: number[] = []
    for (const _ of [1, 2, 3]) {
      await silence(1)
      await untilCarries('gre-a-2')
      await recover(1)
      for (waited.push(0); carrying()[0] !== 'gre-a-1'; waited.push((waited.pop() ?? 0) + 1)) {
        panel.clock.advance(INTERVAL / 2)
        await look()
      }
    }
    assert.deepEqual(waited, [6, 6, 12])
  })

  it('goes out before one that was taken out by hand where no other is left, and then the most preferred carries', async () => {
    await movePath(panel.operator, 1, 1, 'take-out')
    await silence(2)
    await untilCarries('gre-a-1')
    assert.deepEqual(statesOf(await read()), { 'gre-a-1': 'carries', 'gre-a-2': 'out' })
    await movePath(panel.operator, 1, 1, 'put-back')
    await silence(1)
    await eventually(async () => /down\. .*It carries all the same/.test((await read()).paths[0]?.reason ?? ''))
    assert.deepEqual(statesOf(await read()), { 'gre-a-1': 'carries', 'gre-a-2': 'out' })
  })

  it('that was the last makes an incident of the network, since it went out and until one is well', async () => {
    const found = async () => {
      await panel.networkWatch.pass('event')
      const { incidents } = (await panel.operator.get<AttentionAnswer>('/reconcile/attention')).body
      return incidents.flatMap(({ kind, name, state, since }) => (kind === 'network' ? [{ name, state, since }] : []))
    }
    await silence(1)
    await untilCarries('gre-a-2')
    assert.deepEqual([await found(), (await read()).severity], [[], 'ok'])
    await silence(2)
    await untilCarries('gre-a-1')
    const since = (await read()).paths[1]?.failed_date
    assert.deepEqual(await found(), [{ name: 'Office', state: 'down', since }])
    assert.equal((await read()).severity, 'down')
    real.networks.addresses.clear()
    assert.deepEqual(await found(), [{ name: 'Office', state: 'down', since }])
    await recover(2)
    panel.clock.advance(3 * INTERVAL)
    await look()
    assert.deepEqual([await found(), carrying()], [[], ['gre-a-2']])
  })

  it('that is out stays out whatever else is changed, and a new one is judged at once', async () => {
    await silence(1)
    await untilCarries('gre-a-2')
    const since = (await read()).paths[0]?.failed_date
    const { body } = await patchNetwork(panel.operator, 1, { metric: 60, paths: PREFERRED })
    assert.deepEqual([body.network.paths[0]?.failed_date, carrying()], [since, ['gre-a-2']])
    const other = await createNetwork(panel.operator, { destination: '10.60.0.0/16', paths: PREFERRED })
    const { network_id } = other.body.network
    await eventually(async () => (await getNetwork(panel.operator, network_id)).body.paths[0]?.state === 'out')
  })

  it('that the monitor does not watch any more is not held out', async () => {
    await silence(1)
    await untilCarries('gre-a-2')
    await panel.operator.post('/tunnels/1/monitor/disable')
    await untilCarries('gre-a-1')
  })

  it('that root cannot leave carries on, which the audit log has once, and goes out as soon as root can', async () => {
    faulty = new FaultyKernel(real, from(1, 'refuses'))
    await silence(1)
    await eventually(async () => (await audited()).length === 1)
    assert.deepEqual(
      (await audited()).map(({ is_success }) => is_success),
      [false],
    )
    for (const _ of [1, 2]) {
      const before = faulty.requests
      panel.bus.publish('networks.changed', { network_ids: [1] })
      await eventually(() => faulty.requests > before, 'root is asked again')
    }
    assert.deepEqual([statesOf(await read())['gre-a-1'], carrying()], ['carries', ['gre-a-1']])
    faulty = new FaultyKernel(real, () => null)
    panel.bus.publish('networks.changed', { network_ids: [1] })
    await untilCarries('gre-a-2')
    await eventually(async () => (await audited()).length === 2)
    assert.deepEqual([(await audited())[0]?.is_success, (await read()).apply_status], [true, 'Applied'])
  })
})

// Switching the watching of a tunnel, and the state of all tunnels at once (reference.md: Monitoring, States;
// decisions.md, M5, M6, T5, R16, Y7).
import assert from 'node:assert/strict'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { eventually } from '../support/eventually.ts'
import { startPanel } from './support/panel.ts'
import { startWatching, statusOf, summaryOf, toggle, type WatchingPanel } from './support/monitor.ts'
import { createTunnel, listTunnels, patchTunnel } from './support/tunnels.ts'

describe('Switching the monitoring of a tunnel', () => {
  let panel: WatchingPanel
  beforeEach(async () => {
    panel = await startWatching()
  })
  afterEach(() => panel.close())

  it('off stores the override false and takes effect at once', async () => {
    const { tunnel_id, name } = await panel.up()
    const { status, body } = await toggle(panel.operator, tunnel_id, 'disable')
    assert.deepEqual(
      [status, body.tunnel_id, body.monitor_enabled, body.tunnel.is_monitor_enabled, body.tunnel.observed.exists],
      [200, tunnel_id, false, false, true],
    )
    const { state, monitor_state_id, reason, enabled } = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual([state, monitor_state_id, enabled], ['Disabled', 50, false])
    assert.match(reason, /switched off for this tunnel/)
    await eventually(() => panel.prober.of(name) === undefined, 'probed no more')
    assert.equal((await panel.operator.get<TunnelView>(`/tunnels/${tunnel_id}`)).body.is_monitor_enabled, false)
  })

  it('on stores the override true and takes effect at once; what was measured before does not count', async () => {
    const { tunnel_id, name } = await panel.up()
    await toggle(panel.operator, tunnel_id, 'disable')
    const { status, body } = await toggle(panel.operator, tunnel_id, 'enable')
    assert.deepEqual([status, body.monitor_enabled, body.tunnel.is_monitor_enabled], [200, true, true])
    const { state, stats } = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual([state, stats.sent], ['Unknown', 0])
    await eventually(() => panel.prober.of(name) !== undefined, 'probed again')
  })

  it('back to the setting is a PATCH with null', async () => {
    const { tunnel_id } = await panel.up()
    await toggle(panel.operator, tunnel_id, 'disable')
    assert.equal(
      (await patchTunnel(panel.operator, tunnel_id, { is_monitor_enabled: null })).body.tunnel.is_monitor_enabled,
      null,
    )
    assert.equal((await statusOf(panel.operator, tunnel_id)).state, 'Unknown')
  })

  it('leaves the host alone, and is in the audit log', async () => {
    const { tunnel_id } = await panel.up()
    const before = panel.host.picture()
    await toggle(panel.operator, tunnel_id, 'disable')
    assert.equal(panel.host.picture(), before)
    const { body } = await panel.operator.get<{
      entries: { action: string; target_type: string; target_id: number; is_success: boolean }[]
    }>('/audit?action=MonitorToggle')
    assert.deepEqual(
      body.entries.map(({ target_type, target_id, is_success }) => [target_type, target_id, is_success]),
      [['tunnel', tunnel_id, true]],
    )
  })
})

describe('The monitor summary', () => {
  let panel: WatchingPanel
  beforeEach(async () => {
    panel = await startWatching()
  })
  afterEach(() => panel.close())

  it('without tunnels is empty lists and zeros', async () => {
    assert.deepEqual(await summaryOf(panel.operator), {
      tunnels: [],
      total: 0,
      counts: { Unknown: 0, Up: 0, Degraded: 0, Down: 0, Disabled: 0 },
      running: true,
    })
  })

  it('gives the state of every tunnel, in both spellings, and counts them', async () => {
    const [one, two] = [await panel.up(), await panel.probed({ remote_endpoint: '198.51.100.8' })]
    await createTunnel(panel.operator, { remote_endpoint: '198.51.100.9', is_enabled: false })
    const { tunnels, total, counts, running } = await summaryOf(panel.operator)
    assert.deepEqual([total, counts, running], [3, { Unknown: 1, Up: 1, Degraded: 0, Down: 0, Disabled: 1 }, true])
    assert.deepEqual(
      tunnels.map(({ tunnel_id, state }) => [tunnel_id, state]),
      [
        [one.tunnel_id, 'Up'],
        [two.tunnel_id, 'Unknown'],
        [3, 'Disabled'],
      ],
    )
    for (const { TunnelID, State, MonitorStateID, tunnel_id, state, monitor_state_id, reason } of tunnels) {
      assert.deepEqual([TunnelID, State, MonitorStateID], [tunnel_id, state, monitor_state_id])
      assert.notEqual(reason, '')
    }
  })

  it('has the tunnels listed by their state', async () => {
    const { tunnel_id } = await panel.up()
    await panel.probed({ remote_endpoint: '198.51.100.8' })
    const ids = async (query: string): Promise<number[]> =>
      (await listTunnels(panel.operator, query)).body.tunnels.map((tunnel) => tunnel.tunnel_id)
    assert.deepEqual(
      [await ids('?state=Up'), await ids('?state=unknown'), await ids('?state=Down'), await ids('?state=Applied')],
      [[tunnel_id], [2], [], [1, 2]],
    )
    assert.equal((await listTunnels(panel.operator, '?state=Up')).body.total, 1)
  })

  it('has its state in health: at work, or why it is not', async () => {
    await panel.up()
    const health = async (): Promise<string> => {
      const { body } = await panel.operator.get<{ components: { name: string; status: string; detail: string }[] }>(
        '/system/health',
      )
      const found = body.components.find(({ name }) => name === 'monitor')
      return `${found?.status}: ${found?.detail}`
    }
    assert.equal(await health(), 'ok: 1 up; 1 probed; 0 watching')
    panel.prober.refusal = helperAway('ENOENT')
    panel.prober.breakDown()
    await eventually(() => !panel.monitor.isRunning, 'it stands still')
    assert.match(await health(), /^error: No probes can be sent: The root helper/)
  })
})

describe('The monitoring of a panel that has not begun it', () => {
  it('says so of every tunnel', async () => {
    const panel = await startPanel()
    const operator = await panel.setUp()
    const { tunnel_id } = (await createTunnel(operator)).body.tunnel
    const { state, reason, events } = await statusOf(operator, tunnel_id)
    assert.deepEqual([state, reason, events], ['Unknown', 'Monitoring has not started', []])
    assert.deepEqual([(await summaryOf(operator)).running, (await summaryOf(operator)).total], [false, 1])
    await panel.close()
  })
})

// Networks behind tunnels beside the host: what differs, what comes back with a window, and what a change would do
// (reference.md, Reconcile, Safe apply, Impact).
import assert from 'node:assert/strict'
import type { AttentionAnswer, ListIncidentsAnswer } from '@panel/shared/api/incidents.ts'
import type { NetworkFinding } from '@panel/shared/api/networks/findings.ts'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import type { Client } from './support/client.ts'
import {
  createNetwork,
  deleteNetwork,
  listNetworks,
  makeTunnels,
  movePath,
  NETWORK,
  patchNetwork,
  PREFERRED,
} from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'
import { reconcile } from './support/reconcile.ts'
import { createRoute } from './support/routes.ts'
import { act } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

const DESTINATION = NETWORK.destination

describe('A network beside the host', () => {
  let panel: TestPanel
  let client: Client

  beforeEach(async () => {
    const started = await startWindowPanel()
    panel = started.panel
    client = started.operator
    await makeTunnels(client)
    await createNetwork(client, { network_title: 'Office', paths: PREFERRED })
  })
  afterEach(() => panel.close())

  const findings = async (): Promise<NetworkFinding[]> => (await reconcile(client)).body.networks

  describe('needs attention', () => {
    const look = async (): Promise<void> => {
      await panel.networkWatch.pass('event')
      await panel.incidents.look()
    }
    const listed = async () =>
      (await client.get<ListIncidentsAnswer>('/incidents?kind=network')).body.incidents.map(
        ({ name, state, ended_at, reason }) => [name, state, ended_at !== null, reason],
      )

    it('as long as it is not held as it is stored: down without a route, degraded without something else', async () => {
      await look()
      assert.deepEqual(await listed(), [])
      panel.kernel.networks.routes.clear()
      await look()
      const why = 'Its route is missing, or is another one. Reapply puts it in.'
      assert.deepEqual(await listed(), [['Office', 'down', false, why]])
      const { incidents } = (await client.get<AttentionAnswer>('/reconcile/attention')).body
      assert.deepEqual(
        incidents.map(({ kind, name, affected }) => [kind, name, affected]),
        [['network', 'Office', []]],
      )
      await patchNetwork(client, 1, {})
      await look()
      assert.deepEqual(await listed(), [['Office', 'down', true, why]])
      const state = panel.kernel.networks.held.get(DESTINATION)
      assert.ok(state)
      await panel.kernel.networks.keep([{ ...state, metric: 99 }])
      await panel.kernel.networks.setRoutes([{ ...state, metric: 99 }])
      await look()
      assert.deepEqual((await listed())[0]?.slice(0, 3), ['Office', 'degraded', false])
    })

    it('neither while it is disabled, nor where root alone keeps it', async () => {
      await patchNetwork(client, 1, { is_enabled: false })
      const state = { destination: '10.99.0.0/16', metric: 50, source: null, own_addresses: [], lacks: [] }
      await panel.kernel.networks.keep([{ ...state, paths: [{ interface_name: 'gre-a-1', weight: 1 }] }])
      await look()
      assert.deepEqual(await listed(), [])
    })
  })

  describe('in the report', () => {
    it('is in sync as it was made', async () => {
      const { body } = await reconcile(client)
      assert.deepEqual(
        [
          body.networks.map(({ network_id, status, actions, diffs }) => [network_id, status, actions, diffs]),
          body.network_counts,
        ],
        [[[1, 'InSync', ['reapply', 'delete'], []]], { InSync: 1 }],
      )
      assert.equal(body.network_findings.readable, true)
    })

    it('has drifted where its route is gone, and a PATCH without fields mends it', async () => {
      panel.kernel.networks.routes.clear()
      const [found] = await findings()
      assert.deepEqual([found?.status, found?.diffs.map(({ field }) => field)], ['Drifted', ['lacks']])
      assert.equal(found?.detail, 'Its route is missing, or is another one. Reapply puts it in.')
      await patchNetwork(client, 1, {})
      assert.equal((await findings())[0]?.status, 'InSync')
    })

    it('has drifted where root keeps another one, is missing where it keeps none', async () => {
      const state = panel.kernel.networks.held.get(DESTINATION)
      assert.ok(state)
      await panel.kernel.networks.keep([{ ...state, metric: 99 }])
      await panel.kernel.networks.setRoutes([{ ...state, metric: 99 }])
      const [found] = await findings()
      assert.deepEqual(
        [found?.status, found?.diffs.map(({ desired, actual }) => [desired, actual])],
        ['Drifted', [['50', '99']]],
      )
      assert.match(found?.detail ?? '', /99 instead of 50/)
      panel.kernel.networks.held.clear()
      assert.equal((await findings())[0]?.status, 'Missing')
      assert.equal((await patchNetwork(client, 1, {})).status, 200)
      assert.equal((await findings())[0]?.status, 'InSync')
    })

    it('has drifted where it is disabled and root keeps it', async () => {
      const state = panel.kernel.networks.held.get(DESTINATION)
      await patchNetwork(client, 1, { is_enabled: false })
      assert.equal((await findings())[0]?.status, 'InSync')
      if (state) await panel.kernel.networks.keep([state])
      assert.deepEqual(
        (await findings()).map(({ status }) => status),
        ['Drifted'],
      )
      await patchNetwork(client, 1, {})
      assert.equal(panel.kernel.networks.held.size, 0)
    })

    it('is in sync while a tunnel of it is disabled, the only one too', async () => {
      await act(client, 1, 'down')
      assert.equal((await findings())[0]?.status, 'InSync')
      await act(client, 2, 'down')
      assert.equal((await findings())[0]?.status, 'InSync')
    })

    it('that the panel does not know can be adopted by its destination', async () => {
      await panel.db.deleteFrom('network_path').execute()
      await panel.db.deleteFrom('network').execute()
      const [found] = await findings()
      assert.deepEqual([found?.network_id, found?.status, found?.actions], [null, 'Unmanaged', ['adopt']])
      await createNetwork(client, { destination: found?.destination ?? '' })
      assert.deepEqual(
        (await findings()).map(({ status }) => status),
        ['InSync'],
      )
    })

    it('is not judged while root does not know what it keeps', async () => {
      panel.kernel.networks.damage = 'The record is damaged'
      const { status, body } = await reconcile(client)
      assert.deepEqual([status, body.networks, body.network_findings.readable], [200, [], false])
      assert.match(body.network_findings.detail, /damaged/)
    })
  })

  describe('in a window', () => {
    const window = async () => (await client.get<SafeApplyAnswer>('/safe-apply')).body.window
    async function cancel(): Promise<void> {
      const open = await window()
      await client.post('/safe-apply/cancel', { window_id: open?.window_id })
      while ((await window()) !== null) await new Promise((resolve) => setTimeout(resolve, 10))
    }

    const CHANGES: Record<string, () => Promise<unknown>> = {
      'a network that was made': () =>
        createNetwork(client, { destination: '10.51.0.0/16', own_addresses: ['10.66.0.1'] }),
      'a network that was changed': () =>
        patchNetwork(client, 1, { destination: '10.51.0.0/16', own_addresses: ['10.66.0.1'] }),
      'a network that was deleted': () => deleteNetwork(client, 1),
      'a path that was taken out': () => movePath(client, 1, 1, 'take-out'),
      'a tunnel that left a network': () => client.delete('/tunnels/1', { force: true }),
      'a title alone': () => patchNetwork(client, 1, { network_title: 'Another' }),
    }
    for (const [what, change] of Object.entries(CHANGES))
      it(`${what} comes back, on the host and in the store, and is named meanwhile`, async () => {
        const before = [
          panel.kernel.picture(),
          (await listNetworks(client)).body.networks.map(({ updated_date: _u, last_applied_date: _l, ...one }) => one),
        ]
        await client.post('/safe-apply', { seconds: 100 })
        await change()
        const items = (await window())?.items ?? []
        assert.ok(
          items.some(({ kind }) => kind === 'network'),
          JSON.stringify(items),
        )
        await cancel()
        const after = [
          panel.kernel.picture(),
          (await listNetworks(client)).body.networks.map(({ updated_date: _u, last_applied_date: _l, ...one }) => one),
        ]
        assert.deepEqual(after, before)
      })

    it('the steps of its end are foreseen', async () => {
      await client.post('/safe-apply', { seconds: 100 })
      await movePath(client, 1, 1, 'take-out')
      const window_id = (await window())?.window_id
      const { body } = await client.post<ImpactAnswer>('/impact', {
        method: 'POST',
        path: '/safe-apply/cancel',
        body: { window_id },
      })
      assert.deepEqual(
        body.plan.steps.map(({ kind }) => kind),
        ['network_keep', 'network_route_set'],
      )
    })
  })

  describe('as its impact', () => {
    const impactOf = async (method: string, path: string, body: object = {}): Promise<ImpactAnswer['impact']> =>
      (await client.post<ImpactAnswer>('/impact', { method, path, body })).body.impact

    it('has no interruption where other paths carry, and a lasting one where the route goes', async () => {
      assert.equal((await impactOf('POST', '/networks/1/paths/1/take-out')).interruption, 'none')
      const gone = await impactOf('DELETE', '/networks/1')
      assert.deepEqual(
        [gone.interruption, gone.summary],
        ['lasting', 'This server no longer leads anything to 10.50.0.0/16 by tunnels.'],
      )
      assert.equal((await impactOf('PATCH', '/networks/1', { is_enabled: false })).interruption, 'lasting')
      assert.equal((await impactOf('PATCH', '/networks/1', { metric: 60 })).interruption, 'none')
    })

    it('names the rules that relay there', async () => {
      await createRoute(client, { destination_address: '10.50.0.9' })
      await createRoute(client, { destination_address: '192.0.2.77', bind_port: 444 })
      panel.kernel.hostRoutes.push({ ...fakeRoute(DESTINATION, 'gre-a-1'), protocol: '84' })
      const { rules } = await impactOf('DELETE', '/networks/1')
      assert.deepEqual(
        rules.map(({ route_rule_id, fate }) => [route_rule_id, fate]),
        [[1, 'end']],
      )
      assert.deepEqual((await impactOf('POST', '/networks/1/paths/1/take-out')).rules, [])
    })

    it('says whether it takes the way of the own connection', async () => {
      const { own_access } = await impactOf('DELETE', '/networks/1')
      assert.equal(own_access.is_affected, false)
      panel.kernel.hostLimits = { ...panel.kernel.hostLimits, wide_networks: ['127.0.9.0/24'] }
      const body = { ...NETWORK, destination: '127.0.9.0/24' }
      const { body: answer } = await client.post<ImpactAnswer>(
        '/impact',
        { method: 'POST', path: '/networks', body },
        { from: '127.0.9.1' },
      )
      assert.deepEqual([answer.impact.own_access.is_affected, answer.impact.own_access.how], [true, 'route_captured'])
    })
  })
})

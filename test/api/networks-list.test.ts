// Networks behind tunnels as they are listed, and previewed (reference.md, Networks).
import assert from 'node:assert/strict'
import type { ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import type { Client } from './support/client.ts'
import {
  createNetwork,
  deleteNetwork,
  getNetwork,
  listNetworks,
  eachPanelWithTunnels,
  NETWORK,
  patchNetwork,
  PREFERRED,
  previewNetwork,
  statesOf,
} from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'
import { act } from './support/tunnels.ts'

describe('A network behind tunnels', () => {
  let panel: TestPanel
  let client: Client
  eachPanelWithTunnels((made) => ({ panel, client } = made))

  describe('in the list', () => {
    beforeEach(async () => {
      await createNetwork(client, { network_title: 'Office', note: 'second floor', own_addresses: ['10.66.0.1'] })
      await createNetwork(client, { destination: '10.51.0.0/16', paths: PREFERRED, is_enabled: false })
    })
    const found = async (query: string): Promise<number[]> =>
      (await listNetworks(client, query)).body.networks.map(({ network_id }) => network_id)

    it('is found by its words, by a path, and by whether it is enabled; page by page', async () => {
      assert.deepEqual(await found(''), [1, 2])
      for (const search of ['OFFICE', 'second', '10.50', '10.66.0.1'])
        assert.deepEqual(await found(`?search=${search}`), [1])
      assert.deepEqual(await found('?search=nothing'), [])
      assert.deepEqual([await found('?tunnel_id=2'), await found('?tunnel_id=1')], [[2], [1, 2]])
      assert.deepEqual([await found('?is_enabled=true'), await found('?is_enabled=false')], [[1], [2]])
      assert.deepEqual([await found('?limit=1'), await found('?limit=1&offset=1')], [[1], [2]])
      assert.equal((await listNetworks(client, '?limit=1')).body.total, 2)
    })

    it('says what the kernel does not hold of it', async () => {
      panel.kernel.networks.routes.clear()
      panel.kernel.networks.addresses.clear()
      const { networks } = (await listNetworks(client)).body
      assert.deepEqual(
        networks[0]?.lacks.map(({ kind, name }) => [kind, name]),
        [
          ['address', '10.66.0.1'],
          ['route', ''],
        ],
      )
      assert.deepEqual([networks[0]?.kernel_route, networks[1]?.lacks], [null, []])
      panel.kernel.networks.held.clear()
      assert.deepEqual(
        (await getNetwork(client, 1)).body.lacks.map(({ kind }) => kind),
        ['network'],
      )
    })

    it('is shown as stored while root does not know what it keeps', async () => {
      panel.kernel.networks.damage = 'the record is damaged'
      const { body } = await getNetwork(client, 1)
      assert.deepEqual([body.is_known, body.kernel_route, body.lacks], [false, null, []])
      assert.match(body.detail, /^What this server holds of it is unknown: /)
    })
  })

  describe('has a severity', () => {
    const severity = async (): Promise<string> => {
      const { body } = await getNetwork(client, 1)
      assert.equal((await listNetworks(client)).body.networks[0]?.severity, body.severity)
      return body.severity
    }
    beforeEach(async () => {
      await createNetwork(client, { own_addresses: ['10.66.0.1'] })
    })

    it('that is ok as it was made, and while it is disabled', async () => {
      assert.equal(await severity(), 'ok')
      panel.kernel.networks.routes.clear()
      await patchNetwork(client, 1, { is_enabled: false })
      assert.equal(await severity(), 'ok')
    })

    it('that is degraded where the kernel lacks some of it, and down where nothing reaches it', async () => {
      panel.kernel.networks.addresses.clear()
      assert.equal(await severity(), 'degraded')
      panel.kernel.networks.routes.clear()
      assert.equal(await severity(), 'down')
      panel.kernel.networks.held.clear()
      assert.equal(await severity(), 'down')
    })

    it('that is unknown while root cannot say what it keeps', async () => {
      panel.kernel.networks.damage = 'the record is damaged'
      assert.equal(await severity(), 'unknown')
    })

    it('that is down while no path can carry, which no path is then reported to do', async () => {
      await act(client, 1, 'down')
      assert.equal(await severity(), 'down')
      const { paths } = (await getNetwork(client, 1)).body
      assert.deepEqual(
        paths.map(({ state, reason }) => [state, reason]),
        [['out', 'gre-a-1 is disabled.']],
      )
    })
  })

  it('is in the audit log by the name that it bears now, and found by it', async () => {
    const entries = async (query: string) =>
      (await client.get<ListAuditAnswer>(`/audit?${query}`)).body.entries.map(({ action, target_name }) => [
        action,
        target_name,
      ])
    await createNetwork(client, { network_title: 'Frankfurt' })
    assert.deepEqual(await entries('search=frankfurt'), [['NetworkCreate', 'Frankfurt']])
    await deleteNetwork(client, 1)
    assert.deepEqual(await entries('target_type=network'), [
      ['NetworkDelete', ''],
      ['NetworkCreate', ''],
    ])
  })

  describe('in a preview', () => {
    it('shows plan, paths and impact, and touches nothing', async () => {
      const picture = panel.kernel.picture()
      const { status, body } = await previewNetwork(client, { ...NETWORK, paths: PREFERRED })
      assert.deepEqual([status, body.plan.operation, body.plan.network_id], [200, 'create', null])
      assert.deepEqual(statesOf(body), { 'gre-a-1': 'carries', 'gre-a-2': 'standby' })
      assert.equal(body.impact.interruption, 'none')
      assert.equal(panel.kernel.picture(), picture)
      assert.equal((await listNetworks(client)).body.total, 0)
      assert.equal((await createNetwork(client, body.resolved)).status, 201)
    })

    it('of a change names the network, and its resolved request makes just that', async () => {
      await createNetwork(client)
      const { body } = await previewNetwork(client, { network_id: 1, metric: 60 })
      assert.deepEqual([body.plan.operation, body.plan.network_id, body.resolved.metric], ['update', 1, 60])
      assert.equal((await getNetwork(client, 1)).body.metric, 50)
      assert.equal((await patchNetwork(client, 1, body.resolved)).body.network.metric, 60)
    })

    it('warns of paths that leave this server by one interface, as long as they are new together', async () => {
      const warnings = async (body: object): Promise<[string, string | undefined, string][]> =>
        (await previewNetwork(client, body)).body.warnings.map(({ code, field, message }) => [code, field, message])
      const shared = [
        'PATHS_SHARE_UNDERLAY',
        'paths',
        'These tunnels leave this server by eth0, and are lost together with it: gre-a-1, gre-a-2.',
      ]
      assert.deepEqual(await warnings({ ...NETWORK, paths: PREFERRED }), [shared])
      assert.deepEqual(await warnings(NETWORK), [])
      await createNetwork(client)
      assert.deepEqual(await warnings({ network_id: 1, paths: PREFERRED }), [shared])
      await patchNetwork(client, 1, { paths: PREFERRED })
      assert.deepEqual(await warnings({ network_id: 1, metric: 60 }), [])
      panel.kernel.hostRoutes.push(fakeRoute('203.0.113.2/32', 'eth1'))
      assert.deepEqual(await warnings({ ...NETWORK, destination: '10.51.0.0/16', paths: PREFERRED }), [])
    })

    it('warns where it lies inside another network, or holds one: both are allowed', async () => {
      await createNetwork(client, { network_title: 'Office' })
      const inside = { destination: '10.50.7.0/24', paths: [{ tunnel_id: 2 }] }
      const { body } = await previewNetwork(client, inside)
      assert.deepEqual(
        body.warnings.map(({ code, field, message }) => [code, field, message]),
        [
          [
            'NETWORK_INSIDE_NETWORK',
            'destination',
            '10.50.7.0/24 lies inside “Office”: what is for it takes its own paths.',
          ],
        ],
      )
      assert.deepEqual(body.plan.warnings, body.warnings)
      assert.equal((await createNetwork(client, inside)).status, 201)
      await deleteNetwork(client, 1)
      const outer = await createNetwork(client)
      assert.deepEqual([outer.status, outer.body.warnings.map(({ code }) => code)], [201, ['NETWORK_INSIDE_NETWORK']])
    })
  })
})

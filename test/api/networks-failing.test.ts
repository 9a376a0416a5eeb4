// A change of a network, or of a tunnel that is its path, that fails in the kernel: it is put back, or says what is left.
import assert from 'node:assert/strict'
import { from, onlyAt } from '../support/faulty.ts'
import type { Client, Reply } from './support/client.ts'
import {
  createNetwork,
  deleteNetwork,
  getNetwork,
  listNetworks,
  makeTunnels,
  movePath,
  patchNetwork,
  PREFERRED,
} from './support/networks.ts'
import { act, deleteTunnel, listTunnels, startFaultyPanel, type FaultyPanel } from './support/tunnels.ts'

describe('A change of a network that fails in the kernel', () => {
  let panel: FaultyPanel
  let client: Client

  beforeEach(async () => {
    panel = await startFaultyPanel()
    client = await panel.setUp()
    await makeTunnels(client)
    await createNetwork(client, { paths: PREFERRED, own_addresses: ['10.66.0.1'] })
  })
  afterEach(() => panel.close())

  const CHANGES: Record<string, () => Promise<Reply<unknown>>> = {
    update: () => patchNetwork(client, 1, { metric: 60, own_addresses: ['10.66.0.2'] }),
    removal: () => deleteNetwork(client, 1),
    'taking out a path': () => movePath(client, 1, 1, 'take-out'),
  }
  for (const [what, change] of Object.entries(CHANGES)) {
    it(`is put back in ${what}: 409 APPLY_FAILED, and the record says why and keeps what it was`, async () => {
      const { metric, paths } = (await getNetwork(client, 1)).body
      const picture = panel.host.picture()
      panel.arm(onlyAt(2, 'half'))
      const { status, error } = await change()
      assert.deepEqual([status, error.code, error.details['network_id']], [409, 'APPLY_FAILED', 1])
      assert.equal(panel.host.picture(), picture)
      const { body } = await getNetwork(client, 1)
      assert.deepEqual([body.apply_status, body.metric, body.paths], ['Failed', metric, paths])
      assert.match(body.last_apply_error, /Injected fault/)
    })

    it(`and cannot be undone in ${what} is 409 NETWORK_INCONSISTENT with remedies, and a PATCH without fields mends it`, async () => {
      panel.arm(from(2, 'half'))
      const { status, error } = await change()
      assert.deepEqual([status, error.code], [409, 'NETWORK_INCONSISTENT'])
      assert.ok(Array.isArray(error.details['remediation']))
      assert.equal((await getNetwork(client, 1)).body.apply_status, 'Inconsistent')
      panel.disarm()
      const mended = await patchNetwork(client, 1, {})
      assert.deepEqual(
        [mended.status, mended.body.network.apply_status, mended.body.network.lacks],
        [200, 'Applied', []],
      )
    })
  }

  it('leaves no record of one that was to be made', async () => {
    panel.arm(onlyAt(1, 'half'))
    const { status, error } = await createNetwork(client, { destination: '10.51.0.0/16' })
    assert.deepEqual([status, error.code, (await listNetworks(client)).body.total], [409, 'APPLY_FAILED', 1])
  })

  it('leaves the tunnel where it cannot be taken off the paths, and warns where the network could not be moved', async () => {
    panel.arm(onlyAt(1, 'refuses'))
    assert.equal((await deleteTunnel(client, 1, { force: true })).status, 409)
    assert.equal((await listTunnels(client)).body.total, 2)
    panel.disarm()
    panel.arm(onlyAt(1, 'refuses'))
    const { status, body } = await act(client, 1, 'down')
    assert.deepEqual([status, body.warnings.map(({ code }) => code)], [200, ['NETWORKS_NOT_MOVED']])
    assert.equal((await getNetwork(client, 1)).body.apply_status, 'Failed')
  })

  it('goes back to a tunnel that could not be taken down', async () => {
    const carries = () => panel.host.networks.routes.get('10.50.0.0/16')?.paths[0]?.interface_name
    panel.arm(onlyAt(3, 'refuses'))
    assert.equal((await act(client, 1, 'down')).status, 409)
    assert.deepEqual([carries(), panel.host.held.get('gre-a-1')?.state?.is_up], ['gre-a-1', true])
  })
})

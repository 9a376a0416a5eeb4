// Networks behind tunnels as a part of a backup (reference.md, Backup document; decisions.md, B7).
import assert from 'node:assert/strict'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import { backupOf, became, exportOf, importInto, withoutIds } from './support/backup.ts'
import type { Client } from './support/client.ts'
import {
  createNetwork,
  getNetwork,
  listNetworks,
  makeTunnels,
  movePath,
  PREFERRED,
  statesOf,
} from './support/networks.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel } from './support/tunnels.ts'

describe('The networks of a backup', () => {
  let source: TestPanel
  let target: TestPanel
  let from: Client
  let to: Client
  let backup: BackupDocument

  beforeEach(async () => {
    ;[source, target] = [await startPanel(), await startPanel()]
    ;[from, to] = [await source.setUp(), await target.setUp()]
    await makeTunnels(from)
    await createNetwork(from, {
      network_title: 'Office',
      note: 'second floor',
      paths: PREFERRED,
      own_addresses: ['10.66.0.1'],
      source_address: '10.66.0.1',
      metric: 70,
    })
    await createNetwork(from, { destination: '10.51.0.0/16', is_enabled: false })
    backup = await exportOf(from)
  })
  afterEach(async () => {
    for (const panel of [source, target]) await panel.close()
  })

  it('are brought back with their paths, on the host and in the store', async () => {
    // A tunnel that is here already, so that ids differ.
    await createTunnel(to, { interface_name: 'other', tunnel_number: 9, remote_endpoint: '203.0.113.9' })
    const imported = await importInto(to, backup)
    assert.deepEqual(became(imported, 'network'), { Office: 'create', '10.51.0.0/16': 'create' }, imported.text)
    const { networks, tunnels } = withoutIds(await exportOf(to)) as BackupDocument
    const expected = withoutIds(backup) as BackupDocument
    assert.deepEqual(networks, expected.networks)
    assert.equal(tunnels.length, 3)
    const { body } = await getNetwork(to, 1)
    assert.deepEqual([body.lacks, body.kernel_route?.metric, body.apply_status], [[], 70, 'Applied'])
  })

  it('are skipped where their title or destination is here, a second time too', async () => {
    await importInto(to, backup)
    const again = await importInto(to, backup)
    assert.deepEqual(became(again, 'network'), {})
    assert.equal((await listNetworks(to)).body.total, 2)
    const twice = await importInto(to, { ...backup, networks: [...backup.networks, ...backup.networks] })
    assert.deepEqual([became(twice, 'network'), (await listNetworks(to)).body.total], [{}, 2])
  })

  it('are only foretold in a dry run', async () => {
    const picture = target.kernel.picture()
    const dry = await importInto(to, backup, { dry_run: true })
    assert.deepEqual(became(dry, 'network'), { Office: 'would_create', '10.51.0.0/16': 'would_create' })
    assert.deepEqual([target.kernel.picture(), (await listNetworks(to)).body.total], [picture, 0])
  })

  it('are none of a document from before there were networks, nor where they are left out', async () => {
    await importInto(to, backup)
    const { networks: _none, ...older } = backup
    const imported = await importInto(to, older)
    assert.deepEqual([imported.status, became(imported, 'network')], [200, {}])
    assert.equal((await listNetworks(to)).body.total, 2)
    const other = await startPanel()
    const client = await other.setUp()
    const without = await importInto(client, backup, { include_networks: false })
    assert.deepEqual([without.status, (await listNetworks(client)).body.total], [200, 0])
    await other.close()
  })

  it('go without paths whose tunnels are not here, and fail without any', async () => {
    const [first] = backup.tunnels
    const fewer = await importInto(to, { ...backup, tunnels: [first] })
    assert.deepEqual(became(fewer, 'network'), { Office: 'create', '10.51.0.0/16': 'create' })
    assert.match(fewer.body.actions.find(({ target: title }) => title === 'Office')?.detail ?? '', /goes without them/)
    assert.deepEqual(statesOf((await getNetwork(to, 1)).body), { 'gre-a-1': 'carries' })
    const none = await importInto(
      from,
      backupOf({
        networks: [
          {
            ...backup.networks[0],
            network_title: 'New',
            destination: '10.77.0.0/16',
            own_addresses: [],
            source_address: null,
          },
        ],
      }),
    )
    assert.deepEqual(became(none, 'network'), { New: 'failed' })
    assert.match(none.body.actions.at(-1)?.error?.message ?? '', /None of the tunnels/)
  })

  it('that are wrong fail with the path of the field, and stop no other', async () => {
    const wrong = { ...backup.networks[0], destination: '10.0.0.0/8', network_title: 'Wide' }
    const imported = await importInto(to, { ...backup, networks: [wrong, { paths: 1 }, ...backup.networks] })
    assert.deepEqual(became(imported, 'network'), {
      Wide: 'failed',
      'backup.networks[1]': 'failed',
      Office: 'create',
      '10.51.0.0/16': 'create',
    })
    assert.equal(
      imported.body.actions.find(({ target: title }) => title === 'Wide')?.error?.field,
      'backup.networks[0].destination',
    )
  })

  it('are all put back where an atomic import fails', async () => {
    const picture = target.kernel.picture()
    const wrong = {
      ...backup.networks[0],
      destination: '10.0.0.0/8',
      network_title: 'Wide',
      own_addresses: [],
      source_address: null,
    }
    const imported = await importInto(to, { ...backup, networks: [...backup.networks, wrong] }, { is_atomic: true })
    assert.deepEqual(
      [imported.body.is_taken_back, target.kernel.picture(), (await listNetworks(to)).body.total],
      [true, picture, 0],
    )
  })

  it('say nothing of what was taken out by hand', async () => {
    await movePath(from, 1, 1, 'take-out')
    assert.deepEqual((await exportOf(from)).networks, backup.networks)
  })
})

// A backup brought to an empty server: the same kernel state, read from the kernel itself, the same files, and an
// export equal to the first.
import assert from 'node:assert/strict'
import { exportOf, importInto, withoutIds } from '../api/support/backup.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, Panel } from './panel/panel.ts'

/** Hardware addresses; an outer address stands under the same name. */
const DRAWN = /"(address": "([0-9a-f]{2}:){5}[0-9a-f]{2}|permaddr": "[0-9a-f:]+)",/g

describe('A backup on a real kernel', function () {
  let lab: Lab
  let panel: Panel
  let servers: Awaited<ReturnType<Lab['twoServers']>>

  const start = async (): Promise<void> => {
    panel = new Panel(servers.a)
    await panel.startHelper()
    await panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    await panel.setUp()
  }

  /** Links, files and the ruleset, but for what the kernel draws or counts by itself. */
  const held = async (): Promise<string> => {
    const rules = await panel.server.run('nft list table inet panel')
    return `${(await panel.picture()).replace(DRAWN, '')}\n${rules.replace(/packets \d+ bytes \d+/g, '')}`
  }

  /** Nothing of the panel is left: no process, no link, no rule, no file. */
  async function wipe(): Promise<void> {
    for (const daemon of [panel.web, panel.helper]) {
      daemon.kill('TERM')
      await daemon.exited
    }
    for (const name of ['one', 'two', 'three', 'four']) await panel.server.run('ip', ['link', 'delete', name])
    await panel.server.run(`nft delete table inet panel && rm -r ${panel.folder}`)
  }

  before(async () => {
    lab = await startLab()
    servers = await lab.twoServers()
    await putPanel(lab)
    await start()
  })
  after(() => lab?.stop())

  it('makes of an empty server what the first one was', async () => {
    const { a, b } = servers
    const request = async (path: string, body: object): Promise<void> =>
      void expect(await panel.operator.post(path, body), 201)
    const [v4, v6] = [
      { local_endpoint: a.address, remote_endpoint: b.address },
      { local_endpoint: a.address6, remote_endpoint: b.address6 },
    ]
    expect(
      await panel.operator.put('/settings', {
        'tunnel.default_ttl': 64,
        'display.theme': 'dark',
        'routes.default_clamp_mss': false,
      }),
      200,
    )
    await request('/pools', { address_pool_title: 'Mine', cidr: '10.77.0.0/16', prefix_length: 30 })
    await request('/tunnels', {
      ...v4,
      interface_name: 'one',
      address_pool_id: 41,
      ikey: 7,
      okey: 8,
      fwmark: 9,
      note: 'the first',
    })
    await request('/tunnels', {
      ...v4,
      interface_name: 'two',
      tunnel_type_id: 20,
      tos: '0x10',
      has_output_checksum: true,
      tx_queue_length: 77,
      is_enabled: false,
    })
    await request('/tunnels', {
      ...v6,
      interface_name: 'three',
      tunnel_type_id: 30,
      hop_limit: 33,
      traffic_class: '0x20',
      encap_limit: 4,
      flow_label: 48879,
      addresses: [{ address: 'fd00:3::1', prefix_length: 64 }],
    })
    await request('/tunnels', {
      ...v6,
      interface_name: 'four',
      tunnel_type_id: 40,
      ikey: null,
      okey: null,
      persistence_type_id: 30,
    })
    await request('/routes', {
      route_rule_title: 'web',
      bind_port: 443,
      destination_address: '10.77.1.2',
      destination_port: 8443,
      tunnel_id: 1,
      allowed_sources: [{ cidr: '203.0.113.0/24' }],
      max_connections_per_source: 9,
    })
    await request('/routes', {
      route_rule_title: 'range',
      route_protocol_id: 30,
      bind_port: 5000,
      bind_port_range_end: 5009,
      destinations: [
        { address: '10.77.1.2', port: 6000 },
        { address: '10.77.1.3', port: 6000, weight: 3 },
      ],
      load_balance_mode_id: 40,
    })
    const [backup, before] = [await exportOf(panel.operator), await held()]

    await wipe()
    await start()
    const { body } = await importInto(panel.operator, backup)
    assert.deepEqual(
      body.actions.filter(({ error }) => error),
      [],
    )
    assert.deepEqual([body.counts.create, body.counts.failed], [7, 0])
    assert.equal(await held(), before)
    assert.deepEqual(withoutIds(await exportOf(panel.operator)), withoutIds(backup))
  })
})

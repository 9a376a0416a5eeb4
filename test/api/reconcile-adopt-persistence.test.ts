// What keeps an adopted tunnel over a reboot: a unit of its own, systemd-networkd, or nothing (reference.md, POST
// /reconcile/adopt; decisions.md, S12, S13, R14).
import assert from 'node:assert/strict'
import { READ } from '@panel/shared/tunnel/read-saved-file.ts'
import { renderKeepaliveUnit } from '@panel/shared/tunnel/keepalive-unit.ts'
import { ownTunnels } from '@panel/web-daemon/cli/interfaces.ts'
import { savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import { renderSystemdUnit } from '@panel/shared/tunnel/systemd-unit.ts'
import type { Client } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { adopt, byHand, forget, itemOf, plantByHand } from './support/reconcile.ts'
import { createTunnel, startFaultyPanel, type FaultyPanel } from './support/tunnels.ts'

const UNIT = 'tunnel-panel-link-by-hand.service'
const PATH = `/etc/systemd/system/${UNIT}`

describe('The persistence of an adopted tunnel', () => {
  let panel: FaultyPanel
  let client: Client
  beforeEach(async () => {
    panel = await startFaultyPanel()
    client = await panel.setUp()
    plantByHand(panel.host, 'by-hand')
  })
  afterEach(() => panel.close())

  const host = (): TestPanel['kernel'] => panel.host
  const keep = (config = byHand().config, isEnabled = true): void => {
    host().files.set(UNIT, renderSystemdUnit('by-hand', config))
    if (isEnabled) host().enabled.add(UNIT)
  }
  const codes = (warnings: readonly { code: string }[]): string[] => warnings.map(({ code }) => code)

  it('decides what a purge of the package takes away: not what was adopted as it was', async () => {
    const own = async (): Promise<string[]> => (await ownTunnels(panel.db)).map(({ interface_name }) => interface_name)
    await createTunnel(client, { interface_name: 'made-here', persistence_type_id: 30 })
    const { body } = await adopt(client, { interface_name: 'by-hand' })
    assert.deepEqual(await own(), ['made-here'])
    await forget(client, body.tunnel.tunnel_id)
    await adopt(client, { interface_name: 'by-hand', takeover: true })
    assert.deepEqual((await own()).sort(), ['by-hand', 'made-here'])
  })

  it('is kept by nothing by default, and warns of it', async () => {
    const { body } = await adopt(client, { interface_name: 'by-hand' })
    assert.deepEqual(
      [body.tunnel.persistence_type_id, body.units_taken_over, body.backups, body.plan.steps, codes(body.warnings)],
      [30, [], [], [], ['RUNTIME_ONLY_PERSISTENCE']],
    )
  })

  it("is kept by the unit of the panel's own that stands for it already, without a change", async () => {
    keep()
    const { body } = await adopt(client, { interface_name: 'by-hand' })
    assert.deepEqual(
      [body.tunnel.persistence_type_id, body.units_taken_over, body.backups, body.warnings, host().changes],
      [10, [PATH], [], [], []],
    )
    assert.equal((await itemOf(client, 'by-hand')).status, 'InSync')
  })

  it("puts a unit of the panel's own right that differs from the link, and hands out its earlier text", async () => {
    keep({ ...byHand().config, mtu: 1234 }, false)
    const { body } = await adopt(client, { interface_name: 'by-hand' })
    assert.deepEqual(
      [body.tunnel.persistence_type_id, body.tunnel.mtu, body.units_taken_over, codes(body.warnings)],
      [10, 1472, [PATH], ['UNIT_FILE_CHANGED']],
    )
    assert.deepEqual(
      body.backups.map(({ path, content }) => [path, READ.systemd_unit('by-hand', content, true)?.config?.mtu]),
      [[PATH, 1234]],
    )
    assert.deepEqual(host().changes, [`write ${UNIT}`, `enable ${UNIT}`])
    assert.equal((await itemOf(client, 'by-hand')).status, 'InSync')
  })

  it("with takeover writes a unit of the panel's own and leaves the link alone", async () => {
    const index = host().held.get('by-hand')?.index
    for (const body of [{ takeover: true }, { persistence_type_id: 10 }]) {
      host().changes.length = 0
      const { status, body: answer } = await adopt(client, { interface_name: 'by-hand', ...body })
      assert.deepEqual(
        [
          status,
          answer.tunnel.persistence_type_id,
          answer.interface_bounced,
          answer.plan.steps.map(({ kind }) => kind),
        ],
        [201, 10, false, ['file_write', 'systemd_enable']],
      )
      assert.deepEqual(
        [host().changes, host().held.get('by-hand')?.index],
        [[`write ${UNIT}`, `enable ${UNIT}`], index],
      )
      assert.equal((await itemOf(client, 'by-hand')).status, 'InSync')
      await forget(client, answer.tunnel.tunnel_id)
      host().files.clear()
      host().enabled.clear()
    }
  })

  it('is kept by systemd-networkd on demand, or where it is already, and not taken from its hands', async () => {
    const files = ['networkd_netdev', 'networkd_network'] as const
    const paths = files.map((kind) => `/etc/systemd/network/${savedFileName(kind, 'by-hand')}`)
    const first = (await adopt(client, { interface_name: 'by-hand', persistence_type_id: 20 })).body
    assert.deepEqual(
      [first.tunnel.persistence_type_id, first.plan.steps.map(({ kind }) => kind), first.warnings],
      [20, ['file_write', 'file_write', 'networkd_reload'], []],
    )
    assert.equal((await itemOf(client, 'by-hand')).status, 'InSync')
    await forget(client, first.tunnel.tunnel_id)
    host().changes.length = 0
    for (const body of [{ takeover: true }, { persistence_type_id: 30 }]) {
      const reply = await adopt(client, { interface_name: 'by-hand', ...body })
      assert.deepEqual([reply.status, Object.keys(body).includes(reply.error.field)], [422, true])
      assert.match(reply.error.message, /networkd keeps by-hand/)
    }
    const again = (await adopt(client, { interface_name: 'by-hand' })).body
    assert.deepEqual(
      [again.tunnel.persistence_type_id, again.units_taken_over, again.plan.steps, host().changes],
      [20, paths, [], []],
    )
    assert.equal((await itemOf(client, 'by-hand')).status, 'InSync')
  })

  it('is not given to systemd-networkd where that has no words for the link', async () => {
    plantByHand(host(), 'odd', { remote_endpoint: '198.51.100.9', fwmark: 9 })
    const reply = await adopt(client, { interface_name: 'odd', persistence_type_id: 20 })
    assert.deepEqual([reply.status, reply.error.field], [422, 'persistence_type_id'])
    assert.match(reply.error.message, /fwmark/)
    assert.deepEqual(host().changes, [])
  })

  it("keeps the keepalive that a unit of the panel's own makes", async () => {
    const keepalive = { target_address: '10.10.9.2', interval_seconds: 5, packet_size: 8 }
    plantByHand(host(), 'alive', {
      remote_endpoint: '198.51.100.9',
      addresses: [{ address: '10.10.9.1', peer_address: '10.10.9.2', prefix_length: 32 }],
    })
    const made = (await adopt(client, { interface_name: 'alive', takeover: true })).body.tunnel
    await forget(client, made.tunnel_id)
    const unit = savedFileName('systemd_keepalive_unit', 'alive')
    host().files.set(unit, renderKeepaliveUnit('alive', keepalive))
    host().enabled.add(unit)
    host().changes.length = 0
    const { body } = await adopt(client, { interface_name: 'alive' })
    assert.deepEqual(
      [body.tunnel.keepalive_interval_seconds, body.tunnel.keepalive_packet_size, host().changes],
      [5, 8, []],
    )
    assert.equal((await itemOf(client, 'alive')).status, 'InSync')
  })

  it('kept by nothing on demand takes the unit away, and hands out its text', async () => {
    keep()
    const { body } = await adopt(client, { interface_name: 'by-hand', persistence_type_id: 30 })
    assert.deepEqual(
      [body.backups.length, host().files.size, host().enabled.size, body.units_taken_over, codes(body.warnings)],
      [1, 0, 0, [], ['UNIT_FILE_CHANGED', 'RUNTIME_ONLY_PERSISTENCE']],
    )
    assert.equal((await itemOf(client, 'by-hand')).status, 'InSync')
  })

  it("never writes over a unit file that is not the panel's, and warns of one that is left alone", async () => {
    host().files.set(UNIT, '# mine\n')
    assert.equal((await adopt(client, { interface_name: 'by-hand', takeover: true })).error.code, 'FOREIGN_UNIT_FILE')
    host().enabled.add(UNIT)
    assert.equal((await adopt(client, { interface_name: 'by-hand' })).error.code, 'FOREIGN_UNIT_FILE')
    host().enabled.clear()
    const { body } = await adopt(client, { interface_name: 'by-hand' })
    assert.deepEqual(
      [codes(body.warnings), host().files.get(UNIT), (await itemOf(client, 'by-hand')).status],
      [['FOREIGN_UNIT_FILE', 'RUNTIME_ONLY_PERSISTENCE'], '# mine\n', 'InSync'],
    )
  })
})

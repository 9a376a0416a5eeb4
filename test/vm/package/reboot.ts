// A requested reboot, after which nothing has changed.
import assert from 'node:assert/strict'
import type { ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import type { MonitorHistoryAnswer } from '@panel/shared/api/monitor.ts'
import { expect } from '../panel/panel.ts'
import { becomes } from '../eventually.ts'
import { type Installed } from './installed.ts'
import type { RelayedFlows } from './relayed-flows.ts'

/** Wants the network, and with it the relays: it notes what there is of them when it is started. */
const NEEDS_RELAYS = `[Unit]
Wants=network-online.target
After=network-online.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'nft list table inet panel >/run/relays-found'
[Install]
WantedBy=multi-user.target
`

export function comesBack(panel: Installed, flows: RelayedFlows): void {
  /**
   * What outlives a reboot: tunnels as `ip` shows them, relays as the kernel holds them without what they have counted,
   * nor what there is of gre-a-3, which lives until the next boot.
   */
  const inKernel = async (): Promise<string> => {
    const found = await panel.lab.run(
      "for name in gre-a-1 gre-a-2; do ip -d -o link show $name | sed 's/^[0-9]*: //'; ip -o address show $name scope global | sed 's/^[0-9]*: //'; done; nft list table inet panel | sed 's/packets [0-9]* bytes [0-9]*//'",
    )
    return found.replace(/,\s*"gre-a-3" : [\d.]+/, '').replace(/, gre-a-3\b/, '')
  }
  const totals = async (): Promise<number[]> =>
    expect(await panel.operator.get<ListRoutesAnswer>('/routes'), 200).routes.flatMap((route) => [
      route.tx_bytes_since_creation,
      route.rx_bytes_since_creation,
    ])
  const history = async (): Promise<MonitorHistoryAnswer['points']> =>
    expect(await panel.operator.get<MonitorHistoryAnswer>('/tunnels/1/history'), 200).points

  it('has everything as it was after a reboot: tunnels, relays, totals, history', async () => {
    const { lab } = panel
    await lab.write('/etc/systemd/system/needs-relays.service', NEEDS_RELAYS)
    await lab.run('systemctl enable needs-relays.service')
    // The connections die with the machine, and carry nothing any more.
    await flows.areAlive('last')
    const relayed = await flows.areCounted()
    await flows.cutOff()
    const [kernel, points] = [await inKernel(), await history()]
    const summed = await becomes(totals, ([, , tx = 0, rx = 0]) => tx > 0 && rx > 0)
    assert.ok(points.length > 0)
    const { total } = expect(await panel.operator.get<ListAuditAnswer>('/audit'), 200)
    await lab.reboot()
    await panel.settles()
    assert.equal(await inKernel(), kernel)
    assert.deepEqual(await flows.totals(), relayed)
    const after = await totals()
    assert.deepEqual(
      summed.filter((bytes, at) => (after[at] ?? 0) < bytes),
      [],
      `${summed} ${after}`,
    )
    const kept = await history()
    assert.deepEqual(
      points.slice(0, -1).filter(({ bucket_start }) => !kept.some((point) => point.bucket_start === bucket_start)),
      [],
    )
    assert.ok(expect(await panel.operator.get<ListAuditAnswer>('/audit'), 200).total > total)
    assert.deepEqual(await panel.statuses(), [
      'gre-a-1 InSync',
      'gre-a-2 InSync',
      'gre-a-3 Missing',
      'gre-a-4 InSync',
      '1 InSync',
      '2 InSync',
      '3 InSync',
    ])
    await flows.remove()
  })

  it('has its relays back before anything that needs the network', async () => {
    assert.match(await panel.lab.read('/run/relays-found'), /dnat/)
    await panel.lab.run('systemctl disable needs-relays.service && rm /etc/systemd/system/needs-relays.service')
  })
}

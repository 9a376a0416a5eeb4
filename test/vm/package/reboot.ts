// A reboot as asked for, after which all is as it was; and the power going in the middle of fifty changes.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import type { MonitorHistoryAnswer } from '@panel/shared/api/monitor.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { expect } from '../panel/panel.ts'
import { repetitions } from '../../support/counts.ts'
import { Changes } from './changes.ts'
import { becomes, UNITS, type Installed } from './installed.ts'

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
const CHANGES = 50
const CUTS = repetitions('PANEL_POWER_CUTS')
/** So many are answered before the power goes. */
const ANSWERED = 20
/** Well before the machine is there again, which then ends the connections of before. */
const NO_POWER_MS = 1000

export function comesBack(panel: Installed): void {
  /**
   * What outlives a reboot: tunnels as `ip` shows them, relays as the kernel holds them without what they have counted,
   * nor the source address over gre-a-3, which lives until the next boot.
   */
  const inKernel = async (): Promise<string> => {
    const found = await panel.lab.run(
      "for name in gre-a-1 gre-a-2; do ip -d -o link show $name | sed 's/^[0-9]*: //'; ip -o address show $name scope global | sed 's/^[0-9]*: //'; done; nft list table inet panel | sed 's/packets [0-9]* bytes [0-9]*//'",
    )
    return found.replace(/,\s*"gre-a-3" : [\d.]+/, '')
  }
  const totals = async (): Promise<number[]> =>
    expect(await panel.operator.get<ListRoutesAnswer>('/routes'), 200).routes.flatMap((route) => [
      route.tx_bytes_since_creation,
      route.rx_bytes_since_creation,
    ])
  const history = async (): Promise<MonitorHistoryAnswer['points']> =>
    expect(await panel.operator.get<MonitorHistoryAnswer>('/tunnels/1/history'), 200).points
  const settled = async (): Promise<void> => {
    await becomes(
      async () => (await panel.lab.try('systemctl', ['is-active', ...UNITS])).stdout,
      (states) => states === 'active\nactive\n',
    )
    await panel.signIn()
  }

  it('has everything as it was after a reboot: tunnels, relays, totals, history', async () => {
    const { lab } = panel
    await lab.write('/etc/systemd/system/needs-relays.service', NEEDS_RELAYS)
    await lab.run('systemctl enable needs-relays.service')
    const [kernel, points] = [await inKernel(), await history()]
    const summed = await becomes(totals, ([, , tx = 0, rx = 0]) => tx > 0 && rx > 0)
    assert.ok(points.length > 0)
    const { total } = expect(await panel.operator.get<ListAuditAnswer>('/audit'), 200)
    await lab.reboot()
    await settled()
    assert.equal(await inKernel(), kernel)
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
      '1 InSync',
      '2 InSync',
    ])
  })

  it('has its relays back before whoever needs the network', async () => {
    assert.match(await panel.lab.read('/run/relays-found'), /dnat/)
    await panel.lab.run('systemctl disable needs-relays.service && rm /etc/systemd/system/needs-relays.service')
  })

  for (let cut = 1; cut <= CUTS; cut += 1) losesNothing(panel, settled, cut)
}

/** The power goes in the middle of fifty changes, for the `cut`th time. */
function losesNothing(panel: Installed, settled: () => Promise<void>, cut: number): void {
  const stored = async () => ({
    tunnels: expect(await panel.operator.get<ListTunnelsAnswer>('/tunnels?limit=1000'), 200).tunnels,
    routes: expect(await panel.operator.get<ListRoutesAnswer>('/routes?limit=1000'), 200).routes,
  })

  it(`loses nothing that it had answered when the power goes in the middle of fifty changes, and leaves nothing half-made (cut ${cut})`, async () => {
    expect(await panel.operator.post('/tunnels/3/reapply'), 200)
    const before = await stored()
    const older = {
      tunnels: before.tunnels.map(({ tunnel_id }) => tunnel_id),
      routes: before.routes.map(({ route_rule_id }) => route_rule_id),
    }
    const changes = new Changes(panel.operator, older, (cut - 1) * CHANGES)
    const gone = new AbortController()
    const changing = changes.make(CHANGES, gone.signal)
    await Promise.race([
      changing,
      becomes(
        async () => changes.answered,
        (answered) => answered >= ANSWERED,
      ),
    ])
    const back = panel.lab.reset()
    await sleep(NO_POWER_MS)
    gone.abort()
    await Promise.all([back, changing])
    assert.ok(changes.answered >= ANSWERED && changes.answered < CHANGES, `${changes.answered}`)
    await settled()
    const { tunnels, routes } = await stored()
    changes.check(tunnels, routes)
  })

  it(`needs no more than a reapply of the one change that was under way, where there was one (cut ${cut})`, async () => {
    const report = async (): Promise<ReconcileAnswer> =>
      expect(await panel.operator.get<ReconcileAnswer>('/reconcile'), 200)
    const found = await report()
    const differing = [
      ...found.items.map(({ interface_name, status }) => ({ interface_name, status })),
      ...found.routes.map(({ route_rule_id, status }) => ({ interface_name: `${route_rule_id}`, status })),
    ].filter(({ status, interface_name }) => status !== 'InSync' && interface_name !== 'gre-a-3')
    assert.ok(differing.length <= 1, JSON.stringify(differing))
    for (const { tunnel_id } of found.items.filter(({ status }) => status !== 'InSync'))
      expect(await panel.operator.post(`/tunnels/${tunnel_id}/reapply`), 200)
    for (const { route_rule_id } of found.routes.filter(({ status }) => status !== 'InSync'))
      expect(await panel.operator.post(`/routes/${route_rule_id}/reapply`), 200)
    const left = await report()
    assert.deepEqual(
      [[...new Set([...left.items, ...left.routes].map(({ status }) => status))], left.leftover_units],
      [['InSync'], []],
    )
    assert.equal(
      await panel.lab.run(
        "find /etc/systemd /etc/sysctl.d /var/lib/tunnel-panel-helper -name '*.new-*' -o -name change-under-way.json",
      ),
      '',
    )
  })
}

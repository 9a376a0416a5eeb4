// The power going in the middle of fifty changes.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { expect } from '../panel/panel.ts'
import { repetitions } from '../../support/counts.ts'
import { Changes } from './changes.ts'
import { becomes } from '../eventually.ts'
import { type Installed } from './installed.ts'

const CHANGES = 50
const CUTS = repetitions('PANEL_POWER_CUTS')
/** So many are answered before the power goes. */
const ANSWERED = 20
/** A time that ends well before the machine is there again, which then ends the earlier connections. */
const NO_POWER_MS = 1000

export function losesNothing(panel: Installed): void {
  for (let cut = 1; cut <= CUTS; cut += 1) survivesCut(panel, cut)
}

/** The power goes in the middle of fifty changes, for the `cut`th time. */
function survivesCut(panel: Installed, cut: number): void {
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
    await panel.settles()
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
        `cd /var/lib/tunnel-panel-helper; find /etc/systemd /etc/sysctl.d . -name '*.new-*'; tail -qn 1 change-under-way.json 2>&1 | grep -Ev 'ended|No such file' || true`,
      ),
      '',
    )
  })
}

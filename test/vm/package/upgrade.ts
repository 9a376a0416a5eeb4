// 200 relayed connections that stay open, and an upgrade while they do.
import assert from 'node:assert/strict'
import { FLOWS } from './held-flows.ts'
import { SLOW, type Installed } from './installed.ts'
import { NEXT, NEXT_LINE, withNextPackage } from './next-package.ts'
import type { RelayedFlows } from './relayed-flows.ts'

const LIMITS = '/etc/tunnel-panel/limits.conf'
const EDIT = 'rules = 4242'

export function carriesFlows(_panel: Installed, flows: RelayedFlows): void {
  it('relays 100 connections over a GRE tunnel by an ordinary rule, and 100 more on the fast path', async () => {
    await flows.begin()
    await flows.areAlive('before')
    assert.equal(await flows.offloaded(), FLOWS)
  })
}

export function isUpgraded(panel: Installed, flows: RelayedFlows): void {
  it('is upgraded with the store brought forward and a copy kept, and changes no link and breaks none of 200 connections', async () => {
    const [before, links] = [await panel.processes(), await panel.linkIndexes()]
    await withNextPackage('0.1.1', (path) => panel.lab.put(NEXT, path))
    await panel.lab.run(`echo '${EDIT}' >>${LIMITS}`)
    await panel.apt('install', '-o', 'Dpkg::Options::=--force-confold', NEXT)
    assert.equal(
      (await panel.processes()).some((pid) => before.includes(pid)),
      false,
    )
    assert.equal(await panel.linkIndexes(), links)
    await flows.areAlive('after')
    await flows.areCounted()
    assert.match(await panel.lab.run('ls /var/lib/tunnel-panel'), /^panel\.db\.before-999-next-release$/m)
    await panel.signIn()
    assert.deepEqual(await panel.statuses(), [
      'gre-a-1 InSync',
      'gre-a-2 InSync',
      'gre-a-3 InSync',
      'gre-a-4 InSync',
      '1 InSync',
      '2 InSync',
      '3 InSync',
    ])
  })
  it('keeps the limits that an administrator has set, which hold, with the text of the new release beside them', async () => {
    const { lab } = panel
    const [kept, offered] = [await lab.read(LIMITS), await lab.read(`${LIMITS}.dpkg-dist`)]
    assert.deepEqual([kept.includes(EDIT), kept.includes(NEXT_LINE)], [true, false])
    assert.deepEqual([offered.includes(EDIT), offered.includes(NEXT_LINE)], [false, true])
    assert.match(await lab.run('tunnel-panel limits', SLOW), /^ +rules +\d+ of 4242$/m)
  })
}

// Whose a link is goes with the window, on real GRE: adopting and giving up are taken back like every other change, by
// the helper alone (root-helper.md, Windows).
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { WindowFound } from '@panel/shared/window/model.ts'
import { exampleTunnel } from '../support/example.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { Panel } from './panel/panel.ts'

const [THEIRS, OURS] = ['by-hand', 'of-panel']
const SECONDS = 15
const window_id = 'a'.repeat(32)

describe('Whose a link is, on a real kernel', function () {
  let lab: Lab
  let panel: Panel
  const ours = exampleTunnel({ ikey: 6, okey: 6 }, OURS)

  before(async () => {
    lab = await startLab()
    panel = new Panel((await lab.twoServers()).a)
    await putPanel(lab)
    await panel.startHelper()
    await panel.server.run(
      `ip link add ${THEIRS} mtu 1400 type gre local 192.0.2.1 remote 192.0.2.2 key 5 ttl 64 && ip address add 10.10.5.1/30 dev ${THEIRS} && ip link set ${THEIRS} up`,
    )
    assert.equal((await panel.request('tunnel.apply', { before: null, after: ours })).outcome, 'applied')
  })
  after(() => lab?.stop())

  const found = async (name: string) =>
    (await panel.request('tunnel.probe', { interface_names: [name] })).tunnels[0] ?? assert.fail()
  const owners = async (): Promise<readonly boolean[]> => [(await found(THEIRS)).is_ours, (await found(OURS)).is_ours]
  const probe = (): Promise<WindowFound> => panel.request('window.probe', {})
  const open = (seconds = SECONDS): Promise<WindowFound> => panel.request('window.open', { window_id, seconds })

  /** Adopts the one, changes it so that it must be made again, and gives the other up. */
  const exchange = async (): Promise<void> => {
    const { state } = await found(THEIRS)
    const link = state?.link ?? assert.fail('no link')
    await panel.request('tunnel.adopt', { interface_name: THEIRS, link })
    const adopted: TunnelState = { interface_name: THEIRS, link, saved: null }
    const after = { ...adopted, link: { ...link, config: { ...link.config, ttl: 9 } } }
    assert.equal((await panel.request('tunnel.apply', { before: adopted, after })).outcome, 'applied')
    await panel.request('tunnel.release', { interface_name: OURS })
    assert.deepEqual([await owners(), (await probe()).window?.changes], [[true, false], 3])
  }
  /** Checks that nothing has changed, to root too: what it may delete is the panel's alone. */
  const isAsBefore = async (picture: string): Promise<void> => {
    assert.deepEqual([await owners(), await panel.picture()], [[false, true], picture])
    await panel.request('window.forget', { window_id })
    const theirs = (await found(THEIRS)).state
    await assert.rejects(panel.request('tunnel.apply', { before: theirs, after: null }), new RegExp(`${THEIRS}`))
    assert.equal(await panel.picture(), picture)
  }

  it('goes back with a window that is cancelled', async () => {
    const picture = await panel.picture()
    await open()
    await exchange()
    await panel.request('window.cancel', { window_id })
    await isAsBefore(picture)
  })

  it('goes back although the helper is killed while the window is open, and its time passes meanwhile', async () => {
    const picture = await panel.picture()
    await open()
    await exchange()
    panel.helper.kill('KILL')
    await panel.helper.exited
    await sleep(SECONDS * 1000)
    await panel.startHelper()
    assert.equal((await probe()).ended?.how, 'expired', 'before it serves')
    await isAsBefore(picture)
  })

  it('stays as changed once the window is confirmed, though the helper was killed in between', async () => {
    await open(3600)
    await exchange()
    await panel.replaceHelper()
    assert.deepEqual([await owners(), (await probe()).window?.changes], [[true, false], 3])
    await panel.request('window.confirm', { window_id })
    const theirs = (await found(THEIRS)).state
    assert.equal((await panel.request('tunnel.apply', { before: theirs, after: null })).outcome, 'applied')
    await assert.rejects(panel.request('tunnel.apply', { before: ours, after: null }), new RegExp(OURS))
  })
})

// Addresses that another process strips off a real tunnel, which the panel puts back by itself, also where its web
// daemon is killed meanwhile, and where systemd-networkd strips them again and again.
import assert from 'node:assert/strict'
import { PAUSES_MS } from '@panel/web-daemon/change/heal.ts'
import type { CreateTunnelAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { tunnelRequest } from '../support/records.ts'
import type { Lab } from './lab/index.ts'
import type { Running } from './lab/running.ts'
import { putDriver } from './panel/bundles.ts'
import { healing } from './panel/healing.ts'
import { expect, ON_DISK, type Panel, type Place } from './panel/panel.ts'
import { HERE, RUNTIME } from './panel/kept-tunnels.ts'
import { reconciling } from './panel/reconciling.ts'

const NAME = 'stripped'
const ADDRESSES = [
  { address: '10.44.0.1', prefix_length: 30 },
  { address: '2001:db8:44::1', prefix_length: 64 },
]

const ENDS = { local_endpoint: HERE, remote_endpoint: '192.0.2.61' }

interface Stage {
  readonly lab: Lab
  readonly panel: Panel
  /** The other end of the tunnel. */
  readonly far: string
}

export function putsAddressesBack(stage: () => Stage): void {
  it('puts addresses back that another process strips, for the event of it and not for a pass from time to time', async () => {
    const { panel, far } = stage()
    const { heal, bootIsOver, isBack, causes, entries } = healing(panel)
    expect(await panel.operator.put('/settings', { 'system.self_heal': 'all' }), 200)
    const ends = { local_endpoint: panel.server.address, remote_endpoint: far }
    const body = tunnelRequest({ ...ends, interface_name: NAME, addresses: ADDRESSES })
    const { tunnel_id } = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201).tunnel
    await bootIsOver()
    // What the tests before this one have left is put back first.
    await reconciling(panel).atRest()
    const picture = await panel.picture()
    for (const [at, command] of [`address del 10.44.0.1/30 dev ${NAME}`, `address flush dev ${NAME}`].entries()) {
      await reconciling(panel).atRest()
      await panel.server.run(`ip ${command}`)
      await isBack(NAME, 1)
      assert.equal(await panel.picture(), picture, command)
      assert.deepEqual(causes(NAME), ['event', 'event'].slice(0, at + 1))
      assert.equal((await heal(NAME)).times, 1)
      expect(await panel.operator.post('/reconcile/heal/reset'), 200)
    }
    assert.deepEqual(await entries(tunnel_id), ['TunnelReapply true', 'TunnelReapply true'])
  })

  describe('finishes with the next web daemon what one had begun that is killed', () => {
    let between: Running
    const startWeb = (): Promise<void> => {
      const { panel } = stage()
      return panel.startWeb({ PANEL_HELPER_SOCKET: `${panel.folder}/between.sock` })
    }
    before(async () => {
      const { lab, panel } = stage()
      const driver = await putDriver(lab, 'vm/driver/between.ts')
      between = panel.server.spawn('node', [driver, `${panel.folder}/between.sock`, panel.socket])
      await between.says(/open/)
      panel.web.kill('TERM')
      await panel.web.exited
      await startWeb()
    })

    for (const [moment, left, reported] of [
      ['before', 'Pending', 'TunnelReapply true'],
      ['after', 'Applied', 'ChangeSettle true'],
    ] as const)
      it(`${moment} root puts a stripped tunnel back: it is as stored, and the audit log says so once`, async () => {
        const { panel } = stage()
        const { bootIsOver, until, heal, entries } = healing(panel)
        const reconcile = reconciling(panel)
        const tunnel_id = (await reconcile.itemOf(NAME)).tunnel_id ?? 0
        const status = async (): Promise<string> =>
          expect(await panel.operator.get<TunnelView>(`/tunnels/${tunnel_id}`), 200).apply_status
        await bootIsOver()
        await reconcile.atRest()
        const [picture, before] = [await panel.picture(), await entries(tunnel_id)]
        const pid = (await panel.server.run('pgrep', ['-f', 'web.cjs'])).trim()
        await between.write(`tunnel.apply ${moment} ${pid}\n`)
        await panel.server.run(`ip address flush dev ${NAME}`)
        await panel.web.exited
        await startWeb()
        await until('no pass was made', async () => (await reconcile.report()).last_pass !== null)
        assert.equal(await status(), left)
        await bootIsOver()
        await until('it is not settled', async () => (await status()) === 'Applied')
        assert.equal(await panel.picture(), picture)
        assert.deepEqual(await entries(tunnel_id), [reported, ...before])
        const { times, tries } = await heal(NAME)
        assert.deepEqual([times, tries], moment === 'before' ? [1, 1] : [0, 0])
      })
  })
}

/** On a machine whose network is networkd's. */
export function outlastsNetworkd(panelOf: () => Panel<Place>): void {
  const theirs = `${ON_DISK.networkdDir}/05-theirs.network`
  /** Each has networkd set up the link by their file, which first takes off what that does not name. */
  const [first, again, restart] = [
    'networkctl reload',
    `networkctl reconfigure ${NAME}`,
    'systemctl restart systemd-networkd',
  ] as const

  it('puts addresses back that networkd strips for a foreign file, with pauses, and says from the third time on that they are contested', async () => {
    const panel = panelOf()
    const { heal, bootIsOver, isBack, isTaken, pass, until, causes, entries } = healing(panel)
    const shown = (): Promise<string> => panel.server.run(`ip -o address show dev ${NAME} scope global`)
    expect(await panel.operator.put('/settings', { 'system.self_heal': 'all' }), 200)
    const body = tunnelRequest({ interface_name: NAME, persistence_type_id: RUNTIME, ...ENDS, addresses: ADDRESSES })
    const { tunnel_id } = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201).tunnel
    await bootIsOver()
    await reconciling(panel).atRest()
    const stood = await shown()
    const network = `[Match]\nName=${NAME}\n[Network]\nAddress=10.88.0.1/30\nKeepConfiguration=no\n`
    await panel.server.run(`printf '%s' '${network}' > ${theirs} && ${first}`)
    await isBack(NAME, 1)
    assert.equal(await shown(), stood)
    assert.deepEqual(causes(NAME), ['event'])

    await panel.server.run(again)
    await isTaken(NAME, 2)
    assert.doesNotMatch(await shown(), /10\.44\.0\.1/)
    assert.equal((await heal(NAME)).contested, false)
    await pass(PAUSES_MS[1])
    await isBack(NAME, 2)
    assert.equal(await shown(), stood)

    await panel.server.run(restart)
    await isTaken(NAME, 3)
    assert.match(await shown(), /10\.88\.0\.1/)
    const { contested, times, tries, next_try_at, detail } = await heal(NAME)
    assert.deepEqual([contested, times, tries], [true, 3, 2])
    assert.match(detail, /3 times/)
    assert.notEqual(next_try_at, null)

    await panel.server.run(`rm ${theirs} && networkctl reload`)
    expect(await panel.operator.post('/reconcile/heal/reset'), 200)
    await until('it is not back', async () => (await shown()) === stood)
    assert.deepEqual(await entries(tunnel_id), ['TunnelReapply true', 'TunnelReapply true', 'TunnelReapply true'])
    expect(await panel.operator.delete(`/tunnels/${tunnel_id}`), 200)
    expect(await panel.operator.put('/settings', { 'system.self_heal': 'off' }), 200)
  })
}

// Addresses that another process strips off a real tunnel, which the panel puts back by itself, also where its web
// daemon is killed meanwhile.
import assert from 'node:assert/strict'
import type { CreateTunnelAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { tunnelRequest } from '../support/records.ts'
import type { Lab } from './lab/index.ts'
import type { Running } from './lab/running.ts'
import { putDriver } from './panel/bundles.ts'
import { healing } from './panel/healing.ts'
import { expect, type Panel } from './panel/panel.ts'
import { reconciling } from './panel/reconciling.ts'

const NAME = 'stripped'
const ADDRESSES = [
  { address: '10.44.0.1', prefix_length: 30 },
  { address: '2001:db8:44::1', prefix_length: 64 },
]

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
    await reconciling(panel).atRest()
    const picture = await panel.picture()
    for (const [at, command] of [`address del 10.44.0.1/30 dev ${NAME}`, `address flush dev ${NAME}`].entries()) {
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

    for (const [moment, left, told] of [
      ['before', 'Pending', 'TunnelReapply true'],
      ['after', 'Applied', 'ChangeSettle true'],
    ] as const)
      it(`${moment} root puts a stripped tunnel back: it is as stored, and the audit log says so once`, async () => {
        const { panel } = stage()
        const { bootIsOver, until, heal, entries } = healing(panel)
        const said = reconciling(panel)
        const tunnel_id = (await said.itemOf(NAME)).tunnel_id ?? 0
        const status = async (): Promise<string> =>
          expect(await panel.operator.get<TunnelView>(`/tunnels/${tunnel_id}`), 200).apply_status
        await bootIsOver()
        await said.atRest()
        const [picture, before] = [await panel.picture(), await entries(tunnel_id)]
        const pid = (await panel.server.run('pgrep', ['-f', 'web.cjs'])).trim()
        await between.write(`tunnel.apply ${moment} ${pid}\n`)
        await panel.server.run(`ip address flush dev ${NAME}`)
        await panel.web.exited
        await startWeb()
        await until('no pass was made', async () => (await said.report()).last_pass !== null)
        assert.equal(await status(), left)
        await bootIsOver()
        await until('it is not settled', async () => (await status()) === 'Applied')
        assert.equal(await panel.picture(), picture)
        assert.deepEqual(await entries(tunnel_id), [told, ...before])
        const { times, tries } = await heal(NAME)
        assert.deepEqual([times, tries], moment === 'before' ? [1, 1] : [0, 0])
      })
  })
}

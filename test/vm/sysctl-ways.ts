// The sysctls that a link has of its own: a link that is made again has those of the one before it.
import assert from 'node:assert/strict'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { eventually } from './eventually.ts'
import { ownSysctls, setOwnSysctls } from './panel/own-sysctls.ts'
import { expect, type Panel } from './panel/panel.ts'

interface Stage {
  readonly panel: Panel
  readonly tunnel: TunnelView
  /** Changes what only a new link can have, and back; whether the link was made again. */
  readonly remake: () => Promise<boolean>
}

export function keepsOwnSysctls(stage: () => Stage): void {
  it('leaves a new link the sysctls that the link had of its own', async () => {
    const { panel, tunnel, remake } = stage()
    const own = await setOwnSysctls(panel.server, tunnel.interface_name)
    assert.equal(await remake(), true)
    assert.equal(await ownSysctls(panel.server, tunnel.interface_name), own)
  })

  it('leaves a link that vanished its own sysctls where it is made again, by a reapply or by itself', async () => {
    const {
      panel: { operator, server },
      tunnel: { tunnel_id, interface_name: name },
    } = stage()
    const own = await setOwnSysctls(server, name)
    const vanishes = async (): Promise<void> => {
      // What is known of it is from the last look.
      expect(await operator.get('/reconcile'), 200)
      await server.run(`ip link del ${name}`)
    }
    await vanishes()
    expect(await operator.post(`/tunnels/${tunnel_id}/reapply`), 200)
    assert.equal(await ownSysctls(server, name), own)
    expect(await operator.put('/settings', { 'system.self_heal': 'all' }), 200)
    await vanishes()
    await eventually(async () => (await ownSysctls(server, name).catch(() => '')) === own)
    expect(await operator.put('/settings', { 'system.self_heal': 'off' }), 200)
  })
}

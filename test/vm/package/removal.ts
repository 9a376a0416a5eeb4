// The package going: what stays, and nothing at all after a purge.
import assert from 'node:assert/strict'
import { UNITS, type Installed } from './installed.ts'

export function goes(panel: Installed): void {
  const leavesNothing = async (): Promise<void> => {
    const now = await panel.picture()
    const [left, gone] = [now.filter((line) => !panel.untouched.includes(line)), panel.untouched.filter((line) => !now.includes(line))]
    assert.deepEqual({ left, gone }, { left: [], gone: [] })
  }

  it('leaves tunnels and relays as they are when it is removed', async () => {
    const { lab } = panel
    const standing = async (): Promise<string> => lab.run("ip -br link | grep ^gre-a- | cut -d' ' -f1; nft list table inet panel | grep dnat")
    const before = await standing()
    await panel.apt('remove', 'tunnel-panel')
    assert.equal(await standing(), before)
    assert.equal((await lab.try('systemctl', ['is-active', ...UNITS])).stdout, 'inactive\ninactive\n')
    assert.match(await lab.run('systemctl is-enabled tunnel-panel-link-gre-a-1.service'), /^enabled$/m)
  })

  it('leaves nothing at all when it is purged', async () => {
    await panel.apt('purge', 'tunnel-panel')
    await leavesNothing()
  })
}

// The package going: what stays, what is taken down on request, and nothing at all after a purge, so that it can come
// again.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { expect } from '../panel/panel.ts'
import { HERE, thePackage, UNITS, type Installed } from './installed.ts'

/** Nor is anything missing that was there before. */
export async function leavesNothing(panel: Installed): Promise<void> {
  const now = await panel.picture()
  const [left, gone] = [
    now.filter((line) => !panel.untouched.includes(line)),
    panel.untouched.filter((line) => !now.includes(line)),
  ]
  assert.deepEqual({ left, gone }, { left: [], gone: [] })
}

export function goes(panel: Installed): void {
  it('leaves tunnels and relays as they are when it is removed', async () => {
    const { lab } = panel
    const standing = async (): Promise<string> =>
      lab.run("ip -br link | grep ^gre-a- | cut -d' ' -f1; nft list table inet panel | grep dnat")
    // It is another program's, and stays even at the purge.
    await lab.run(`ip link add theirs type gre local ${HERE} remote 192.0.2.99 key 99`)
    expect(await panel.operator.post('/reconcile/adopt', { interface_name: 'theirs' }), 201)
    const before = await standing()
    // Nobody is left to take it back once the helper is gone.
    expect(await panel.operator.post('/safe-apply', { seconds: 3600 }), 201)
    expect(await panel.operator.post('/tunnels', { local_endpoint: HERE, remote_endpoint: '192.0.2.97' }), 201)
    assert.notEqual(await standing(), before)
    assert.match(await panel.apt('remove', 'tunnel-panel'), /^The changes are put back\.$/m)
    assert.equal(await standing(), before)
    assert.equal((await lab.try('ls /var/lib/tunnel-panel-helper/window.json')).stdout, '')
    assert.equal((await lab.try('systemctl', ['is-active', ...UNITS])).stdout, 'inactive\ninactive\n')
    assert.match(await lab.run('systemctl is-enabled tunnel-panel-link-gre-a-1.service'), /^enabled$/m)
  })

  it('leaves nothing at all when it is purged, but for a tunnel that it adopted as it was', async () => {
    const { lab } = panel
    const name = (await lab.run("sed -n 's/^Name=//p' /etc/systemd/network/*gre-a-*.network | head -n 1")).trim()
    assert.match(name, /^gre-a-\d+$/)
    // What an administrator has set outlives a removal, and goes with all else.
    assert.equal(await lab.run('ls /etc/tunnel-panel'), 'limits.conf\nlimits.conf.dpkg-dist\npanel.conf\n')
    await panel.apt('purge', 'tunnel-panel')
    await lab.run('ip link delete theirs')
    await leavesNothing(panel)
    // Nor in the memory of systemd-networkd, which would give the next link of the name the addresses of the last.
    await lab.run(`ip link add ${name} type gre local ${HERE} remote 192.0.2.98 key 98 && ip link set ${name} up`)
    await sleep(3000)
    assert.doesNotMatch(await lab.run(`ip -br address show dev ${name}`), /172\.17\./)
    await lab.run(`ip link delete ${name}`)
  })
}

export function isTakenDown(panel: Installed): void {
  it('takes tunnels and relays down before it goes, on request', async () => {
    const { lab } = panel
    await lab.run("echo 'tunnel-panel tunnel-panel/take-down boolean true' | debconf-set-selections")
    await panel.apt('remove', 'tunnel-panel')
    assert.equal((await lab.try("ip -br link | grep '^gre-a-'")).stdout, '')
    assert.doesNotMatch((await lab.try('nft list table inet panel')).stdout, /172\.17\.1\.2|counter rule_/)
    assert.equal((await lab.try('find /etc/systemd -name "*gre-a-*"')).stdout, '')
  })

  it('leaves nothing when it is purged after that either', async () => {
    await panel.apt('purge', 'tunnel-panel')
    await leavesNothing(panel)
  })
}

export function comesAgain(panel: Installed): void {
  it('is installed again on the machine that it was purged from, and knows nothing of its past', async () => {
    const output = await panel.install(await thePackage())
    const path = await panel.webPath()
    assert.match(path, /^[0-9a-f]{24}$/)
    assert.ok(output.includes(`http://127.0.0.1:8480/${path}/`), output)
    await panel.isWell()
    assert.equal((await panel.lab.try('systemctl', ['is-active', ...UNITS])).stdout, 'active\nactive\n')
    const health = await panel.lab.run(`curl -s http://127.0.0.1:8480/${path}/api/v1/system/health`)
    assert.equal((JSON.parse(health) as HealthAnswer).setup_required, true)
  })

  it('leaves nothing when that is purged either', async () => {
    await panel.apt('purge', 'tunnel-panel')
    await leavesNothing(panel)
  })
}

// An upgrade that cannot bring the store forward, while a relay carries a connection that stays open, and the way back.
import assert from 'node:assert/strict'
import type { Running } from '../lab/index.ts'
import { expect } from '../panel/panel.ts'
import { thePackage, type Installed } from './installed.ts'
import { FAILS, NEXT, NEXT_LINE, withNextPackage } from './next-package.ts'

export function goesBack(panel: Installed): void {
  let connection: Running
  /** Through the relay and back, over the connection that has been open from the beginning. */
  const echo = async (word: string): Promise<void> => {
    await connection.write(`${word}\n`)
    await connection.says(new RegExp(`^${word}$`, 'm'))
  }

  it('relays, before it is upgraded, a connection that stays open', async () => {
    const { lab } = panel
    await lab.run(`for n in c s; do ip netns add $n; ip link add $n type veth peer name eth1 netns $n; ip link set $n up; done
      ip address add 10.1.0.1/24 dev c; ip address add 10.2.0.1/24 dev s
      ip -n c address add 10.1.0.2/24 dev eth1; ip -n c link set eth1 up; ip -n s address add 10.2.0.2/24 dev eth1; ip -n s link set eth1 up`)
    lab.spawn('ip netns exec s socat TCP-LISTEN:80,fork,reuseaddr EXEC:cat')
    expect(
      await panel.operator.post('/routes', {
        route_rule_title: 'echo',
        bind_address: '10.1.0.1',
        bind_port: 9001,
        destination_address: '10.2.0.2',
        destination_port: 80,
      }),
      201,
    )
    connection = lab.spawn('ip netns exec c socat - TCP:10.1.0.1:9001,retry=20')
    await echo('before')
  })

  it('goes on with the earlier daemons if an upgrade cannot bring the store forward, and says how to go back', async () => {
    await withNextPackage('0.1.1', (path) => panel.lab.put(NEXT, path))
    await panel.lab.run(`touch ${FAILS}`)
    const before = await panel.processes()
    const failure = await panel.apt('install', NEXT).then(
      () => assert.fail('the upgrade succeeds'),
      (error: Error) => error.message,
    )
    assert.match(
      failure,
      /The next migration fails, as it was asked to[^]*the panel of before goes on running[^]*apt install --allow-downgrades \.\/tunnel-panel_0\.1\.0_amd64\.deb/,
    )
    assert.deepEqual(await panel.processes(), before)
    await panel.signIn()
    await echo('meanwhile')
  })

  it('is whole again once it is installed by those instructions', async () => {
    const links = await panel.linkIndexes()
    await panel.install(await thePackage(), '--allow-downgrades')
    assert.equal(
      await panel.lab.run("dpkg-query -W -f '${Version} ${Status}' tunnel-panel"),
      '0.1.0 install ok installed',
    )
    assert.equal(await panel.linkIndexes(), links)
    await echo('again')
  })

  it('is upgraded after that, once the store can be brought forward', async () => {
    const links = await panel.linkIndexes()
    await panel.lab.run(`rm ${FAILS}`)
    await panel.apt('install', NEXT)
    // Nobody has edited it.
    assert.match(await panel.lab.read('/etc/tunnel-panel/limits.conf'), new RegExp(`^${NEXT_LINE}$`, 'm'))
    assert.equal(await panel.linkIndexes(), links)
    await echo('after')
    await panel.signIn()
    assert.deepEqual(await panel.statuses(), [
      'gre-a-1 InSync',
      'gre-a-2 InSync',
      'gre-a-3 InSync',
      '1 InSync',
      '2 InSync',
    ])
    await panel.lab.run('ip link delete c; ip link delete s; ip netns delete c; ip netns delete s')
  })
}

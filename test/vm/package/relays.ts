// What the relayed connections carry over restarts of the package's own units, and what is counted of it.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { expect } from '../panel/panel.ts'
import { becomes } from '../eventually.ts'
import { HELPER, SLOW, UNITS, type Installed } from './installed.ts'
import type { RelayedFlows } from './relayed-flows.ts'

/** While it is there the helper waits with its start. */
const AWAY = '/run/the-helper-is-away'
const DROP_IN = `/run/systemd/system/${HELPER}.d`
/** Each call of nft that crashes makes a folder there, which one process alone can make. */
const CRASHES = '/run/tunnel-panel/crashes'
const CRASHING_NFT = `#!/bin/sh
count=1
while [ $count -le "$(cat ${CRASHES}.most)" ]; do
  mkdir ${CRASHES}/$count 2>/dev/null && kill -ABRT $$
  count=$((count + 1))
done
exec /usr/local/sbin/nft.real "$@"
`
/** The installed nftables as a package of a higher version. */
const REPLACE_NFT = `cd $(mktemp -d) && mkdir -p tree/DEBIAN && cp -a --parents $(dpkg-query -L nftables | while read -r path; do
  if [ -f "$path" ]; then echo "$path"; fi; done) tree && echo /etc/nftables.conf >tree/DEBIAN/conffiles &&
  printf '%s\\n' 'Package: nftables' 'Version: 99' 'Architecture: amd64' 'Maintainer: The lab <lab@invalid>' 'Description: nft' \\
    >tree/DEBIAN/control && dpkg-deb --build tree nftables.deb && dpkg --install nftables.deb && rm -r "$PWD"`
/** The kernel forgets what was closed after a second in the place of two minutes. */
const SOON = 'sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_time_wait='
const [ENDING, LEFT] = [40, 60]

export function relays(panel: Installed, flows: RelayedFlows): void {
  it('breaks none of 200 relayed connections when both units are restarted, and counts each byte of them', async () => {
    const [before, owned] = [await panel.processes(), await table(panel)]
    await panel.lab.run(`systemctl restart ${UNITS.join(' ')}`, SLOW)
    assert.equal(
      (await panel.processes()).some((pid) => before.includes(pid)),
      false,
    )
    assert.equal(await table(panel), owned)
    await flows.areAlive('restarted')
    await flows.areCounted()
  })

  it('has room in its unit for every socket that the helper leaves with systemd, of which a restart makes no more', async () => {
    const kept = await socketsKept(panel)
    assert.deepEqual(kept, ['fast-path', 'owner-panel'])
    assert.ok(kept.length <= Number(await panel.property(HELPER, 'FileDescriptorStoreMax')))
  })

  it('owns its table while a helper that was killed is away, so that nobody can flush or change it, and after it', async () => {
    const { lab } = panel
    const before = await table(panel)
    await isAway(panel, 'systemctl kill --signal KILL')
    await lab.run('nft flush ruleset')
    const { code, stderr } = await lab.try('nft delete table inet panel')
    assert.notEqual(code, 0)
    assert.match(stderr, /Operation not permitted/)
    await flows.areAlive('flushed')
    await comesBack(panel)
    assert.equal(await table(panel), before)
    await flows.areAlive('owned')
  })

  it('lets nft change the table after that, and owns it again', async () => {
    await changesRules(panel)
    assert.deepEqual(await socketsKept(panel), ['fast-path', 'owner-panel'])
    const { code } = await panel.lab.try('nft delete table inet panel')
    assert.notEqual(code, 0)
    await flows.areAlive('changed')
  })

  it('leaves every rule where it is when nft crashes at the first calls of a helper that starts after a kill', async () => {
    const { lab } = panel
    const before = [await table(panel), await lab.run('nft -s list table inet panel'), await savedByIptables(panel)]
    await lab.run('cp /usr/sbin/nft /usr/local/sbin/nft.real; cat >/usr/local/sbin/nft.crashes', {
      stdin: CRASHING_NFT,
    })
    await lab.run('chmod +x /usr/local/sbin/nft.crashes')
    // The script needs a shell, which the unit keeps from the helper.
    await lab.run(
      `mkdir -p ${DROP_IN}; printf '[Service]\\nExecPaths=/usr/bin /usr/local/sbin\\n' >${DROP_IN}/crashing.conf`,
    )
    for (const calls of [1, 3, 5]) {
      await isAway(panel, 'systemctl kill --signal KILL')
      await lab.run(`rm -rf ${CRASHES}; mkdir ${CRASHES}; mount --bind /usr/local/sbin/nft.crashes /usr/sbin/nft`)
      await lab.run(`printf %s ${calls} >${CRASHES}.most`)
      await comesBack(panel)
      await becomes(
        () => lab.run(`tunnel-panel rpc host.probe '{"parts":["rule_backend"]}'`, SLOW),
        (answer) => answer.includes('"trouble": ""') && answer.includes('"active": "nftables"'),
      )
      await lab.run('umount /usr/sbin/nft')
      assert.equal((await lab.run(`ls ${CRASHES} | wc -l`)).trim(), `${calls}`)
      assert.deepEqual(
        [await table(panel), await lab.run('nft -s list table inet panel'), await savedByIptables(panel)],
        before,
      )
      await flows.areAlive(`crashed${calls}`)
    }
    const left = [CRASHES, `${CRASHES}.most`, `${DROP_IN}/crashing.conf`].join(' ')
    await lab.run(`rm -r ${left} /usr/local/sbin/nft.real /usr/local/sbin/nft.crashes; systemctl daemon-reload`)
  })

  it('starts nft again once another package has replaced it, for which its own restarts the helper', async () => {
    const before = await panel.property(HELPER, 'MainPID')
    await panel.lab.run(REPLACE_NFT, SLOW)
    assert.notEqual(await panel.property(HELPER, 'MainPID'), before)
    await changesRules(panel)
    await flows.areAlive('replaced')
  })

  it('counts to the byte what connections of the fast path carried, and which of them ended, while the helper was away', async () => {
    await panel.lab.run(`${SOON}1`)
    await isAway(panel, 'systemctl restart --no-block')
    const before = await flows.totals()
    await flows.areAlive('unattended')
    await flows.end(ENDING)
    // What the kernel has forgotten only its event still counts, which waits in the socket that systemd keeps.
    await becomes(
      () => flows.tracked(),
      (count) => count === LEFT,
    )
    assert.equal(await panel.property(HELPER, 'SubState'), 'start-pre')
    await panel.lab.run(`${SOON}120`)
    await comesBack(panel)
    await flows.areAlive('attended')
    const after = await flows.areCounted()
    assert.ok(after.every((bytes, at) => bytes > (before[at] ?? 0)))
  })
}

/** Root runs nft for each of these. */
async function changesRules({ operator }: Installed): Promise<void> {
  const twice = [1, 2].map((last) => ({ address: `10.99.0.${last}`, port: 80 }))
  const wanted = { route_rule_title: 'by nft', bind_port: 4455, destinations: twice }
  const { route } = expect(await operator.post<ChangeRouteAnswer>('/routes', wanted), 201)
  expect(await operator.delete(`/routes/${route.route_rule_id}`), 200)
}

const savedByIptables = ({ lab }: Installed): Promise<string> =>
  lab.run('(iptables-nft-save; iptables-legacy-save) 2>/dev/null | grep -c PANEL- || true')

/** Their names. */
async function socketsKept({ lab }: Installed): Promise<string[]> {
  const listed = await lab.run(`systemd-analyze --json=short fdstore ${HELPER}`)
  return (JSON.parse(listed) as { readonly fdname: string }[]).map(({ fdname }) => fdname).sort()
}

/** The table as the kernel knows it: who owns it, and the number it got when it was made. */
const table = ({ lab }: Installed): Promise<string> =>
  lab.run('nft --handle list table inet panel | grep -E "^table|flags (owner|persist)"')

/** Ends the helper; the next one waits with its start. */
async function isAway(panel: Installed, ending: string): Promise<void> {
  await panel.lab.run(`touch ${AWAY}; mkdir -p ${DROP_IN}
    printf "[Service]\\nExecStartPre=+sh -c 'while test -e ${AWAY}; do sleep 0.2; done'\\n" >${DROP_IN}/away.conf
    systemctl daemon-reload; ${ending} ${HELPER}`)
  await becomes(
    () => panel.property(HELPER, 'SubState'),
    (state) => state === 'start-pre',
  )
}

async function comesBack(panel: Installed): Promise<void> {
  await panel.lab.run(`rm ${AWAY} ${DROP_IN}/away.conf; systemctl daemon-reload`)
  await becomes(
    () => panel.property(HELPER, 'ActiveState'),
    (state) => state === 'active',
  )
}

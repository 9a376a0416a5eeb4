// The Debian package on a real Debian 13: installed by apt, confined by systemd, upgraded under traffic, removed and purged.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnel-answers.ts'
import { startLab, type Lab, type Running } from './lab/index.ts'
import { putDriver } from './panel/bundles.ts'
import { expect, OPERATOR } from './panel/panel.ts'
import { Installed, nextPackage, SLOW, thePackage, UNITS } from './package/installed.ts'

const [HELPER = '', WEB = ''] = UNITS
const HERE = '10.0.2.15'

describe('The Debian package', function () {
  this.timeout(1_800_000)
  let lab: Lab
  let panel: Installed
  /** The machine before anything was installed. */
  let untouched: string[]

  let next: string
  let connection: Running
  const echo = async (word: string): Promise<void> => {
    await connection.write(`${word}\n`)
    await connection.says(new RegExp(word))
  }
  const indexes = (): Promise<string> => lab.run("ip -o link | grep -o '^[0-9]*: gre-a-[0-9]*'")
  const daemons = async (): Promise<string[]> => Promise.all(UNITS.map((unit) => panel.property(unit, 'MainPID')))

  before(async () => {
    lab = await startLab()
    panel = new Installed(lab)
    untouched = await panel.picture()
  })
  after(() => lab?.stop())

  it('is installed by one apt command, which tells the address to open, with a random web path', async () => {
    const said = await panel.install(await thePackage())
    const path = await panel.webPath()
    assert.match(path, /^[0-9a-f]{24}$/)
    assert.ok(said.includes(`http://127.0.0.1:8480/${path}/`), said)
  })

  it('runs exactly two units, both ready as they have told systemd, and enabled', async () => {
    const units = (await lab.run("systemctl list-units --all --no-legend --plain 'tunnel-panel*' | cut -d' ' -f1 | sort")).trim().split('\n')
    assert.deepEqual(units, UNITS)
    for (const unit of UNITS) {
      assert.deepEqual([await panel.property(unit, 'ActiveState'), await panel.property(unit, 'Type'), await panel.property(unit, 'NRestarts'), await panel.property(unit, 'UnitFileState')], ['active', 'notify', '0', 'enabled'], unit)
      assert.notEqual(await panel.property(unit, 'WatchdogUSec'), '0', unit)
    }
  })

  it('gives the socket to root and the group of the web daemon, which alone runs as the system user', async () => {
    assert.equal((await lab.run("stat -c '%U %G %a' /run/tunnel-panel/helper.sock")).trim(), 'root tunnel-panel 660')
    assert.equal((await lab.run("stat -c '%U %G %a' /var/lib/tunnel-panel /var/lib/tunnel-panel-helper /etc/tunnel-panel/panel.conf")).trim(), 'tunnel-panel tunnel-panel 700\nroot root 700\nroot tunnel-panel 640')
    assert.equal((await lab.run("ps -o user= -p $(systemctl show --value -p MainPID tunnel-panel-web)")).trim(), 'tunnel-panel')
    assert.match(await lab.run('getent passwd tunnel-panel'), /\/usr\/sbin\/nologin$/m)
  })

  it('listens on the loopback address alone at first', async () => {
    assert.equal((await lab.run("ss -Hltn 'sport = 8480' | awk '{print $4}'")).trim(), '127.0.0.1:8480')
  })

  it('leaves little exposed: at most 1.5 of the web daemon and 3.0 of the helper, by systemd\'s own measure', async () => {
    for (const [unit, most] of [[WEB, 1.5], [HELPER, 3]] as const) {
      const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(await lab.run('systemd-analyze', ['security', '--no-pager', unit])) ?? []
      assert.ok(Number(exposure) <= most, `${unit}: ${exposure}`)
    }
  })

  for (const [whose, unit] of [['web', WEB], ['helper', HELPER]] as const) {
    it(`refuses an intruder in the ${whose} daemon everything that is not its work`, async () => {
      const intruder = await putDriver(lab, 'vm/driver/intruder.ts')
      // The very unit, with another program in it and nobody to wait for.
      await lab.run(`sed -e 's|^ExecStart=.*|ExecStart=/usr/bin/node /usr/lib/tunnel-panel/intruder/intruder.cjs ${whose}|' -e 's/^Type=.*/Type=oneshot/' -e '/^\\(Restart\\|WatchdogSec\\|RuntimeDirectory\\|StateDirectory\\|After\\|Wants\\|Before\\)/d' /usr/lib/systemd/system/${unit} >/run/systemd/system/intruder-${whose}.service
        mkdir -p /usr/lib/tunnel-panel/intruder && cp $(dirname ${intruder})/* /usr/lib/tunnel-panel/intruder/ && systemctl daemon-reload && systemctl start intruder-${whose} ; rm -r /usr/lib/tunnel-panel/intruder /run/systemd/system/intruder-${whose}.service`, { timeoutMs: 120_000 })
      const told = JSON.parse(await lab.run(`journalctl -u intruder-${whose} -o cat --no-pager | grep '^{'`)) as Record<string, string>
      assert.ok(Object.keys(told).length >= 18, JSON.stringify(told))
      for (const [attempt, outcome] of Object.entries(told)) assert.notEqual(outcome, 'done', `${attempt}: ${outcome}`)
    })
  }

  it('does its work in these sandboxes: tunnels kept by systemd, by networkd and by nothing, a keepalive, a relay rule, and a look at all of it', async () => {
    await panel.open()
    expect(await panel.operator.post('/auth/setup', OPERATOR), 201)
    for (const [number, body] of [{ persistence_type_id: 10, keepalive_interval_seconds: 5 }, { persistence_type_id: 20 }, { persistence_type_id: 30 }].entries()) {
      const { verification } = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', { local_endpoint: HERE, remote_endpoint: `192.0.2.${number + 11}`, ...body }), 201)
      assert.ok(verification.ok)
    }
    const { verification } = expect(await panel.operator.post<{ verification: { ok: boolean } }>('/routes', { bind_address: HERE, bind_port: 9000, destination_address: '172.17.1.2', destination_port: 80 }), 201)
    assert.ok(verification.ok)
    const { items, routes } = expect(await panel.operator.get<{ items: { status: string }[]; routes: { status: string }[] }>('/reconcile'), 200)
    assert.deepEqual([...items, ...routes].map(({ status }) => status), ['InSync', 'InSync', 'InSync', 'InSync'])
    assert.equal((await lab.try('systemctl', ['is-active', 'tunnel-panel-keepalive-gre-a-1.service'])).stdout.trim(), 'active')
  })

  it('does the common acts by its command: status, the address, a call to the helper, where it listens', async () => {
    assert.match(await lab.run('tunnel-panel status', SLOW), /tunnel-panel-helper +active\ntunnel-panel-web +active\nThe panel says of itself: ok/)
    assert.match(await lab.run('tunnel-panel url'), new RegExp(`^http://\\S+:8480/${await panel.webPath()}/$`, 'm'))
    assert.match(await lab.run(`tunnel-panel rpc host.probe '{"parts":["helper"]}'`, SLOW), /"version": "0\.1\.0"/)
    const refused = await lab.try('tunnel-panel set-listen 0.0.0.0')
    assert.deepEqual([refused.code, /TLS/.test(refused.stderr)], [1, true])
    const elsewhere = await lab.try('tunnel-panel set-listen 192.0.2.77 --without-tls', SLOW)
    assert.deepEqual([elsewhere.code, /listens where it did before/.test(elsewhere.stderr)], [1, true])
    assert.equal((await lab.run("ss -Hltn 'sport = 8480' | awk '{print $4}'")).trim(), '0.0.0.0:8480')
  })

  it('relays, before it is upgraded, a connection that stays open', async () => {
    next = await nextPackage('0.1.1')
    await lab.run(`for n in c s; do ip netns add $n; ip link add $n type veth peer name eth1 netns $n; ip link set $n up; done
      ip address add 10.1.0.1/24 dev c; ip address add 10.2.0.1/24 dev s
      ip -n c address add 10.1.0.2/24 dev eth1; ip -n c link set eth1 up; ip -n s address add 10.2.0.2/24 dev eth1; ip -n s link set eth1 up`)
    lab.spawn('ip netns exec s socat TCP-LISTEN:80,fork,reuseaddr EXEC:cat')
    await panel.signIn()
    expect(await panel.operator.post('/routes', { route_rule_title: 'echo', bind_address: '10.1.0.1', bind_port: 9001, destination_address: '10.2.0.2', destination_port: 80 }), 201)
    connection = lab.spawn('ip netns exec c socat - TCP:10.1.0.1:9001')
    await echo('before')
  })

  it('goes on with the daemons of before where an upgrade cannot bring the store forward, and says so', async () => {
    await lab.run('touch /run/the-next-migration-fails')
    const before = await daemons()
    await assert.rejects(panel.install(next), /The store cannot be brought to the form of this version/)
    assert.deepEqual(await daemons(), before)
    await panel.signIn()
    await echo('meanwhile')
  })

  it('is upgraded with the store brought forward and a copy kept, and changes no link and breaks no connection', async () => {
    const [before, links] = [await daemons(), await indexes()]
    await lab.run('rm /run/the-next-migration-fails')
    await panel.install(next)
    assert.notDeepEqual(await daemons(), before)
    assert.equal(await indexes(), links)
    await echo('after')
    assert.match(await lab.run('ls /var/lib/tunnel-panel'), /panel\.db\.before-999-next-release/)
    await panel.signIn()
    const { items, routes } = expect(await panel.operator.get<{ items: { status: string }[]; routes: { status: string }[] }>('/reconcile'), 200)
    assert.deepEqual([...new Set([...items, ...routes].map(({ status }) => status))], ['InSync'])
  })

  it('tells that the helper is away, shows what is stored meanwhile, and finds it again', async () => {
    await lab.run('systemctl stop tunnel-panel-helper', SLOW)
    const { tunnels } = expect(await panel.operator.get<{ tunnels: { observed: { is_known: boolean } }[] }>('/tunnels'), 200)
    assert.deepEqual(tunnels.map(({ observed }) => observed.is_known), [false, false, false])
    assert.equal((await panel.operator.post('/tunnels/1/down', { i_understand_i_may_lose_access: true })).status, 503)
    await lab.run('systemctl start tunnel-panel-helper', SLOW)
    assert.match(await lab.run('tunnel-panel status', SLOW), /says of itself: ok/)
  })

  it('is started anew where it hangs or dies', async () => {
    for (const unit of UNITS) {
      const pid = await panel.property(unit, 'MainPID')
      await lab.run(`kill -KILL ${pid}; until [ "$(systemctl is-active ${unit})" = active ] && [ "$(systemctl show --value -p MainPID ${unit})" != ${pid} ]; do sleep 0.2; done`, SLOW)
    }
    assert.match(await lab.run('tunnel-panel status', SLOW), /says of itself: ok/)
  })

  it('loses nothing that it had answered when the power goes in the middle of fifty changes, and leaves nothing half-made', async () => {
    await panel.signIn()
    const answered: number[] = []
    const changing = (async () => {
      for (let number = 0; number < 50; number += 1) {
        const { status, body } = await panel.operator.post<CreateTunnelAnswer>('/tunnels', { local_endpoint: HERE, remote_endpoint: `198.51.100.${number + 1}`, persistence_type_id: 10 })
        if (status === 201) answered.push(body.tunnel.tunnel_id)
      }
    })().catch(() => undefined)
    await becomes(async () => answered.length >= 10)
    await lab.reset()
    await changing
    await lab.run('until systemctl is-active tunnel-panel-helper tunnel-panel-web; do sleep 0.5; done', SLOW)
    await panel.signIn()
    const { tunnels } = expect(await panel.operator.get<{ tunnels: { tunnel_id: number; apply_status: string; persistence_type_id: number; observed: { exists: boolean } }[] }>('/tunnels?limit=1000'), 200)
    const kept = tunnels.filter(({ persistence_type_id }) => persistence_type_id !== 30)
    assert.ok(answered.length >= 10 && answered.length < 50, `${answered.length}`)
    for (const id of answered) assert.deepEqual(kept.find(({ tunnel_id }) => tunnel_id === id)?.apply_status, 'Applied', `tunnel ${id}`)
    // One may have been under way: stored as pending, and then either wholly there or not at all.
    const underWay = kept.filter(({ apply_status }) => apply_status !== 'Applied')
    assert.ok(underWay.length <= 1, JSON.stringify(underWay))
    const { items, routes } = expect(await panel.operator.get<{ items: { status: string; tunnel_id: number | null }[]; routes: { status: string }[] }>('/reconcile'), 200)
    const runtime = tunnels.filter(({ persistence_type_id }) => persistence_type_id === 30).map(({ tunnel_id }) => tunnel_id)
    for (const { status, tunnel_id } of items) {
      const may = underWay.some((one) => one.tunnel_id === tunnel_id) ? ['InSync', 'Missing'] : runtime.includes(tunnel_id ?? 0) ? ['Missing'] : ['InSync']
      assert.ok(may.includes(status), `tunnel ${tunnel_id}: ${status}`)
    }
    assert.deepEqual([...new Set(routes.map(({ status }) => status))], ['InSync'])
  })

  it('leaves tunnels and relays as they are when it is removed', async () => {
    await panel.apt('remove')
    assert.match(await lab.run('ip -br link'), /^gre-a-1@/m)
    assert.match(await lab.run('nft list table inet panel'), /dnat/)
    assert.equal((await lab.try('systemctl', ['is-active', ...UNITS])).stdout, 'inactive\ninactive\n')
  })

  it('leaves nothing at all when it is purged', async () => {
    await panel.apt('purge')
    const now = await panel.picture()
    const [left, gone] = [now.filter((line) => !untouched.includes(line)), untouched.filter((line) => !now.includes(line))]
    assert.deepEqual({ left, gone }, { left: [], gone: [] })
  })

  it('takes tunnels and relays down before it goes, where it is asked to', async () => {
    await panel.install(await thePackage())
    await panel.open()
    expect(await panel.operator.post('/auth/setup', OPERATOR), 201)
    expect(await panel.operator.post('/tunnels', { local_endpoint: HERE, remote_endpoint: '192.0.2.11' }), 201)
    expect(await panel.operator.post('/routes', { bind_address: HERE, bind_port: 9000, destination_address: '172.17.1.2', destination_port: 80 }), 201)
    await lab.run("echo 'tunnel-panel tunnel-panel/take-down boolean true' | debconf-set-selections")
    await panel.apt('remove')
    assert.equal((await lab.try("ip -br link | grep '^gre-a-'")).stdout, '')
    assert.doesNotMatch((await lab.try('nft list table inet panel')).stdout, /dnat/)
    assert.equal((await lab.try('ls /etc/systemd/system | grep tunnel-panel')).stdout, '')
  })
})

async function becomes(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 240_000; !(await holds()); await sleep(200)) if (Date.now() > deadline) throw new Error(`It did not become so: ${holds.toString()}`)
}

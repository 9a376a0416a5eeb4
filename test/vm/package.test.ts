// The Debian package on a real Debian 13: installed by apt, confined by systemd, and at work in that confinement.
import assert from 'node:assert/strict'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnel-answers.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putDriver } from './panel/bundles.ts'
import { expect, OPERATOR } from './panel/panel.ts'
import { Installed, thePackage, UNITS } from './package/installed.ts'

const [HELPER = '', WEB = ''] = UNITS
const HERE = '10.0.2.15'

describe('The Debian package', function () {
  this.timeout(1_800_000)
  let lab: Lab
  let panel: Installed

  before(async () => {
    lab = await startLab()
    panel = new Installed(lab)
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
      assert.deepEqual(Object.keys(told).filter((attempt) => told[attempt] === 'done'), [])
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

  it('does the common acts by its command: the address, a call to the helper, whether the store can be used', async () => {
    assert.match(await lab.run('tunnel-panel url'), new RegExp(`^http://\\S+:8480/${await panel.webPath()}/$`, 'm'))
    assert.match(await lab.run(`tunnel-panel rpc host.probe '{"parts":["helper"]}'`), /"version": "0\.1\.0"/)
    assert.match(await lab.run('tunnel-panel check-store'), /can be used by this version/)
    const refused = await lab.try('tunnel-panel set-listen 0.0.0.0')
    assert.deepEqual([refused.code, /TLS/.test(refused.stderr)], [1, true])
  })
})

// One apt command, and what is there then: two units, a user, a socket, a way in.
import assert from 'node:assert/strict'
import { HELPER, SLOW, thePackage, UNITS, WEB, type Installed } from './installed.ts'

export function isInstalled(panel: Installed): void {
  it('is installed by one apt command, which tells the address to open, with a random web path', async () => {
    const output = await panel.install(await thePackage())
    const path = await panel.webPath()
    assert.match(path, /^[0-9a-f]{24}$/)
    assert.ok(output.includes(`http://127.0.0.1:8480/${path}/`), output)
  })

  it('runs exactly two units, both ready by their own notification to systemd, and enabled', async () => {
    const units = (
      await panel.lab.run("systemctl list-units --all --no-legend --plain 'tunnel-panel*' | cut -d' ' -f1 | sort")
    )
      .trim()
      .split('\n')
    assert.deepEqual(units, UNITS)
    const ready = ['notify', '0', 'active', 'enabled']
    assert.deepEqual(await panel.properties('Type', 'NRestarts', 'ActiveState', 'UnitFileState'), [...ready, ...ready])
  })

  it('starts the helper first, without which the web daemon could not have reported that all is well', async () => {
    const [helper = NaN, web = NaN] = [
      await panel.property(HELPER, 'ActiveEnterTimestampMonotonic'),
      await panel.property(WEB, 'ExecMainStartTimestampMonotonic'),
    ].map(Number)
    assert.ok(helper <= web, `${helper} ${web}`)
  })

  it('gives the socket to root and the group of the web daemon, which alone runs as the system user', async () => {
    const { lab } = panel
    assert.equal((await lab.run("stat -c '%U %G %a' /run/tunnel-panel/helper.sock")).trim(), 'root tunnel-panel 660')
    assert.equal(
      (
        await lab.run(
          "stat -c '%U %G %a' /var/lib/tunnel-panel /var/lib/tunnel-panel-helper /etc/tunnel-panel/panel.conf",
        )
      ).trim(),
      'tunnel-panel tunnel-panel 700\nroot root 700\nroot tunnel-panel 640',
    )
    assert.equal(
      (await lab.run('ps -o user= -p $(systemctl show --value -p MainPID tunnel-panel-web)')).trim(),
      'tunnel-panel',
    )
    assert.match(await lab.run('getent passwd tunnel-panel'), /\/usr\/sbin\/nologin$/m)
  })

  it('listens on the loopback address alone at first, and answers under its web path', async () => {
    assert.equal((await panel.lab.run("ss -Hltn 'sport = 8480' | awk '{print $4}'")).trim(), '127.0.0.1:8480')
    assert.equal(
      await panel.lab.run(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8480/${await panel.webPath()}/`),
      '200',
    )
  })

  it('is opened to other hosts without TLS on request', async () => {
    await panel.lab.run('tunnel-panel set-listen 0.0.0.0 --without-tls', SLOW)
    await panel.isWell()
    await panel.reach('http')
    assert.equal((await panel.lab.run("ss -Hltn 'sport = 8480' | awk '{print $4}'")).trim(), '0.0.0.0:8480')
  })
}

// How each unit is confined: by systemd's own measure, and as an intruder in it finds out.
import assert from 'node:assert/strict'
import { putDriver } from '../panel/bundles.ts'
import { HELPER, UNITS, WEB, type Installed, SLOW } from './installed.ts'

export function isConfined(panel: Installed): void {
  it("leaves little exposed: at most 1.1 of the web daemon and 2.0 of the helper, by systemd's own measure", async () => {
    for (const [unit, most] of [
      [WEB, 1.1],
      [HELPER, 2],
    ] as const) {
      const [, exposure] =
        /exposure level for \S+: ([\d.]+)/.exec(
          await panel.lab.run('systemd-analyze', ['security', '--no-pager', unit]),
        ) ?? []
      assert.ok(Number(exposure) <= most, `${unit}: ${exposure}`)
    }
  })

  it('lets neither use io_uring or the keyring of the kernel, which nothing here needs', async () => {
    for (const unit of UNITS) {
      const allowed = (await panel.property(unit, 'SystemCallFilter')).split(' ')
      assert.ok(allowed.includes('epoll_wait'), unit)
      assert.deepEqual(
        allowed.filter((name) => /^io_|^(keyctl|add_key|request_key)$/.test(name)),
        [],
        unit,
      )
    }
  })

  for (const [whose, unit] of [
    ['web', WEB],
    ['helper', HELPER],
  ] as const) {
    it(`refuses an intruder in the ${whose} daemon everything that is not its work`, async () => {
      const { lab } = panel
      const intruder = await putDriver(lab, 'vm/driver/intruder.ts')
      // The very unit, with another program in it and nobody to wait for.
      await lab.run(
        `sed -e 's|^ExecStart=.*|ExecStart=/usr/bin/node /usr/lib/tunnel-panel/intruder/intruder.cjs ${whose}|' -e 's/^Type=.*/Type=oneshot/' -e '/^\\(Restart\\|WatchdogSec\\|RuntimeDirectory\\|StateDirectory\\|After\\|Wants\\|Before\\)/d' /usr/lib/systemd/system/${unit} >/run/systemd/system/intruder-${whose}.service
        mkdir -p /usr/lib/tunnel-panel/intruder && cp $(dirname ${intruder})/* /usr/lib/tunnel-panel/intruder/ && systemctl daemon-reload && systemctl start intruder-${whose} ; rm -r /usr/lib/tunnel-panel/intruder /run/systemd/system/intruder-${whose}.service`,
        SLOW,
      )
      const reported = JSON.parse(
        await lab.run(`journalctl -u intruder-${whose} -o cat --no-pager | grep '^{'`),
      ) as Record<string, string>
      assert.ok(Object.keys(reported).length >= 18, JSON.stringify(reported))
      assert.deepEqual(
        Object.entries(reported).filter(([, outcome]) => outcome === 'done'),
        [],
      )
    })
  }
}

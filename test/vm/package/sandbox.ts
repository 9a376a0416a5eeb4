// How each unit is confined: by systemd's own measure, and as an intruder in it finds out.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { TOOLS } from '@panel/shared/host/model.ts'
import { compileAddon } from '../../../root-helper/native/build.mjs'
import { ROOT } from '../../../packaging/build/build.ts'
import { expectedOfIntruders } from '../../support/intruder-table.ts'
import { putDriver } from '../panel/bundles.ts'
import { HELPER, WEB, type Installed, SLOW } from './installed.ts'

/** A place of which both units may load libraries. */
const INSIDE = '/usr/lib/tunnel-panel/intruder'
/** The machine has no sshd. */
const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key'
const SYSTEM_CALLS = join(ROOT, '.build/native/system-calls.node')
type Reported = Readonly<Record<string, string>>

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

  it('finds the programs of the host from within, those that the helper may not start too', async () => {
    const answer = await panel.lab.run(`tunnel-panel rpc host.probe '{"parts":["tools"]}'`, SLOW)
    const found = [...answer.matchAll(/"name": "([^"]+)",\s+"available": (true|false)/g)].map(([, ...pair]) => pair)
    assert.deepEqual(
      found,
      TOOLS.map((name) => [name, 'true']),
    )
  })

  describe('gives an intruder in the place of a daemon', () => {
    let unconfined: Reported
    const arguments_ = async (whose: 'web' | 'helper' | 'neither'): Promise<string> => {
      const [folder, unit] = whose === 'web' ? ['tunnel-panel-helper', HELPER] : ['tunnel-panel', WEB]
      const disk = (await panel.lab.run('mountpoint --fs-devno /')).trim()
      return `${whose} /var/lib/${folder} ${await panel.property(unit, 'MainPID')} /dev/block/${disk}`
    }

    before(async () => {
      const { lab } = panel
      const driver = await putDriver(lab, 'vm/driver/intruder.ts')
      const sources = ['test/vm/driver/system-calls.c', 'root-helper/native/arguments.c']
      compileAddon(
        SYSTEM_CALLS,
        sources.map((source) => join(ROOT, source)),
      )
      await lab.run(`mkdir ${INSIDE} && cp $(dirname ${driver})/* ${INSIDE}/ && install -m 600 /dev/null ${HOST_KEY}`)
      await lab.put(`${INSIDE}/system-calls.node`, SYSTEM_CALLS)
      unconfined = JSON.parse(
        await lab.run(`node ${INSIDE}/intruder.cjs ${await arguments_('neither')}`, SLOW),
      ) as Reported
    })
    after(() => panel.lab.run(`rm -r ${INSIDE} ${HOST_KEY}`))

    for (const [whose, unit] of [
      ['web', WEB],
      ['helper', HELPER],
    ] as const) {
      it(`what the table of the threat model says of the ${whose} daemon, and none of it for another reason`, async () => {
        const reported = await intrude(panel, whose, unit, await arguments_(whose))
        const expected = expectedOfIntruders(whose)
        assert.deepEqual(reported, expected)
        // An attempt that fails all the same without a sandbox would prove nothing about it.
        const vain = Object.entries(expected).filter(([name, got]) => got !== 'works' && unconfined[name] === got)
        assert.deepEqual(vain, [])
      })
    }
  })
}

/**
 * Runs the intruder in the text of the unit itself, beside the daemon: what differs is the program, that nothing waits
 * for it or starts it again, and that the folder of the socket stays when it ends.
 */
async function intrude({ lab }: Installed, whose: string, unit: string, words: string): Promise<Reported> {
  const name = `intruder-${whose}.service`
  const changes = [
    `s|^ExecStart=.*|ExecStart=/usr/bin/node ${INSIDE}/intruder.cjs ${words}|`,
    's/^Type=.*/Type=oneshot/',
    's/^RuntimeDirectoryPreserve=.*/RuntimeDirectoryPreserve=yes/',
    '/^(Restart|WatchdogSec|After|Wants|Before)/d',
  ]
  const edits = changes.map((change) => `-e '${change}'`).join(' ')
  try {
    await lab.run(
      `sed -E ${edits} /usr/lib/systemd/system/${unit} >/run/systemd/system/${name} && systemctl daemon-reload &&
      systemctl start ${name} || { journalctl -u ${name} -o cat --no-pager >&2; false; }`,
      SLOW,
    )
  } finally {
    await lab.run(`rm /run/systemd/system/${name}`)
  }
  return JSON.parse(await lab.run(`journalctl -u ${name} -o cat --no-pager | grep '^{'`)) as Reported
}

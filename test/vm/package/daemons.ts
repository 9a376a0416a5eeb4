// Daemons that are away, are killed or hang, and what systemd and the other daemon make of it.
import assert from 'node:assert/strict'
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { expect } from '../panel/panel.ts'
import { becomes } from '../eventually.ts'
import { HELPER, SLOW, UNITS, WEB, type Installed } from './installed.ts'

/** Far more than a daemon that works is ever silent, even on a slow machine. */
const WATCHDOG_S = 30

export function survives(panel: Installed): void {
  const isKnown = async (): Promise<boolean[]> => [
    ...new Set(
      expect(await panel.operator.get<ListTunnelsAnswer>('/tunnels'), 200).tunnels.map(
        ({ observed }) => observed.is_known,
      ),
    ),
  ]
  /** Starts the processes again and waits until others are ready; both are read in one moment. */
  const startAnew = (pids: readonly string[]): Promise<unknown> =>
    becomes(
      () => panel.properties('MainPID', 'ActiveState'),
      ([helper = '', helperState, web = '', webState]) =>
        helperState === 'active' && webState === 'active' && !pids.includes(helper) && !pids.includes(web),
    )

  it('shows what is stored while the helper is away, says what it cannot know, and finds it again', async () => {
    const { lab, operator } = panel
    const web = await panel.property(WEB, 'MainPID')
    await lab.run('systemctl stop tunnel-panel-helper', SLOW)
    assert.deepEqual(await becomes(isKnown, ([known, ...others]) => known === false && others.length === 0), [false])
    const warnings = await lab.run('journalctl -u tunnel-panel-web -p warning -o cat --no-pager')
    assert.match(warnings, /^\{.*lost the connection to the root helper/m)
    assert.doesNotMatch(warnings, /"level":30/)
    assert.equal((await operator.post('/tunnels/1/down', { i_understand_i_may_lose_access: true })).status, 503)
    const { code, stdout } = await lab.try('tunnel-panel status', SLOW)
    assert.deepEqual(
      [
        code,
        /^tunnel-panel-helper +inactive\ntunnel-panel-web +active$/m.test(stdout),
        /^ +helper +error /m.test(stdout),
      ],
      [1, true, true],
      stdout,
    )
    await lab.run('systemctl start tunnel-panel-helper', SLOW)
    assert.deepEqual(await becomes(isKnown, ([known, ...others]) => known === true && others.length === 0), [true])
    assert.equal(await panel.property(WEB, 'MainPID'), web)
  })

  it('is restarted where a daemon is killed, and where it hangs: the watchdog sees to that', async () => {
    const { lab } = panel
    assert.deepEqual(await panel.properties('WatchdogUSec'), ['1min', '1min'])
    for (const unit of UNITS) {
      await lab.run(
        `mkdir -p /run/systemd/system/${unit}.d && printf '[Service]\\nWatchdogSec=${WATCHDOG_S}\\nTimeoutAbortSec=2\\n' >/run/systemd/system/${unit}.d/sooner.conf`,
      )
    }
    await lab.run('systemctl daemon-reload')
    for (const signal of ['KILL', 'STOP']) {
      const pids = await panel.processes()
      await lab.run(`kill -${signal} ${pids.join(' ')}`)
      await startAnew(pids)
    }
    for (const unit of UNITS)
      assert.match(await lab.run('journalctl', ['-u', unit, '--no-pager', '-o', 'cat']), /Watchdog timeout/)
    await panel.isWell()
    await lab.run('rm -r /run/systemd/system/tunnel-panel-*.d && systemctl daemon-reload')
  })

  it('is started again and again where it cannot start, with pauses that grow, and is well once it can', async () => {
    const { lab } = panel
    const folder = `/run/systemd/system/${HELPER}.d`
    const pauses = ['1s', '8', '30s']
    assert.deepEqual(await panel.properties('RestartUSec', 'RestartSteps', 'RestartMaxDelayUSec'), [
      ...pauses,
      ...pauses,
    ])
    // With shorter pauses it starts more often at once.
    await lab.run(
      `mkdir -p ${folder} && printf '[Service]\\nRestartSec=100ms\\nExecStart=\\nExecStart=/usr/bin/false\\n' >${folder}/broken.conf && systemctl daemon-reload`,
    )
    assert.equal((await lab.try('systemctl', ['restart', HELPER], SLOW)).code, 1)
    // More often than any limit on starts would allow.
    await becomes(
      () => panel.property(HELPER, 'NRestarts'),
      (count) => Number(count) >= 6,
    )
    assert.match(await panel.property(HELPER, 'ActiveState'), /^activ/)
    await lab.run(`rm -r ${folder} && systemctl daemon-reload`)
    await becomes(
      () => panel.property(HELPER, 'ActiveState'),
      (state) => state === 'active',
    )
    await panel.isWell()
  })
}

// The lab itself: what a crash of its machine does to a test that waits for it, and what the machine is.
import assert from 'node:assert/strict'
import { type Lab, startLab } from './lab/index.ts'

for (const kind of ['user-mode', 'emulated'] as const)
  describe(`A machine of the lab that crashes, ${kind}`, () => {
    let lab: Lab
    const reported = process.env['PANEL_LAB_CRASHES']
    before(async function () {
      // This crash is wanted, and nothing for the runner.
      delete process.env['PANEL_LAB_CRASHES']
      lab = await startLab({ kind })
    })
    after(async () => {
      await lab?.stop()
      if (reported !== undefined) process.env['PANEL_LAB_CRASHES'] = reported
    })

    it('ends every command that runs in it, and does not start again', async function () {
      const waiting = lab.spawn('sleep 1000')
      const { code } = await lab.try('echo c > /proc/sysrq-trigger; sleep 1000')
      assert.deepEqual([code, (await waiting.exited).code], [255, 255])
      await assert.rejects(lab.run('true'), /the connection to the machine is lost|the machine ended the connection/)
      assert.match(lab.console, /sysrq triggered crash/)
    })
  })

describe('A user-mode machine of the lab', () => {
  let lab: Lab
  before(async function () {
    lab = await startLab({ kind: 'user-mode' })
  })
  after(() => lab.stop())

  it("is of the same version of Debian's kernel as the emulated one, and has its way in alone as a card", async () => {
    assert.match(await lab.run('uname -r'), /^6\.12\.\d+$/m)
    const links = JSON.parse(await lab.run('ip -j link')) as { ifname: string; link_type: string }[]
    const cards = links.filter(({ link_type }) => link_type === 'ether').map(({ ifname }) => ifname)
    assert.deepEqual(
      cards.filter((name) => !/^(gretap|erspan)0$/.test(name)),
      ['eth0'],
    )
  })

  it('loses with its power what was not synced, and nothing else', async function () {
    await lab.run(
      'echo kept > /root/kept; sync; echo lost > /root/lost; echo 1000000 > /proc/sys/vm/dirty_writeback_centisecs',
    )
    await lab.reset()
    assert.deepEqual(await lab.try('cat /root/kept; test ! -s /root/lost'), {
      code: 0,
      signal: null,
      stdout: 'kept\n',
      stderr: '',
    })
  })

  it('starts again by its own systemd', async function () {
    const before = await lab.run('cat /proc/sys/kernel/random/boot_id')
    await lab.reboot()
    assert.notEqual(await lab.run('cat /proc/sys/kernel/random/boot_id'), before)
  })
})

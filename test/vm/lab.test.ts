// The lab itself: what a crash of its machine does to a test that waits for it.
import assert from 'node:assert/strict'
import { type Lab, startLab } from './lab/index.ts'

describe('A machine of the lab that crashes', () => {
  let lab: Lab
  const reported = process.env['PANEL_LAB_CRASHES']
  before(async () => {
    // This crash is wanted, and nothing for the runner.
    delete process.env['PANEL_LAB_CRASHES']
    lab = await startLab()
  })
  after(async () => {
    await lab?.stop()
    if (reported !== undefined) process.env['PANEL_LAB_CRASHES'] = reported
  })

  it('ends every command that runs in it, and does not start again', async () => {
    const waiting = lab.spawn('sleep 1000')
    const { code } = await lab.try('echo c > /proc/sysrq-trigger; sleep 1000')
    assert.deepEqual([code, (await waiting.exited).code], [255, 255])
    await assert.rejects(lab.run('true'), /the connection to the machine is lost/)
    assert.match(lab.console, /sysrq triggered crash/)
  })
})

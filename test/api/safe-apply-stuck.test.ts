// A window that root cannot take back: shown on every page that is open, in health and with what a person can do, until
// it is put back after all (reference.md, Safe apply).
import assert from 'node:assert/strict'
import type { ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { eventually } from '../support/eventually.ts'
import { quietly } from '../support/quietly.ts'
import type { Client } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { madeRoute } from './support/routes.ts'
import { openStream, type OpenStream } from './support/streams.ts'
import { startWindowPanel } from './support/windows.ts'

describe('A window that cannot be taken back', function () {
  quietly()
  let panel: TestPanel
  let operator: Client
  let stream: OpenStream
  beforeEach(async () => {
    ;({ panel, operator } = await startWindowPanel())
    await madeRoute(operator)
    await panel.monitor.start()
    stream = await openStream(operator, '/monitor/stream')
  })
  afterEach(async () => {
    stream.leave()
    await panel.close()
  })

  const window = async () => (await operator.get<SafeApplyAnswer>('/safe-apply')).body.window
  const published = () => stream.events().flatMap(({ name, data }) => (name === 'safe_apply' ? [data] : []))
  const helperHealth = async () =>
    (await operator.get<HealthAnswer>('/system/health')).body.components.find(({ name }) => name === 'helper')
  /** The kernel refuses rules until the function is called. */
  const breakKernel = (): (() => void) => {
    const { rulesets } = panel.kernel
    const { submit } = rulesets
    rulesets.submit = () => Promise.reject(new KernelError('EIO', 'change the relay rules: EIO'))
    return () => void (rulesets.submit = submit)
  }

  it('is published as it opens, gets stuck and is put back at last, and nothing is changed meanwhile', async () => {
    const before = panel.kernel.picture()
    await operator.post('/safe-apply', { seconds: 60 })
    assert.equal((await operator.patch('/routes/1', { bind_port: 4443 })).status, 200)
    const mend = breakKernel()
    await panel.windowClock.advance(60_000)
    await eventually(async () => (await window())?.state === 'stuck', 'the window is stuck')
    const { detail, remediation } = (await window()) ?? assert.fail()
    assert.match(detail, /change the relay rules/)
    assert.ok(remediation.length > 0)
    const health = await helperHealth()
    assert.deepEqual([health?.status, /could not be taken back/.test(health?.detail ?? '')], ['error', true])
    const refused = await operator.patch('/routes/1', { bind_port: 4444 })
    assert.deepEqual([refused.status, refused.error.details['reason']], [503, 'window_ended'], refused.text)
    const sofar = published().length
    assert.deepEqual(published().at(-1), { is_open: true })
    mend()
    await panel.windowClock.advance(1000)
    await eventually(async () => (await window()) === null, 'the window is put back')
    await eventually(async () => published().length > sofar, 'the end is published')
    assert.deepEqual([published().at(-1), panel.kernel.picture()], [{ is_open: false }, before])
    await eventually(async () => (await helperHealth())?.status === 'ok', 'health is well again')
    const { entries } = (await operator.get<ListAuditAnswer>('/audit?limit=5')).body
    const ended = entries.find(({ action }) => action === 'SafeApplyEnd')
    assert.match(JSON.stringify(ended?.operations), /expired; opened by operator/)
  })

  for (const [how, end] of [
    ['confirmed', 'confirm'],
    ['cancelled', 'cancel'],
  ] as const)
    it(`is reported like any other once it is ${how} in time`, async () => {
      const { body } = await operator.post<SafeApplyAnswer>('/safe-apply', { seconds: 60 })
      await operator.patch('/routes/1', { bind_port: 4443 })
      await eventually(async () => published().length === 2, 'the opening and the change are published')
      await operator.post(`/safe-apply/${end}`, { window_id: body.window?.window_id })
      await eventually(async () => published().length > 2, 'the end is published')
      assert.deepEqual(published().at(-1), { is_open: false })
    })
})

// What is kept of windows that have ended, and how often the root helper is queried about them.
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { quietly } from '../support/quietly.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { set } from './support/settings.ts'
import { startWindowPanel } from './support/windows.ts'

describe('A window of safe apply', () => {
  quietly()
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    ;({ panel, operator } = await startWindowPanel())
  })
  afterEach(() => panel.close())

  it('that has ended is forgotten with the audit entries of its time, once another ends', async () => {
    let mtu = 1300
    const end = async (): Promise<string[]> => {
      const { body } = await operator.post<SafeApplyAnswer>('/safe-apply', {})
      await set(operator, { 'tunnel.default_mtu': (mtu += 1) })
      await operator.post('/safe-apply/cancel', { window_id: body.window?.window_id })
      return (await panel.db.selectFrom('safe_apply').select('window_id').execute()).map(({ window_id }) => window_id)
    }
    const [first] = await end()
    assert.equal((await end()).length, 2)
    const long_ago = new Date(Date.now() - 366 * 86_400_000).toISOString()
    await panel.db
      .updateTable('safe_apply')
      .set({ ended_date: long_ago })
      .where('window_id', '=', first ?? '')
      .execute()
    await set(operator, { 'system.audit_retention_days': 365 })
    const left = await end()
    assert.deepEqual([left.length, left.includes(first ?? '')], [2, false])
  })

  it('asks the helper once how it stands, and once more after it was confirmed', async () => {
    const requests: string[] = []
    const there = requestThrough(inProcessHelper(new FakeKernel()).request)
    const request: Writer = (method, params) => {
      requests.push(method)
      return there(method, params)
    }
    const other = await startPanel({ request })
    const client = await other.setUp()
    const { window } = (await client.post<SafeApplyAnswer>('/safe-apply', {})).body
    requests.length = 0
    await client.post('/safe-apply/confirm', { window_id: window?.window_id })
    assert.deepEqual(
      requests.filter((method) => method.startsWith('window.')),
      ['window.probe', 'window.confirm', 'window.probe'],
    )
    requests.length = 0
    await client.post('/safe-apply/cancel', { window_id: window?.window_id })
    assert.deepEqual(requests, ['window.probe'])
    await other.close()
  })
})

// Requests about a window at the same moment, about one that is not the open one, and many at once (reference.md, Safe
// apply).
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { quietly } from '../support/quietly.ts'
import { backupOf, importInto } from './support/backup.ts'
import type { Client, Reply } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { createTunnel, getTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

describe('A window of safe apply that gets two requests', function () {
  quietly()
  let panel: TestPanel
  let operator: Client
  let id: number
  let window_id: string
  beforeEach(async () => {
    ;({ panel, operator } = await startWindowPanel())
    id = (await createTunnel(operator)).body.tunnel.tunnel_id
    const { body } = await operator.post<SafeApplyAnswer>('/safe-apply', {})
    window_id = body.window?.window_id ?? assert.fail('no window is open')
    assert.equal((await operator.patch(`/tunnels/${id}`, { mtu: 1400 })).status, 200)
  })
  afterEach(() => panel.close())

  const ends = (word: string, id = window_id): Promise<Reply<SafeApplyAnswer>> =>
    operator.post<SafeApplyAnswer>(`/safe-apply/${word}`, { window_id: id })
  const mtu = async (): Promise<unknown> => (await getTunnel(operator, id)).body.mtu

  for (const [word, left] of [
    ['confirm', 1400],
    ['cancel', 1472],
  ] as const)
    it(`twice at once, to ${word}, does it and says so both times`, async () => {
      const both = await Promise.all([ends(word), ends(word)])
      assert.deepEqual(
        both.map(({ status, body }) => [status, body.last?.ended_how]),
        Array(2).fill([200, word === 'confirm' ? 'confirmed' : 'cancelled']),
      )
      assert.equal(await mtu(), left)
    })

  for (const words of [
    ['confirm', 'cancel'],
    ['cancel', 'confirm'],
  ])
    it(`to ${words.join(' and ')} at once, does one and tells the other how it ended`, async () => {
      const [one, other] = await Promise.all(words.map((word) => ends(word)))
      assert.deepEqual([one?.status, other?.status].sort(), [200, 409])
      const [won, lost] = one?.status === 200 ? [one, other] : [other, one]
      const how = won?.body.last?.ended_how
      assert.deepEqual([lost?.error.code, lost?.error.details['ended_how']], ['SAFE_APPLY_OVER', how])
      assert.equal(await mtu(), how === 'confirmed' ? 1400 : 1472)
    })

  it('is put back where the socket of the helper was faster to cancel than a confirmation', async () => {
    const cancelled = panel.windows.cancel({ window_id })
    const { status, error } = await ends('confirm')
    await cancelled
    assert.deepEqual([status, error.code], [409, 'SAFE_APPLY_OVER'])
    assert.equal(await mtu(), 1472)
  })

  it("and is requested by another's id, is named in the refusal and stays open", async () => {
    for (const word of ['confirm', 'cancel']) {
      const { status, error } = await ends(word, 'f'.repeat(32))
      assert.deepEqual(
        [status, error.code, error.details],
        [409, 'SAFE_APPLY_OVER', { ended_how: null, at: null, window_id }],
      )
    }
    assert.equal(await mtu(), 1400)
    assert.equal((await ends('confirm')).status, 200)
  })

  it('takes a whole import into itself, change by change, and puts all of it back', async () => {
    const routes = Array.from({ length: 300 }, (_, n) => ({
      route_rule_title: `rule ${n}`,
      bind_port: 2000 + n,
      destination_address: '10.9.0.2',
    }))
    const { status, body } = await importInto(operator, backupOf({ routes }), {})
    assert.deepEqual([status, body.counts.create, body.counts.failed], [200, routes.length, 0])
    const { window } = panel.windows.probe()
    assert.deepEqual([window?.window_id, window?.route_rule_ids.length], [window_id, routes.length])
    assert.equal((await ends('cancel')).status, 200)
    const left = await panel.db.selectFrom('route_rule').selectAll().where('deleted_date', 'is', null).execute()
    assert.deepEqual([left, panel.kernel.rulesets.rules.size, await mtu()], [[], 0, 1472])
  })
})

// Commands that wait for a confirmation: by their body, by a header, or since they cut the operator off.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import type { SafeApplyAnswer, SafeApplyPending } from '@panel/shared/api/safe-apply.ts'
import type { Client, Reply } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { set } from './support/settings.ts'
import { createTunnel, getTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

type Pending = { readonly safe_apply?: SafeApplyPending }

describe('A command that waits for a confirmation', () => {
  let panel: TestPanel
  let operator: Client
  let id: number
  beforeEach(async () => {
    ;({ panel, operator } = await startWindowPanel())
    id = (await createTunnel(operator)).body.tunnel.tunnel_id
  })
  afterEach(() => panel.close())

  const patch = (body: object, headers = {}): Promise<Reply<Pending>> =>
    operator.patch(`/tunnels/${id}`, body, { headers })
  const window = async () => (await operator.get<SafeApplyAnswer>('/safe-apply')).body.window
  const mtu = async (): Promise<unknown> => (await getTunnel(operator, id)).body.mtu

  for (const [how, send] of Object.entries({
    'its body': () => patch({ mtu: 1400, confirm_within_seconds: 30 }),
    'a header': () => patch({ mtu: 1400 }, { 'X-Confirm-Within': '30' }),
    'both alike': () => patch({ mtu: 1400, confirm_within_seconds: 30 }, { 'X-Confirm-Within': '30' }),
  }))
    it(`says so by ${how}, is applied, tells how to confirm, and comes back by itself`, async () => {
      const { status, body, headers } = await send()
      const { safe_apply } = body
      assert.deepEqual([status, safe_apply?.seconds_left, safe_apply?.changes], [200, 30, 1])
      assert.equal(headers['connection'], 'close')
      assert.equal(await mtu(), 1400)
      const { method, path, body: confirmation } = safe_apply?.confirm ?? assert.fail()
      assert.deepEqual([method, path, confirmation.window_id], ['POST', '/safe-apply/confirm', safe_apply?.window_id])
      await panel.windowClock.advance(30_000)
      while ((await window()) !== null) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.equal(await mtu(), 1472)
    })

  it('joins the window that is open, whichever client opened it and whatever it says', async () => {
    await operator.post('/safe-apply', { seconds: 100 })
    assert.equal((await patch({ mtu: 1400 })).body.safe_apply?.changes, 1)
    assert.equal((await patch({ mtu: 1300, confirm_within_seconds: 30 })).body.safe_apply?.changes, 2)
    assert.equal((await window())?.seconds, 100)
  })

  for (const [what, body, headers] of [
    ['14 seconds', { confirm_within_seconds: 14 }, {}],
    ['3601 seconds', { confirm_within_seconds: 3601 }, {}],
    ['seconds as text', { confirm_within_seconds: '60' }, {}],
    ['a header that is no number', {}, { 'X-Confirm-Within': 'soon' }],
    ['a header that says otherwise than the body', { confirm_within_seconds: 60 }, { 'X-Confirm-Within': '30' }],
  ] as const)
    it(`is refused with ${what}, on its field, and changes nothing`, async () => {
      const picture = panel.kernel.picture()
      const { status, error } = await patch({ mtu: 1400, ...body }, headers)
      assert.deepEqual([status, error.field], [422, 'confirm_within_seconds'])
      assert.deepEqual([panel.kernel.picture(), await window()], [picture, null])
    })

  it('that is refused leaves no window behind', async () => {
    assert.equal((await patch({ mtu: 5, confirm_within_seconds: 30 })).status, 422)
    assert.equal((await operator.delete('/tunnels/999', { confirm_within_seconds: 30 })).status, 404)
    assert.equal(await window(), null)
  })

  it('whose way back would not work is refused as irreversible', async () => {
    panel.kernel.foldersTrouble = 'Nothing could be put back in /etc: its disk is read-only'
    const { status, error } = await patch({ mtu: 1400, confirm_within_seconds: 30 })
    assert.deepEqual([status, error.code, await mtu(), await window()], [409, 'IRREVERSIBLE', 1472, null])
  })

  it('is kept over a connection of a proxy whatever its age, which the answer says proves nothing', async () => {
    const PROXY = '127.0.7.1'
    const behind = await startWindowPanel({ trusted_proxies: [PROXY] })
    const agent = new Agent({ keepAlive: true })
    const by = { agent, from: PROXY }
    const { body } = await createTunnel(behind.operator)
    await behind.operator.get('/auth/me', by)
    const changed = await behind.operator.patch<Pending>(`/tunnels/${body.tunnel.tunnel_id}`, {
      mtu: 1400,
      confirm_within_seconds: 30,
    })
    const answer = await behind.operator.get<SafeApplyAnswer>('/safe-apply', by)
    assert.equal(answer.body.window?.is_this_connection_new, null)
    const { window_id } = changed.body.safe_apply ?? assert.fail()
    assert.equal((await behind.operator.post('/safe-apply/confirm', { window_id }, by)).status, 200)
    agent.destroy()
    await behind.panel.close()
  })

  describe('and cuts the operator off', () => {
    const remove = (body: object): Promise<Reply<Pending>> => operator.delete(`/tunnels/${id}`, body)
    beforeEach(async () => {
      // No address inside a tunnel may be loopback, so store and kernel get one behind the API's back.
      const own = { address: '127.0.0.9', peer_address: '', prefix_length: 24 }
      await panel.db.updateTable('tunnel_address').set(own).execute()
      const state = panel.kernel.held.get('gre-a-1')?.state ?? assert.fail()
      state.config = { ...state.config, addresses: [own] }
      assert.equal((await operator.post(`/tunnels/${id}/reapply`)).status, 200)
    })

    it('is refused, and offered with the time after which it comes back', async () => {
      const { status, error } = await remove({})
      assert.deepEqual([status, error.code], [409, 'WOULD_CUT_OWN_ACCESS'])
      assert.deepEqual(error.details['safe_apply'], { confirm_within_seconds: 60 })
    })

    it('needs no acceptance where it comes back by itself', async () => {
      assert.equal((await remove({ confirm_within_seconds: 20 })).body.safe_apply?.seconds_left, 20)
    })

    it('waits for a confirmation by itself where it was accepted, unless the setting says otherwise', async () => {
      const accepted = { i_understand_i_may_lose_access: true }
      assert.equal((await remove(accepted)).body.safe_apply?.seconds_left, 60)
      await operator.post('/safe-apply/cancel', { window_id: (await window())?.window_id })
      await set(operator, { 'system.safe_apply_mode': 'off' })
      assert.equal((await remove(accepted)).body.safe_apply, undefined)
    })
  })
})

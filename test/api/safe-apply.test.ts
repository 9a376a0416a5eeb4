// Changes that wait for a confirmation: the window at root, and the store that follows it (reference.md, Safe apply).
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { sql } from 'kysely'
import type { ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { LOST } from '@panel/shared/events/model.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { eventually } from '../support/eventually.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client, Reply } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { createRoute } from './support/routes.ts'
import { openStream } from './support/streams.ts'
import { createTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

/** The stored state of everything that an operator decides. */
const storePicture = async ({ db }: TestPanel): Promise<string> =>
  JSON.stringify([
    await db.selectFrom('tunnel').selectAll().where('deleted_date', 'is', null).execute(),
    await db.selectFrom('tunnel_address').selectAll().execute(),
    await db.selectFrom('route_rule').selectAll().where('deleted_date', 'is', null).execute(),
    await db.selectFrom('route_destination').selectAll().execute(),
    await db.selectFrom('route_allowed_source').selectAll().execute(),
    await db.selectFrom('address_pool').selectAll().execute(),
    await db.selectFrom('setting').selectAll().execute(),
  ])

describe('Safe apply', () => {
  let panel: TestPanel
  let operator: Client
  let tunnel: number
  let route: number
  let endListening: () => void
  beforeEach(async () => {
    ;({ panel, operator, endListening } = await startWindowPanel())
    tunnel = (await createTunnel(operator)).body.tunnel.tunnel_id
    const made = await createRoute(operator)
    assert.equal(made.status, 201, made.text)
    route = made.body.route.route_rule_id
  })
  afterEach(() => panel.close())

  const pictures = async (): Promise<readonly [string, string]> => [panel.kernel.picture(), await storePicture(panel)]
  const state = async (): Promise<SafeApplyAnswer> => (await operator.get<SafeApplyAnswer>('/safe-apply')).body
  const open = (body: object = {}): Promise<Reply<SafeApplyAnswer>> =>
    operator.post<SafeApplyAnswer>('/safe-apply', body)
  const idOpen = async (): Promise<string> => (await state()).window?.window_id ?? assert.fail('no window is open')

  /** Creates, changes and deletes objects of every kind; two rules exchange their titles. */
  const changeAll = async (): Promise<void> => {
    const ok = async (reply: Promise<Reply>): Promise<Reply> => {
      const { status, text } = await reply
      assert.ok(status < 300, text)
      return reply
    }
    await ok(
      operator.patch(`/tunnels/${tunnel}`, { mtu: 1400, addresses: [{ address: '10.77.0.1', prefix_length: 30 }] }),
    )
    const second = await createTunnel(operator, { remote_endpoint: '198.51.100.77' })
    await ok(operator.patch(`/routes/${route}`, { route_rule_title: 'another', bind_port: 4443 }))
    await ok(createRoute(operator, { bind_port: 9443 }))
    await ok(operator.delete(`/tunnels/${second.body.tunnel.tunnel_id}`))
    await ok(operator.post('/pools', { address_pool_title: 'A pool', cidr: '10.200.0.0/16' }))
    await ok(operator.put('/settings', { 'tunnel.default_mtu': 1300 }))
    await ok(operator.delete(`/routes/${route}`))
  }

  it('takes back host and store alike where nobody confirms in time', async () => {
    const before = await pictures()
    await open({ seconds: 60 })
    await changeAll()
    assert.notDeepEqual(await pictures(), before)
    const { window } = await state()
    assert.deepEqual(
      window?.items.map(({ kind, what }) => `${kind} ${what}`).sort(),
      ['pool created', 'route created', 'route deleted', 'setting updated', 'tunnel updated'].sort(),
    )
    await panel.windowClock.advance(60_000)
    await eventually(async () => (await state()).window === null)
    assert.deepEqual(await pictures(), before)
    assert.equal(panel.settings.get('tunnel.default_mtu'), 1472)
    const { last } = await state()
    assert.deepEqual([last?.ended_how, last?.username, last?.items.length], ['expired', 'operator', 5])
    assert.ok((await operator.patch(`/tunnels/${tunnel}`, { mtu: 1400 })).status < 300)
  })

  it('leaves host and store as changed where it is confirmed, once and again', async () => {
    await open()
    await changeAll()
    const window_id = await idOpen()
    const there = await pictures()
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await operator.post<SafeApplyAnswer>('/safe-apply/confirm', { window_id })
      assert.deepEqual([status, body.window, body.last?.ended_how], [200, null, 'confirmed'])
    }
    await panel.windowClock.advance(3_600_000)
    assert.deepEqual(await pictures(), there)
    const over = await operator.post('/safe-apply/cancel', { window_id })
    assert.deepEqual(
      [over.status, over.error.code, over.error.details['ended_how']],
      [409, 'SAFE_APPLY_OVER', 'confirmed'],
    )
  })

  it('takes back rows of a table that has got a column meanwhile, as by an upgrade', async () => {
    const titles = async (): Promise<string[]> =>
      (await panel.db.selectFrom('address_pool').select('address_pool_title').execute()).map(
        (one) => one.address_pool_title,
      )
    const before = await titles()
    await open()
    await sql`update address_pool set address_pool_title = 'Another' where address_pool_id = 10`.execute(panel.db)
    await sql`alter table address_pool add column colour text not null default 'blue'`.execute(panel.db)
    await operator.post('/safe-apply/cancel', { window_id: await idOpen() })
    assert.deepEqual(await titles(), before)
  })

  it('takes back at once where it is cancelled, and says afterwards that it is over', async () => {
    const before = await pictures()
    await open()
    await changeAll()
    const window_id = await idOpen()
    const { status, body } = await operator.post<SafeApplyAnswer>('/safe-apply/cancel', { window_id })
    assert.deepEqual([status, body.window, body.last?.ended_how], [200, null, 'cancelled'])
    assert.deepEqual(await pictures(), before)
    const over = await operator.post('/safe-apply/confirm', { window_id })
    assert.deepEqual(
      [over.status, over.error.code, over.error.details['ended_how']],
      [409, 'SAFE_APPLY_OVER', 'cancelled'],
    )
    assert.equal((await operator.post('/safe-apply/cancel', { window_id })).status, 200)
  })

  it('is one at a time, can be extended, and knows no other window', async () => {
    assert.equal((await open({ seconds: 15 })).status, 201)
    const again = await open()
    assert.deepEqual([again.status, again.error.code], [409, 'SAFE_APPLY_UNDER_WAY'])
    const window_id = await idOpen()
    const extended = await operator.post<SafeApplyAnswer>('/safe-apply/extend', { window_id, seconds: 120 })
    assert.deepEqual([extended.status, extended.body.window?.seconds_left], [200, 120])
    for (const word of ['confirm', 'cancel', 'extend']) {
      const other = await operator.post(`/safe-apply/${word}`, {
        window_id: 'f'.repeat(32),
        ...(word === 'extend' && { seconds: 60 }),
      })
      assert.deepEqual([other.status, other.error.code], [409, 'SAFE_APPLY_OVER'])
    }
  })

  for (const seconds of [14, 3601, '60', 20.5, null])
    it(`refuses ${JSON.stringify(seconds)} seconds on the field, and opens nothing`, async () => {
      const { status, error } = await open({ seconds })
      assert.deepEqual([status, error.field], [422, 'seconds'])
      assert.equal((await state()).window, null)
    })

  it('leaves nothing behind of a window in which nothing was changed', async () => {
    await open()
    await operator.post('/safe-apply/confirm', { window_id: await idOpen() })
    assert.deepEqual(await state(), { window: null, last: null })
    assert.deepEqual(await panel.db.selectFrom('safe_apply_row').selectAll().execute(), [])
  })

  it('follows a window that was opened, confirmed and cancelled at the socket of the helper', async () => {
    const before = await pictures()
    const window_id = 'c'.repeat(32)
    await panel.windows.open({ window_id, seconds: 60 })
    await eventually(async () => (await state()).window?.window_id === window_id)
    assert.equal((await state()).window?.username, '')
    await changeAll()
    await panel.windows.cancel({ window_id })
    await eventually(async () => (await state()).last?.ended_how === 'cancelled')
    assert.deepEqual(await pictures(), before)
  })

  it('lets nothing be changed between the end of a window and the moment the store has followed', async () => {
    const before = await pictures()
    await open({ seconds: 60 })
    await operator.patch(`/routes/${route}`, { bind_port: 4443 })
    // As if the web daemon were not there when it happens.
    endListening()
    await panel.windowClock.advance(60_000)
    await eventually(async () => panel.windows.probe().ended !== null)
    const refused = await operator.patch(`/routes/${route}`, { bind_port: 5443 })
    assert.deepEqual([refused.status, refused.error.details['reason']], [503, 'window_ended'])
    panel.bus.publish('host.changed', { events: [LOST] })
    await eventually(async () => (await state()).last?.ended_how === 'expired')
    assert.deepEqual(await pictures(), before)
    assert.equal((await operator.patch(`/routes/${route}`, { bind_port: 5443 })).status, 200)
  })

  it('is in the audit log: who opened it, how it ended, and what was taken back', async () => {
    await open()
    await operator.patch(`/routes/${route}`, { bind_port: 4443 })
    await panel.windowClock.advance(60_000)
    await eventually(async () => (await state()).last !== null)
    const { entries } = (await operator.get<ListAuditAnswer>('/audit?limit=10')).body
    const ended = entries.find(({ action }) => action === 'SafeApplyEnd')
    assert.match(JSON.stringify(ended?.operations), /expired; opened by operator.*updated: route/)
    assert.ok(entries.some(({ action, username }) => action === 'SafeApplyOpen' && username === 'operator'))
  })

  it('is on the monitor stream as it opens, has more to take back, and ends', async () => {
    await panel.monitor.start()
    const stream = await openStream(operator, '/monitor/stream')
    const published = (): unknown[] =>
      stream.events().flatMap(({ name, data }) => (name === 'safe_apply' ? [data] : []))
    await open()
    await eventually(async () => published().length === 1)
    await state()
    await operator.patch(`/routes/${route}`, { bind_port: 4443 })
    await eventually(async () => published().length === 2)
    await panel.windowClock.advance(60_000)
    await eventually(async () => (await state()).last !== null)
    await eventually(async () => (published().at(-1) as { is_open: boolean }).is_open === false)
    assert.deepEqual(published()[1], { is_open: true })
    stream.leave()
  })

  it('is known not to be open while the helper is away, and is read from the helper alone if it may be', async () => {
    let isAway = false
    const there = requestThrough(inProcessHelper(new FakeKernel()).request)
    const request: Writer = (method, params) => (isAway ? Promise.reject(helperAway('ENOENT')) : there(method, params))
    const other = await startPanel({ request })
    const client = await other.setUp()
    const status = async (is: boolean): Promise<number> => {
      isAway = is
      return (await client.get('/safe-apply')).status
    }
    assert.deepEqual([await status(true), await status(false)], [200, 200])
    await client.post('/safe-apply', {})
    assert.deepEqual([await status(true), await status(false)], [503, 200])
    await other.close()
  })

  it('is not confirmed over a connection that was there before the last change', async () => {
    await open()
    const window_id = await idOpen()
    const [asking, keeping] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
    for (const agent of [asking, keeping]) await operator.get('/auth/me', { agent })
    await operator.patch(`/routes/${route}`, { bind_port: 4443 })
    const isNew = async (): Promise<unknown> =>
      (await operator.get<SafeApplyAnswer>('/safe-apply', { agent: asking })).body.window?.is_this_connection_new
    assert.deepEqual([await isNew(), await isNew()], [false, true], 'each answer is the last one of its connection')
    const keep = (): Promise<Reply> => operator.post('/safe-apply/confirm', { window_id }, { agent: keeping })
    const old = await keep()
    assert.deepEqual([old.status, old.error.code], [409, 'SAFE_APPLY_SAME_CONNECTION'])
    assert.equal((await keep()).status, 200)
    for (const agent of [asking, keeping]) agent.destroy()
  })
})

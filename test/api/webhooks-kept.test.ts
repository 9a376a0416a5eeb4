// How long the outbox keeps what was sent and what was not: 7 days, and 10,000 notifications
// (reference.md, Notifications).
import assert from 'node:assert/strict'
import type { ListDeliveriesAnswer, WebhookView } from '@panel/shared/api/webhooks.ts'
import type { Client } from './support/client.ts'
import { answers, hangs } from './support/receivers.ts'
import { rest, startNotified, type Notified } from './support/webhooks.ts'

const DAY_S = 86_400
const KEPT_ROWS = 10_000

describe('The outbox', () => {
  let made: Notified
  beforeEach(async () => {
    made = await startNotified()
    await made.add()
  })
  afterEach(() => made.close())

  /** Old notifications are deleted as the daemon starts, and once an hour. */
  const restart = async (): Promise<void> => {
    await made.panel.notifications.outbox.stop()
    made.panel.notifications.outbox.start()
    await rest()
  }
  const list = async (client: Client, query = ''): Promise<ListDeliveriesAnswer> =>
    (await client.get<ListDeliveriesAnswer>(`/webhooks/1/deliveries${query}`)).body

  const discarded = async (client: Client, id = 1): Promise<WebhookView['discarded']> =>
    (await client.get<WebhookView>(`/webhooks/${id}`)).body.discarded

  it('keeps a delivery for 7 days, and lists it no longer than that', async () => {
    await made.tunnel('Down')
    await made.arrives(1)
    await rest()
    made.panel.clock.advance(7 * DAY_S - 60)
    await restart()
    assert.deepEqual(
      (await made.deliveries()).map(({ state }) => state),
      ['delivered'],
    )
    made.panel.clock.advance(61)
    await restart()
    const operator = await made.panel.signIn()
    assert.deepEqual(await list(operator), { deliveries: [], total: 0 })
    assert.equal(await discarded(operator), null, 'it had arrived')
  })

  it('deletes what still waits after 7 days: a target that was off for a week is sent nothing of it', async () => {
    made.receiver.behaves = answers(503)
    await made.tunnel('Down')
    await made.arrives(1)
    await rest()
    const put = async (is_enabled: boolean): Promise<number> => {
      const body = { title: 'Hook', kind: 'json', events: ['tunnel_state'], is_enabled }
      return (await (await made.panel.signIn()).put('/webhooks/1', body)).status
    }
    assert.equal(await put(false), 200)
    made.panel.clock.advance(7 * DAY_S + 1)
    await restart()
    assert.equal(await put(true), 200)
    made.pass(60)
    await rest()
    assert.equal(made.receiver.received.length, 1)
  })

  it('says how many it has discarded unsent for their age, since when, and for a week after the last', async () => {
    const passes = async (seconds: number): Promise<WebhookView['discarded']> => {
      made.panel.clock.advance(seconds)
      await restart()
      return discarded(await made.panel.signIn())
    }
    made.receiver.behaves = hangs
    await made.tunnel('Down')
    await made.tunnel('Down', 2)
    const first = await passes(7 * DAY_S + 1)
    assert.deepEqual([first?.too_old, first?.no_room, first?.last], [2, 0, first?.since])
    assert.ok(Math.abs(Date.parse(first?.since ?? '') - made.panel.clock.now().getTime()) < 5000)
    await made.tunnel('Down', 3)
    assert.deepEqual(await passes(6 * DAY_S), first)
    const second = await passes(DAY_S + 1)
    assert.deepEqual([second?.too_old, second?.since === first?.since], [1, false])
    assert.equal(await passes(7 * DAY_S + 1), null)
  })

  it('says how many it has discarded unsent for want of room, of each target its own', async () => {
    made.receiver.behaves = hangs
    await made.add({ is_enabled: false })
    await made.tunnel('Down')
    await fill(made, KEPT_ROWS + 2)
    await restart()
    const [first, second] = [await discarded(made.operator), await discarded(made.operator, 2)]
    assert.deepEqual([first?.no_room, first?.too_old, second], [3, 0, null])
  })

  it('keeps the newest 10,000, of all targets together', async () => {
    await made.add({ is_enabled: false })
    await made.tunnel('Down')
    await made.arrives(1)
    await rest()
    await fill(made, KEPT_ROWS + 4)
    await restart()
    const [first, second] = await Promise.all(
      [1, 2].map(
        async (id) => (await made.operator.get<ListDeliveriesAnswer>(`/webhooks/${id}/deliveries?limit=1`)).body,
      ),
    )
    assert.deepEqual([first?.total, second?.total], [KEPT_ROWS - 4, 4])
    const { deliveries } = await list(made.operator, `?limit=1&offset=${KEPT_ROWS - 5}`)
    assert.equal(deliveries[0]?.delivery_id, 6)
  })
})

/** Adds so many deliveries, each a copy of the first; the last four are of the second target. */
async function fill({ panel }: Notified, count: number): Promise<void> {
  const { delivery_id: _, ...row } = await panel.db.selectFrom('webhook_delivery').selectAll().executeTakeFirstOrThrow()
  await panel.db.transaction().execute(async (db) => {
    for (let made = 1; made <= count; made += 1)
      await db
        .insertInto('webhook_delivery')
        .values({ ...row, webhook_id: made > count - 4 ? 2 : 1 })
        .execute()
  })
}

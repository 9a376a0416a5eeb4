// How many connections are tracked, through HTTP (reference.md, system/forwarding; decisions.md, F56, F57).
import assert from 'node:assert/strict'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { enableForwarding, forwarding, getRoute, madeRoute, warningCodes } from './support/routes.ts'
import { startFaultyPanel } from './support/tunnels.ts'
import { onlyAt } from '../support/faulty.ts'

const BEFORE = 262_144
const MORE = 524_288

describe('The number of connections that are tracked', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const set = (conntrack_max: unknown, more: object = {}) => enableForwarding(client, { conntrack_max, ...more })
  const live = (): number | undefined => panel.kernel.forwarding.conntrack?.max
  const impactOf = (body: object): Promise<Reply<ImpactAnswer>> =>
    client.post('/impact', { method: 'POST', path: '/system/forwarding/enable', body })

  it('is set, now and at boot, with what was there before recorded; twice is the same', async () => {
    const { status, body } = await set(MORE)
    assert.equal(status, 200)
    assert.equal(body.action, 'enable')
    assert.equal(body.note_message.message_id, 'forwarding.note_size')
    assert.equal(body.forwarding.conntrack_max, MORE)
    assert.equal(body.forwarding.conntrack_max_set, MORE)
    assert.equal(body.forwarding.previous_values['net.netfilter.nf_conntrack_max'], BEFORE)
    assert.equal(body.forwarding.ipv4_forwarding, false)
    assert.match(panel.kernel.forwarding.file ?? '', /nf_conntrack_max = 524288/)
    const picture = panel.kernel.picture()
    assert.deepEqual((await set(MORE)).body.forwarding, body.forwarding)
    assert.equal(panel.kernel.picture(), picture)
  })

  it('is put back by null, alone, and by revert with everything else; with nothing recorded null does nothing', async () => {
    const none = await set(null)
    assert.deepEqual([none.status, none.body.action, panel.kernel.changes], [200, 'revert', []])
    assert.equal(none.body.note_message.message_id, 'forwarding.note_size_nothing')
    await enableForwarding(client)
    await set(MORE)
    const { body } = await set(null)
    assert.deepEqual([live(), body.forwarding.conntrack_max_set, body.forwarding.ipv4_forwarding], [BEFORE, null, true])
    assert.equal(body.note_message.message_id, 'forwarding.note_size_reverted')
    await set(MORE)
    await enableForwarding(client, { revert: true })
    assert.deepEqual([live(), panel.kernel.forwarding.live.ipv4, panel.kernel.forwarding.file], [BEFORE, false, null])
  })

  it('stays where connections or forwarding alone are put back', async () => {
    await set(MORE)
    await enableForwarding(client, { connections: true })
    await enableForwarding(client, { connections: true, revert: true })
    assert.deepEqual([live(), (await forwarding(client)).body.forwarding.conntrack_max_set], [MORE, MORE])
  })

  it('is refused on its field below what was there before, beyond the room for it, and as no number', async () => {
    await set(MORE)
    panel.kernel.changes.splice(0)
    for (const size of [BEFORE - 1, 2_097_153, 0, 1.5, '524288', 16_777_217]) {
      const { status, error } = await set(size)
      assert.deepEqual([status, error.field], [422, 'conntrack_max'], `${size}`)
    }
    assert.match((await set(1)).error.message, /262144 to 2097152 connections/)
    assert.deepEqual(panel.kernel.changes, [])
  })

  it('is refused beside what is changed by itself', async () => {
    for (const more of [{ revert: true }, { connections: true }]) {
      const { status, error } = await set(MORE, more)
      assert.deepEqual([status, error.field], [422, 'conntrack_max'])
    }
    assert.deepEqual(panel.kernel.changes, [])
  })

  it('where the kernel tracks none yet, any number, or lets it be set on its host alone, is a 503 that says so', async () => {
    for (const [given, says] of [
      [{ conntrack: null }, /first relay rule/],
      [{ conntrack: { count: 0, max: 0 } }, /any number/],
      [{ conntrack: { count: 0, max: BEFORE }, most: null }, /cannot be set in a container/],
    ] as const) {
      Object.assign(panel.kernel.forwarding, given)
      for (const answer of [await set(MORE), await impactOf({ conntrack_max: MORE })]) {
        assert.deepEqual([answer.status, answer.error.code], [503, 'SERVICE_UNAVAILABLE'])
        assert.match(answer.error.message, says)
      }
      assert.equal((await forwarding(client)).body.forwarding.conntrack_max_doubled, null)
    }
    assert.deepEqual(panel.kernel.changes, [])
  })

  it('is previewed with its steps, and a preview touches nothing', async () => {
    const picture = panel.kernel.picture()
    const { body } = await impactOf({ conntrack_max: MORE })
    assert.deepEqual(
      body.plan.steps.map(({ description }) => description),
      ['set net.netfilter.nf_conntrack_max to 524288', 'write the file that sets it at boot'],
    )
    assert.equal(body.impact.interruption, 'none')
    assert.equal(panel.kernel.picture(), picture)
  })

  it('put back with more connections open warns that new ones are dropped, in the preview and in the answer', async () => {
    await set(MORE)
    panel.kernel.forwarding.conntrack = { count: 300_000, max: MORE }
    const foreseen = (await impactOf({ conntrack_max: null })).body.warnings
    assert.deepEqual(
      foreseen.map(({ code }) => code),
      ['CONNTRACK_NEARLY_FULL'],
    )
    assert.deepEqual(warningCodes(await set(null)), ['CONNTRACK_NEARLY_FULL'])
  })

  it('that another program has changed is a warning, until it is set again or put back', async () => {
    await set(MORE)
    panel.kernel.forwarding.conntrack = { count: 0, max: 100_000 }
    const answer = await forwarding(client)
    assert.ok(warningCodes(answer).includes('CONNTRACK_MAX_CHANGED'))
    assert.deepEqual([answer.body.forwarding.conntrack_max, answer.body.forwarding.conntrack_max_set], [100_000, MORE])
    await set(MORE)
    assert.equal(live(), MORE)
    assert.ok(!warningCodes(await forwarding(client)).includes('CONNTRACK_MAX_CHANGED'))
  })

  it('is left alone by a rule that turns forwarding on', async () => {
    await madeRoute(client)
    await set(MORE)
    panel.kernel.forwarding.conntrack = { count: 0, max: 100_000 }
    await madeRoute(client, { bind_address: '::', destination_address: '2001:db8::9' })
    assert.deepEqual([live(), panel.kernel.forwarding.live.ipv6], [100_000, true])
  })

  it('that cannot be set is put back, and the answer says so', async () => {
    const faulty = await startFaultyPanel()
    try {
      const operator = await faulty.setUp()
      const picture = faulty.host.picture()
      faulty.arm(onlyAt(2, 'refuses'))
      const { status, error } = await enableForwarding(operator, { conntrack_max: MORE })
      assert.deepEqual([status, error.code], [409, 'FORWARDING_APPLY_FAILED'])
      assert.equal(faulty.host.picture(), picture)
    } finally {
      await faulty.close()
    }
  })

  it('comes back by itself unless it is confirmed in time', async () => {
    await set(MORE, { confirm_within_seconds: 30 })
    assert.equal(live(), MORE)
    await panel.windowClock.advance(30_000)
    while ((await client.get<{ window: unknown }>('/safe-apply')).body.window !== null)
      await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual([live(), panel.kernel.forwarding.file], [BEFORE, null])
  })

  it('is audited as ForwardingEnable and ForwardingRevert', async () => {
    await set(MORE)
    await set(null)
    const { body } = await client.get<{ entries: { audit_action_id: number }[] }>('/audit?limit=2')
    assert.deepEqual(
      body.entries.map((entry) => entry.audit_action_id),
      [1060, 1050],
    )
  })

  describe('where the table is nearly full', () => {
    const remedies = async () => {
      const { body } = await getRoute(client, 1)
      const found = body.health.causes.find(({ code }) => code === 'TABLE_NEARLY_FULL')
      return found?.remedies.map(({ text_message: { message_id, params } }) => [message_id, params])
    }
    beforeEach(() => madeRoute(client))

    it('is doubled by what the cause of the rule offers', async () => {
      panel.kernel.forwarding.conntrack = { count: 250_000, max: BEFORE }
      assert.deepEqual(await remedies(), [['health.fix_table', { size: MORE }]])
      await set(MORE)
      assert.equal(await remedies(), undefined)
    })

    it('is raised to what there is room for, and then the cause says that there is no more', async () => {
      panel.kernel.forwarding.most = 300_000
      panel.kernel.forwarding.conntrack = { count: 260_000, max: BEFORE }
      assert.deepEqual(await remedies(), [['health.fix_table', { size: 300_000 }]])
      await set(300_000)
      assert.deepEqual(await remedies(), [['health.fix_table_room', { most: 300_000 }]])
    })

    it('has to be set on the host of a container', async () => {
      Object.assign(panel.kernel.forwarding, { conntrack: { count: 250_000, max: BEFORE }, most: null })
      assert.deepEqual(
        (await remedies())?.map(([id]) => id),
        ['forwarding.size_of_host'],
      )
    })
  })
})

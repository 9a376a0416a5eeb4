// Incidents: their history, and what an operator does about them (reference.md, Incidents).
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditEntry, ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import type {
  AttentionAnswer,
  IncidentAnswer,
  ListIncidentsAnswer,
  StoredIncident,
} from '@panel/shared/api/incidents.ts'
import type { Client } from './support/client.ts'
import { createNetwork } from './support/networks.ts'
import { startPanel, type TestPanel, type TestParts } from './support/panel.ts'
import { reapply } from './support/reconcile.ts'
import { madeRoute } from './support/routes.ts'
import { set } from './support/settings.ts'
import { createTunnel } from './support/tunnels.ts'

describe('An incident', () => {
  let panel: TestPanel
  let client: Client
  const start = async (parts: TestParts = {}): Promise<void> => {
    panel = await startPanel(parts)
    client = await panel.setUp()
    await createTunnel(client, { display_name: 'Hamburg' })
    await madeRoute(client, { route_rule_title: 'Web', destination_address: '172.17.1.2', bind_port: 443 })
  }
  beforeEach(() => start())
  afterEach(() => panel.close())

  const look = async (): Promise<void> => {
    await panel.watch.pass('event')
    await panel.routeWatch.pass('event')
    await panel.incidents.look()
  }
  const take = async (): Promise<void> => {
    panel.kernel.held.delete('gre-a-1')
    await look()
  }
  const listed = async (query = ''): Promise<readonly StoredIncident[]> =>
    (await client.get<ListIncidentsAnswer>(`/incidents${query}`)).body.incidents
  const attention = async (): Promise<AttentionAnswer> =>
    (await client.get<AttentionAnswer>('/reconcile/attention')).body
  const ahead = (seconds: number): string => new Date(panel.clock.now().getTime() + seconds * 1000).toISOString()
  const silence = (until: string | null) => client.post<StoredIncident>('/incidents/1/silence', { until })
  const audited = async (action: string): Promise<AuditEntry[]> =>
    (await client.get<ListAuditAnswer>(`/audit?action=${action}`)).body.entries

  it('is stored with when it began, why, and what it takes down', async () => {
    assert.deepEqual(await listed(), [])
    await take()
    const [one, ...more] = await listed()
    assert.deepEqual(more, [])
    assert.deepEqual([one?.kind, one?.id, one?.name, one?.state], ['tunnel', 1, 'Hamburg', 'down'])
    assert.deepEqual(one?.affected, [{ route_rule_id: 1, title: 'Web' }])
    assert.equal(one?.reason_message.message_id, 'attention.missing')
    assert.equal(one?.ended_at, null)
    const [now] = (await attention()).incidents
    assert.equal(now?.record?.incident_id, one?.incident_id)
    assert.equal(one?.began_at, now?.since)
  })

  it('has its duration once it is over, and is another one if it comes back', async () => {
    await take()
    panel.clock.advance(90)
    await reapply(client, 1)
    await look()
    const [over] = await listed()
    assert.ok(over?.ended_at)
    assert.ok(over.duration_seconds >= 90 && over.duration_seconds < 120, String(over.duration_seconds))
    await take()
    assert.deepEqual(
      (await listed()).map(({ incident_id, ended_at }) => [incident_id, ended_at === null]),
      [
        [2, true],
        [1, false],
      ],
    )
    assert.equal((await listed('?state=open')).length, 1)
    assert.equal((await listed('?state=ended')).length, 1)
  })

  it('is found by the time in which it lasted, and by what it is of', async () => {
    const before = panel.clock.now().toISOString()
    panel.clock.advance(60)
    await take()
    panel.clock.advance(60)
    await reapply(client, 1)
    await look()
    panel.clock.advance(60)
    const after = panel.clock.now().toISOString()
    assert.equal((await listed(`?from=${before}&to=${after}`)).length, 1)
    assert.equal((await listed(`?to=${before}`)).length, 0)
    assert.equal((await listed(`?from=${after}`)).length, 0)
    assert.equal((await listed('?kind=tunnel&id=1')).length, 1)
    assert.equal((await listed('?kind=route&id=1')).length, 0)
    assert.equal((await listed('?kind=tunnel&id=2')).length, 0)
  })

  it('names what changed on the host before it, and by whom', async () => {
    panel.incidents.start()
    const change = { subject: 'ruleset', interface_name: '', index: 0, is_removal: false } as const
    panel.bus.publish('host.changed', { events: [{ ...change, by: 'ufw (bash)' }] })
    panel.clock.advance(30)
    await take()
    const { host_changes } = (await client.get<IncidentAnswer>('/incidents/1')).body
    assert.deepEqual(
      host_changes.map(({ subject, by }) => [subject, by]),
      [['ruleset', 'ufw (bash)']],
    )
  })

  it('does not name what changed more than ten minutes before', async () => {
    panel.incidents.start()
    panel.bus.publish('host.changed', {
      events: [{ subject: 'link', interface_name: 'eth0', index: 2, is_removal: true }],
    })
    panel.clock.advance(700)
    await take()
    client = await panel.signIn()
    assert.deepEqual((await client.get<IncidentAnswer>('/incidents/1')).body.host_changes, [])
  })

  it('is acknowledged by an operator, which the audit log has, and goes on counting', async () => {
    await take()
    const { status, body } = await client.post<StoredIncident>('/incidents/1/acknowledge', {})
    assert.equal(status, 200)
    assert.equal(body.acknowledged?.by, 'operator')
    const { incidents, total } = await attention()
    assert.deepEqual(incidents[0]?.record?.acknowledged, body.acknowledged)
    assert.equal(total, 1)
    const [entry] = await audited('IncidentAcknowledge')
    assert.deepEqual([entry?.target_type, entry?.target_id], ['incident', 1])
    await client.post('/incidents/1/acknowledge', { acknowledged: false })
    assert.equal((await listed())[0]?.acknowledged, null)
  })

  it('is not counted while it is silenced, and is again once that has run out', async () => {
    await take()
    const { status, body } = await silence(ahead(3600))
    assert.equal(status, 200)
    assert.equal(body.silenced?.by, 'operator')
    const during = await attention()
    assert.deepEqual([during.total, during.silenced, during.incidents.length], [0, 1, 1])
    assert.equal((await audited('IncidentSilence'))[0]?.target_id, 1)
    panel.clock.advance(3601)
    client = await panel.signIn()
    const then = await attention()
    assert.deepEqual([then.total, then.silenced, then.incidents[0]?.record?.silenced], [1, 0, null])
  })

  it('counts at once if the silence is taken back', async () => {
    await take()
    await silence(ahead(3600))
    await silence(null)
    assert.equal((await attention()).total, 1)
  })

  it('takes its silence and its acknowledgement with it when it ends', async () => {
    await take()
    await silence(ahead(3600))
    await client.post('/incidents/1/acknowledge', {})
    await reapply(client, 1)
    await look()
    await take()
    const { incidents, total } = await attention()
    assert.equal(total, 1)
    assert.deepEqual([incidents[0]?.record?.silenced, incidents[0]?.record?.acknowledged], [null, null])
  })

  it('cannot be silenced until the past, for more than 30 days, or until something that is no time', async () => {
    await take()
    for (const until of [ahead(-1), ahead(31 * 86_400), 'tomorrow', '2026-13-40T00:00:00Z'])
      assert.equal((await silence(until)).status, 422, until)
    assert.equal((await listed())[0]?.silenced, null)
  })

  it('that is over, or that there is not, is neither acknowledged nor silenced', async () => {
    await take()
    await reapply(client, 1)
    await look()
    assert.equal((await client.post('/incidents/1/acknowledge', {})).status, 409)
    assert.equal((await silence(ahead(60))).status, 409)
    assert.equal((await client.post('/incidents/2/acknowledge', {})).status, 404)
    assert.equal((await client.post('/incidents/2/silence', { until: null })).status, 404)
    assert.equal((await client.get('/incidents/2')).status, 404)
  })

  it('that is over is deleted with the audit log of its time', async () => {
    await take()
    await reapply(client, 1)
    await look()
    await set(client, { 'system.audit_retention_days': 90 })
    panel.clock.advance(89 * 86_400)
    await panel.incidents.look()
    client = await panel.signIn()
    assert.equal((await listed()).length, 1)
    panel.clock.advance(2 * 86_400)
    await panel.incidents.look()
    client = await panel.signIn()
    assert.deepEqual(await listed(), [])
  })

  it('of a network goes on after a restart until networks are looked at', async () => {
    await panel.close()
    const folder = mkdtempSync(join(tmpdir(), 'panel-incidents-'))
    const store = join(folder, 'panel.db')
    try {
      await start({ store })
      await createNetwork(client)
      panel.kernel.networks.routes.clear()
      await panel.networkWatch.pass('event')
      await panel.incidents.look()
      assert.equal((await listed('?kind=network')).length, 1)
      await panel.close()
      // Its host keeps nothing of it either.
      panel = await startPanel({ store })
      client = await panel.signIn()
      for (const looks of [async () => undefined, () => panel.networkWatch.pass('event')]) {
        await looks()
        await panel.incidents.look()
        assert.deepEqual(
          (await listed('?kind=network')).map(({ ended_at }) => ended_at),
          [null],
        )
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('goes on as the same one after a restart, with what an operator did about it', async () => {
    await panel.close()
    const folder = mkdtempSync(join(tmpdir(), 'panel-incidents-'))
    const store = join(folder, 'panel.db')
    try {
      await start({ store })
      await take()
      await silence(ahead(3600))
      await client.post('/incidents/1/acknowledge', {})
      await panel.close()
      // Its host has no link either.
      panel = await startPanel({ store })
      await panel.incidents.look()
      client = await panel.signIn()
      assert.equal((await listed())[0]?.ended_at, null, 'ended before anything was looked at')
      await look()
      const one = (await attention()).incidents.find(({ kind }) => kind === 'tunnel')
      assert.equal(one?.record?.incident_id, 1)
      assert.equal(one?.record?.acknowledged?.by, 'operator')
      assert.ok(one?.record?.silenced)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

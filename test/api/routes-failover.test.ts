// Destinations that are checked: one that fails goes out of rotation, and comes back (reference.md, Checks of
// destinations).
import assert from 'node:assert/strict'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { eventually } from '../support/eventually.ts'
import {
  checkOf,
  destinationAt,
  type FakeChecks,
  heldRule,
  madeThree,
  putCheck,
  QUICK,
  rotationOf,
  untilState,
  startChecked,
} from './support/checks.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { getRoute, patchRoute } from './support/routes.ts'

describe('A rule whose destinations are checked', () => {
  let panel: TestPanel
  let client: Client
  let checks: FakeChecks
  startChecked((made) => ({ panel, client, checks } = made))

  const held = (id = 1): RelayRule => heldRule(panel, id)
  const rotation = (id = 1): string => rotationOf(panel, id)

  it('has all of them in rotation before anything is known, and as long as they answer', async () => {
    const id = await madeThree(client)
    assert.equal(rotation(id), 'in,in,in')
    await untilState(client, id, '10.9.0.2', 'up')
    assert.equal(rotation(id), 'in,in,in')
    assert.equal((await getRoute(client, id)).body.health.state, 'healthy')
  })

  it('takes out the one that fails, says why, and has the others take its connections', async () => {
    const id = await madeThree(client)
    checks.fail('10.9.0.3')
    await eventually(() => rotation(id) === 'in,out,in')
    const { state, reason, rotation: is, takes_connections } = await destinationAt(client, id, '10.9.0.3')
    assert.deepEqual([state, reason, is, takes_connections], ['down', 'Port 80 refuses connections', 'out', false])
    const { health } = (await getRoute(client, id)).body
    assert.equal(health.state, 'impaired')
    assert.equal(health.detail, '2 of 3 destinations take new connections. 10.9.0.3:80: Port 80 refuses connections')
    assert.deepEqual(
      health.destinations.map((one) => one.takes_connections),
      [true, false, true],
    )
  })

  it('is in the metrics for Prometheus as up or down', async () => {
    await client.put('/settings', { 'metrics.prometheus_enabled': true })
    const id = await madeThree(client)
    checks.fail('10.9.0.3')
    for (const [address, state] of [
      ['10.9.0.2', 'up'],
      ['10.9.0.3', 'down'],
      ['10.9.0.4', 'up'],
    ] as const)
      await untilState(client, id, address, state)
    const { text } = await client.raw('GET', '/metrics')
    assert.deepEqual(
      [...text.matchAll(/^tunnel_panel_destination_up\{rule="1",destination="\d"\} (\d)$/gm)].map(([, value]) => value),
      ['1', '0', '1'],
    )
  })

  it('is published as it goes down, with what is stored of that', async () => {
    const published: string[] = []
    panel.bus.subscribeIn('destination.state', async (_, events) => {
      for (const { destination, from, to } of events) published.push(`${destination} ${from} ${to}`)
    })
    const id = await madeThree(client)
    await untilState(client, id, '10.9.0.3', 'up')
    checks.fail('10.9.0.3')
    await eventually(() => published.includes('10.9.0.3:80 up down'))
    await untilState(client, id, '10.9.0.3', 'down')
  })

  it('puts it back once it answers again', async () => {
    const id = await madeThree(client)
    checks.fail('10.9.0.3')
    await eventually(() => rotation(id) === 'in,out,in')
    checks.mend('10.9.0.3')
    await eventually(() => rotation(id) === 'in,in,in')
    const { route_destination_id } = await destinationAt(client, id, '10.9.0.3')
    const { events } = await checkOf(client, id)
    assert.deepEqual(
      events
        .filter((one) => one.route_destination_id === route_destination_id)
        .map(({ from_state, to_state }) => `${from_state} ${to_state}`),
      ['down up', 'unknown down'],
    )
  })

  it('waits for as many failures in a row as fall says, and no longer where the port refuses', async () => {
    const id = await madeThree(client, { check: { ...QUICK, fall: 3 } })
    checks.fail('10.9.0.2')
    checks.fail('10.9.0.3', 'refused')
    await eventually(() => rotation(id) === 'in,out,in')
    const before = checks.requests.filter((address) => address === '10.9.0.2').length
    assert.ok(before < 3, `${before} checks`)
    await eventually(() => rotation(id) === 'out,out,in')
    assert.ok(checks.requests.filter((address) => address === '10.9.0.2').length >= 3)
  })

  it('never becomes empty: while all are down new connections go to all of them', async () => {
    const id = await madeThree(client)
    for (const address of ['10.9.0.2', '10.9.0.3', '10.9.0.4']) checks.fail(address)
    await eventually(() => rotation(id) === 'out,out,out')
    assert.equal(held(id).is_closed, false)
    const { health } = (await getRoute(client, id)).body
    assert.match(health.detail, /^0 of 3 destinations are up, and new connections are relayed as if all were\./)
    assert.ok(health.destinations.every((one) => one.takes_connections))
  })

  it('refuses new connections while all are down where it is to', async () => {
    const id = await madeThree(client, { check: { ...QUICK, on_all_down: 'refuse' } })
    for (const address of ['10.9.0.2', '10.9.0.3', '10.9.0.4']) checks.fail(address)
    await eventually(() => held(id).is_closed)
    assert.equal((await checkOf(client, id)).is_closed, true)
    assert.match((await getRoute(client, id)).body.health.detail, /^0 of 3 .* refused\. 10\.9\.0\.2:80: /)
    checks.mend('10.9.0.4')
    await eventually(() => !held(id).is_closed && rotation(id) === 'out,out,in')
  })

  it('is checked once for all rules that lead to the same place', async () => {
    await madeThree(client)
    await madeThree(client, { bind_port: 444 })
    await panel.failover.settled()
    assert.deepEqual(panel.failover.size, { checks: 3, destinations: 6 })
    checks.fail('10.9.0.3')
    await eventually(() => rotation(1) === 'in,out,in' && rotation(2) === 'in,out,in')
  })

  it('shows what its last checks came to', async () => {
    const id = await madeThree(client)
    await untilState(client, id, '10.9.0.2', 'up')
    const { latency_ms, last_checked_at, history } = await destinationAt(client, id, '10.9.0.2')
    assert.equal(latency_ms, 1.5)
    assert.notEqual(last_checked_at, null)
    assert.deepEqual(history[0], { is_success: true, latency_ms: 1.5 })
  })

  it('has everything in rotation again once it is not checked any more', async () => {
    const id = await madeThree(client)
    checks.fail('10.9.0.3')
    await eventually(() => rotation(id) === 'in,out,in')
    const { status, body } = await client.delete<{ check: unknown }>(`/routes/${id}/check`)
    assert.deepEqual([status, body.check], [200, null])
    assert.equal(rotation(id), 'in,in,in')
    assert.equal((await destinationAt(client, id, '10.9.0.3')).state, 'unknown')
  })

  it('keeps what is out out while something else of it is changed', async () => {
    const id = await madeThree(client)
    checks.fail('10.9.0.3')
    await eventually(() => rotation(id) === 'in,out,in')
    assert.equal((await patchRoute(client, id, { bind_port: 445 })).status, 200)
    assert.equal(rotation(id), 'in,out,in')
    assert.equal((await putCheck(client, id, { ...QUICK, rise: 5 })).status, 200)
    assert.equal(rotation(id), 'in,out,in')
  })

  it('is named among what needs the operator, and the monitor stream says so', async () => {
    const id = await madeThree(client)
    const received: string[] = []
    panel.bus.subscribe('route.health', ({ detail }) => void received.push(detail))
    const look = async (): Promise<void> => {
      panel.routeWatch.hint([id])
      await panel.routeWatch.pass('change')
    }
    await look()
    checks.fail('10.9.0.3')
    await eventually(() => rotation(id) === 'in,out,in')
    await look()
    const { incidents } = (await client.get<AttentionAnswer>('/reconcile/attention')).body
    assert.deepEqual(
      incidents.map(({ kind, id: which, state }) => [kind, which, state]),
      [['route', id, 'degraded']],
    )
    checks.fail('10.9.0.4')
    await eventually(() => rotation(id) === 'in,out,out')
    await look()
    assert.deepEqual(
      received.map((detail) => detail.slice(0, 6)),
      ['2 of 3', '1 of 3'],
    )
  })

  it('is recorded in the audit log as done by the panel itself', async () => {
    const id = await madeThree(client)
    checks.fail('10.9.0.3')
    await eventually(() => rotation(id) === 'in,out,in')
    await panel.failover.settled()
    const { entries } = (
      await client.get<{ entries: { target_id: number; username: string; operations: string[] }[] }>(
        '/audit?action=RouteRotate',
      )
    ).body
    assert.deepEqual([entries[0]?.target_id, entries[0]?.username], [id, ''])
    assert.match(entries[0]?.operations.join() ?? '', /10\.9\.0\.3 port 80: (unknown|up) -> down: Port 80 refuses/)
  })

  it('is rotated by the next look where the kernel holds another rotation, and that is no drift', async () => {
    const id = await madeThree(client)
    checks.fail('10.9.0.3')
    await eventually(() => rotation(id) === 'in,out,in')
    panel.kernel.rulesets.edit(id, {
      destinations: held(id).destinations.map((one) => ({ ...one, rotation: 'in' as const })),
    })
    const before = panel.routeWatch.entries().length
    const { routes } = (await client.get<ReconcileAnswer>('/reconcile')).body
    assert.deepEqual(
      routes.map(({ status, detail_message, diffs }) => [status, detail_message.message_id, diffs]),
      [['InSync', 'drift.rule_rotates', []]],
    )
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('event')
    assert.equal(rotation(id), 'in,out,in')
    assert.equal(before, 0)
    assert.deepEqual(
      panel.routeWatch.entries().map(({ isDrifted, status }) => [isDrifted, status]),
      [[false, 'impaired']],
    )
  })

  it('holds out one that changes three times in ten minutes, says until when, and knows that after a restart', async () => {
    const id = await madeThree(client)
    await untilState(client, id, '10.9.0.3', 'up')
    for (const state of ['down', 'up', 'down']) {
      if (state === 'down') checks.fail('10.9.0.3')
      else checks.mend('10.9.0.3')
      await untilState(client, id, '10.9.0.3', state)
    }
    const { reason } = (await checkOf(client, id)).events[0] ?? { reason: '' }
    assert.match(reason, /^Port 80 refuses connections\. It changes too often, so it is held out until \d{4}-/)
    await panel.failover.stop()
    const later = await startPanel({ db: panel.db, failover: { run: checks.run, random: () => 0 } })
    const operator = await later.signIn()
    checks.mend('10.9.0.3')
    await later.failover.start()
    // With rise 1 it would be up with the first of them.
    await eventually(async () => (await destinationAt(operator, id, '10.9.0.3')).history.length > 0)
    const { state, reason: why, rotation: is } = await destinationAt(operator, id, '10.9.0.3')
    assert.deepEqual([state, is], ['down', 'out'])
    assert.match(why, /^Port 80 accepts connections\. It changes too often, so it is held out until \d{4}-/)
    await untilState(operator, id, '10.9.0.3', 'up')
    await later.close()
  })
})

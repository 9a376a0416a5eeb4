// The destinations and allowed sources of a rule, one at a time, through the update pipeline (reference.md, Forwarding
// rules; decisions.md, F4 to F6, F17).
import assert from 'node:assert/strict'
import type { AllowedSourcesAnswer, DestinationsAnswer } from '@panel/shared/api/routes/answers.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  addDestination,
  addSource,
  createRoute,
  getRoute,
  madeRoute,
  removeDestination,
  removeSource,
  warningCodes,
} from './support/routes.ts'
import { codesOf } from './support/tunnels.ts'

describe('The lists of a rule', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await madeRoute(client)
  })
  afterEach(() => panel.close())
  const held = () => panel.kernel.rulesets.rules.get(1)

  describe('destinations', () => {
    it('are listed with a total', async () => {
      const { status, body } = await client.get<DestinationsAnswer>('/routes/1/destinations')
      assert.deepEqual(
        [
          status,
          body.total,
          body.destinations.map(({ address, port, weight, is_enabled }) => [address, port, weight, is_enabled]),
        ],
        [200, 1, [['10.9.0.2', 8443, 1, true]]],
      )
    })

    it('one more makes the rule deal connections out, and the kernel has it; one that stays keeps its id', async () => {
      const before = (await getRoute(client, 1)).body.route.destinations[0]?.route_destination_id
      const { status, body } = await addDestination(client, 1, {
        address: '10.9.0.3',
        port: 8443,
        weight: 5,
        is_enabled: true,
      })
      assert.deepEqual(
        [status, body.total, body.route.load_balance_mode_id, body.verification.ok, held()?.destinations.length],
        [200, 2, 20, true, 2],
      )
      assert.deepEqual([body.destinations[0]?.route_destination_id, body.destinations[1]?.sort_order], [before, 1])
    })

    it('removing the last extra one brings the rule back to one destination and mode None; by value or by id', async () => {
      const { body } = await addDestination(client, 1, { address: '10.9.0.3', port: 8443 })
      await addDestination(client, 1, { address: '10.9.0.4', port: 8443 })
      assert.equal(
        (await removeDestination(client, 1, { address: '10.9.0.4', port: 8443 })).body.route.load_balance_mode_id,
        20,
      )
      const last = await removeDestination(client, 1, {
        route_destination_id: body.destinations[1]?.route_destination_id,
      })
      assert.deepEqual(
        [last.status, last.body.total, last.body.route.load_balance_mode_id, held()?.balance],
        [200, 1, 10, 'none'],
      )
    })

    it('the last one cannot go: 422; one that is not there is 404; what names none is 422', async () => {
      const only = await removeDestination(client, 1, { address: '10.9.0.2', port: 8443 })
      assert.deepEqual([only.status, codesOf(only)], [422, { address: 'INVALID_DESTINATION' }])
      for (const body of [
        { address: '10.9.0.9', port: 8443 },
        { address: '10.9.0.2', port: 1 },
        { route_destination_id: 999 },
      ])
        assert.equal((await removeDestination(client, 1, body)).status, 404)
      assert.deepEqual(Object.keys(codesOf(await removeDestination(client, 1, {}))), ['address', 'port'])
      assert.equal((await removeDestination(client, 9, { address: '10.9.0.2', port: 8443 })).status, 404)
    })

    it('are validated like those of a rule, in the words of this request', async () => {
      const wrong: [object, Record<string, string>][] = [
        [{ address: 'x', port: 1 }, { address: 'INVALID_DESTINATION' }],
        [{ address: '2001:db8::1', port: 1 }, { address: 'ADDRESS_FAMILY_MISMATCH' }],
        [{ address: '10.9.0.2', port: 8443 }, { address: 'INVALID_DESTINATION' }],
        [{ address: '127.0.0.1', port: 1 }, { address: 'LOOPBACK_DESTINATION' }],
        [{ address: '192.0.2.1', port: 443 }, { address: 'SELF_FORWARD_LOOP' }],
        [{ address: '10.9.0.3' }, { port: 'INVALID_PORT' }],
        [{ address: '10.9.0.3', port: 1, weight: -1 }, { weight: 'INVALID_WEIGHT' }],
      ]
      for (const [body, codes] of wrong)
        assert.deepEqual(codesOf(await addDestination(client, 1, body)), codes, JSON.stringify(body))
      assert(
        warningCodes(await addDestination(client, 1, { address: '127.0.0.1', port: 1, force: true })).includes(
          'LOOPBACK_DESTINATION_FORCED',
        ),
      )
    })
  })

  describe('allowed sources', () => {
    it('are listed with a total; none means that anybody may use the relay', async () => {
      const { status, body } = await client.get<AllowedSourcesAnswer>('/routes/1/allowed-sources')
      assert.deepEqual([status, body.total, body.allowed_sources], [200, 0, []])
      assert.match(body.note, /anybody/)
    })

    it('are added masked and removed by value or id, and the kernel follows', async () => {
      const added = await addSource(client, 1, { cidr: '203.0.113.9/24', description: 'Office' })
      assert.deepEqual(
        [
          added.status,
          added.body.total,
          added.body.allowed_sources.map(({ cidr, description }) => [cidr, description]),
          held()?.allowed_sources,
        ],
        [200, 1, [['203.0.113.0/24', 'Office']], ['203.0.113.0/24']],
      )
      await addSource(client, 1, { cidr: '198.51.100.7' })
      const removed = await removeSource(client, 1, { cidr: '203.0.113.200/24' })
      assert.deepEqual(
        [removed.status, removed.body.allowed_sources.map(({ cidr }) => cidr), held()?.allowed_sources],
        [200, ['198.51.100.7/32'], ['198.51.100.7/32']],
      )
      const last = await removeSource(client, 1, {
        route_allowed_source_id: removed.body.allowed_sources[0]?.route_allowed_source_id,
      })
      assert.deepEqual([last.body.total, held()?.allowed_sources], [0, []])
    })

    it('a malformed CIDR is 422, one that is not there 404', async () => {
      for (const cidr of ['10.0.0.0/33', 'x', '10.0.0/8', ''])
        assert.deepEqual(codesOf(await addSource(client, 1, { cidr })), { cidr: 'INVALID_CIDR' }, cidr)
      assert.deepEqual(codesOf(await addSource(client, 1, { cidr: 'fd00::/8' })), { cidr: 'ADDRESS_FAMILY_MISMATCH' })
      assert.deepEqual(codesOf(await removeSource(client, 1, { cidr: 'x' })), { cidr: 'INVALID_CIDR' })
      assert.deepEqual(
        [
          (await removeSource(client, 1, { cidr: '10.0.0.0/8' })).status,
          (await removeSource(client, 9, { cidr: '10.0.0.0/8' })).status,
        ],
        [404, 404],
      )
    })

    it('of two rules on one listener may not become the same', async () => {
      await createRoute(client, { allowed_sources: [{ cidr: '10.0.0.0/8' }] })
      const { status, error } = await addSource(client, 1, { cidr: '10.0.0.0/8' })
      assert.deepEqual([status, (error.details['fields'] as { code: string }[])[0]?.code], [422, 'ROUTE_PORT_CONFLICT'])
    })
  })

  it('are audited as RouteUpdate', async () => {
    await addSource(client, 1, { cidr: '10.0.0.0/8' })
    const entry = await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', '=', 160)
      .executeTakeFirstOrThrow()
    assert.deepEqual([entry.target_type, entry.target_id, entry.is_success], ['route', 1, 1])
  })
})

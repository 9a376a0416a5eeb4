// Destinations that are taken out by hand, backups, and what happens to connections (reference.md, Checks of
// destinations).
import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { codesOf } from './support/tunnels.ts'
import {
  ADDRESSES,
  checkOf,
  destinationAt,
  drain,
  type FakeChecks,
  madeThree,
  putBack,
  putCheck,
  QUICK,
  rotationOf,
  startChecked,
} from './support/checks.ts'
import type { Client } from './support/client.ts'
import { exportOf, importInto } from './support/backup.ts'
import type { TestPanel } from './support/panel.ts'
import { createRoute, getRoute, patchRoute, warningCodes } from './support/routes.ts'

type Described = readonly { readonly description: string }[]
interface Foreseen {
  readonly plan: { readonly steps: Described; readonly rollback: Described }
}

describe('A destination', () => {
  let panel: TestPanel
  let client: Client
  let checks: FakeChecks
  startChecked((made) => ({ panel, client, checks } = made))

  const rotation = (id = 1): string => rotationOf(panel, id)
  const down = async (id: number, ...addresses: string[]): Promise<void> => {
    for (const address of addresses) checks.fail(address)
    for (const address of addresses)
      await eventually(async () => (await destinationAt(client, id, address)).rotation === 'out')
  }

  describe('that is taken out by hand', () => {
    it('gets no new connections until it is put back, and the rule stays healthy', async () => {
      const id = await madeThree(client, { check: null })
      const { status, body } = await drain(client, id, '10.9.0.3')
      assert.equal(status, 200)
      assert.deepEqual(
        body.destinations.map(({ state, takes_connections }) => [state, takes_connections]),
        [['unknown', true], ['drained', false], ['unknown', true]], // prettier-ignore
      )
      assert.equal(rotation(id), 'in,out,in')
      const { state, detail } = (await getRoute(client, id)).body.health
      assert.deepEqual(
        [state, detail],
        ['healthy', '2 of 3 destinations take new connections. 10.9.0.3:80: Taken out by hand'],
      )
      assert.equal((await putBack(client, id, '10.9.0.3')).status, 200)
      assert.equal(rotation(id), 'in,in,in')
      assert.deepEqual(
        (await checkOf(client, id)).events.map(({ to_state, reason }) => [to_state, reason]),
        [['unknown', 'Put back by hand'], ['drained', 'Taken out by hand']], // prettier-ignore
      )
    })

    it('comes back by itself once its time is over', async () => {
      const id = await madeThree(client, { check: null })
      await drain(client, id, '10.9.0.3', { for_seconds: 60 })
      assert.equal(rotation(id), 'in,out,in')
      panel.clock.advance(61)
      panel.failover.follow([id])
      await eventually(() => rotation(id) === 'in,in,in')
      const over = 'The time for which it was taken out is over'
      await eventually(async () => (await checkOf(client, id)).events[0]?.reason === over)
    })

    it('stays out while it answers, and is down where it does not once it is put back', async () => {
      const id = await madeThree(client)
      await drain(client, id, '10.9.0.3')
      checks.fail('10.9.0.3')
      await eventually(async () => (await client.get<{ route: { destinations: { state: string }[] } }>(`/routes/${id}`)).body.route.destinations[1]?.state === 'down') // prettier-ignore
      assert.equal((await destinationAt(client, id, '10.9.0.3')).state, 'drained')
      await putBack(client, id, '10.9.0.3')
      assert.equal(rotation(id), 'in,out,in')
    })

    it('is foreseen by the impact, and warned of where it is the last', async () => {
      const id = await madeThree(client, { check: null })
      await drain(client, id, '10.9.0.2')
      await drain(client, id, '10.9.0.3')
      const { route_destination_id } = await destinationAt(client, id, '10.9.0.4')
      const path = `/routes/${id}/destinations/${route_destination_id}/drain`
      const foreseen = await client.post<{ plan: { steps: object[] }; warnings: { code: string }[] }>('/impact', {
        method: 'POST',
        path,
        body: {},
      })
      assert.deepEqual([foreseen.status, foreseen.body.plan.steps.length], [200, 1])
      assert.deepEqual(warningCodes(foreseen), ['ALL_DESTINATIONS_DOWN'])
      assert.equal(rotation(id), 'out,out,in')
      assert.deepEqual(warningCodes(await drain(client, id, '10.9.0.4')), ['ALL_DESTINATIONS_DOWN'])
    })

    it('is left out of where the impact says that the rule relays to, and in the way back', async () => {
      const destinations = ADDRESSES.map((address, at) => ({ address, port: 80, is_backup: at === 2 }))
      const id = await madeThree(client, { destinations, check: null })
      const steps = async (address: string): Promise<string[][]> => {
        const { route_destination_id } = await destinationAt(client, id, address)
        const path = `/routes/${id}/destinations/${route_destination_id}/drain`
        const { plan } = (await client.post<Foreseen>('/impact', { method: 'POST', path, body: {} })).body
        return [plan.steps, plan.rollback].map((all) => all.map(({ description }) => description))
      }
      const relaysTo = (there: string): string[] => [
        `In one transaction of the kernel: relay TCP of 192.0.2.1:443 to ${there}.`,
      ]
      assert.deepEqual(await steps('10.9.0.3'), [relaysTo('10.9.0.2:80'), relaysTo('10.9.0.2:80, 10.9.0.3:80')])
      await drain(client, id, '10.9.0.3')
      assert.deepEqual(await steps('10.9.0.2'), [relaysTo('10.9.0.4:80'), relaysTo('10.9.0.2:80')])
    })

    it('has the rule refuse new connections where it is the last, if it is to do so', async () => {
      const destinations = [{ address: '10.9.0.2', port: 80 }]
      const id = await madeThree(client, { destinations, check: { ...QUICK, on_all_down: 'refuse' } })
      const { route_destination_id } = await destinationAt(client, id, '10.9.0.2')
      const path = `/routes/${id}/destinations/${route_destination_id}/drain`
      const { plan } = (await client.post<Foreseen>('/impact', { method: 'POST', path, body: {} })).body
      assert.equal(plan.steps[0]?.description, 'In one transaction of the kernel: have rule 1 refuse new connections.')
    })

    it('is one of the rule, or 404', async () => {
      const id = await madeThree(client, { check: null })
      assert.equal((await client.post(`/routes/${id}/destinations/999/drain`, {})).status, 404)
    })
  })

  describe('that is a backup', () => {
    const withBackup = {
      destinations: ADDRESSES.map((address, at) => ({ address, port: 80, is_backup: at === 2 })),
    }

    it('gets connections only while no other is up', async () => {
      const id = await madeThree(client, withBackup)
      assert.equal(rotation(id), 'in,in,standby')
      assert.equal((await destinationAt(client, id, '10.9.0.4')).takes_connections, false)
      await down(id, '10.9.0.2', '10.9.0.3')
      assert.equal((await destinationAt(client, id, '10.9.0.4')).takes_connections, true)
      assert.match((await getRoute(client, id)).body.health.detail, /^A backup takes the new connections\./)
    })

    it('cannot be the only one', async () => {
      const reply = await createRoute(client, {
        destination_address: undefined,
        destination_port: undefined,
        destinations: [{ address: '10.9.0.2', port: 80, is_backup: true }],
      })
      assert.deepEqual([reply.status, codesOf(reply)], [422, { destinations: 'ONLY_BACKUPS' }])
    })
  })

  describe('that is a backup, beside one that leaves', () => {
    it('may not be left alone, by whatever request', async () => {
      const destinations = ADDRESSES.slice(0, 2).map((address, at) => ({ address, port: 80, is_backup: at === 1 }))
      const id = await madeThree(client, { destinations })
      const other = { address: '10.9.0.2', port: 80 }
      const gone = await client.delete(`/routes/${id}/destinations`, other)
      assert.deepEqual([gone.status, codesOf(gone)], [422, { address: 'ONLY_BACKUPS' }])
      const disabled = destinations.map((one) => ({ ...one, is_enabled: one.is_backup }))
      assert.deepEqual(codesOf(await patchRoute(client, id, { destinations: disabled })), {
        destinations: 'ONLY_BACKUPS',
      })
      assert.equal(rotation(id), 'in,standby')
    })
  })

  describe('that goes down', () => {
    for (const [connections_of_down, protocol, ends] of [
      ['auto', 20, true],
      ['auto', 10, false],
      ['end', 10, true],
      ['keep', 20, false],
    ] as const)
      it(`has its connections ${ends ? 'ended' : 'left alone'} with ${connections_of_down} in a rule of ${protocol === 20 ? 'UDP' : 'TCP'}`, async () => {
        const check = { ...QUICK, kind: 'tcp', connections_of_down }
        const id = await madeThree(client, { route_protocol_id: protocol, check })
        await down(id, '10.9.0.3')
        await panel.failover.settled()
        const { entries } = (await client.get<{ entries: { operations: string[] }[] }>('/audit?action=RouteRotate'))
          .body
        assert.equal(
          entries.some(({ operations }) => operations.some((one) => one.startsWith('Ended '))),
          ends,
        )
      })
  })

  describe('that is checked', () => {
    it('is refused a check that decides nothing, on the field', async () => {
      const id = await madeThree(client, { route_protocol_id: 20, check: null })
      const unnamed = await putCheck(client, id, {})
      assert.deepEqual([unnamed.status, codesOf(unnamed)], [422, { kind: 'CHECK_UNDECIDABLE' }])
      assert.deepEqual(codesOf(await putCheck(client, id, { kind: 'udp' })), { kind: 'CHECK_UNDECIDABLE' })
      assert.deepEqual(codesOf(await createRoute(client, { bind_port: 8, route_protocol_id: 20, check: {} })), {
        'check.kind': 'CHECK_UNDECIDABLE',
      })
      assert.equal((await putCheck(client, id, { kind: 'icmp' })).status, 200)
    })

    it('may not have its rule closed where a process of this host listens, which would get the connections', async () => {
      const listener = { protocol: 'tcp', address: '0.0.0.0', port: 8443, process: 'nginx', is_sshd: false } as const
      panel.kernel.hostListeners = [listener]
      const id = await madeThree(client, { check: null, bind_port: 8443, force: true })
      const refused = await putCheck(client, id, { on_all_down: 'refuse' })
      assert.deepEqual([refused.status, codesOf(refused)], [422, { on_all_down: 'PORT_IN_USE' }])
      assert.match(refused.text, /nginx listens on tcp port 8443 of this server and would get the connections/)
      assert.equal((await putCheck(client, id, { on_all_down: 'keep' })).status, 200)
    })

    it('is warned of where another one is taken out while it is down', async () => {
      const id = await madeThree(client)
      await down(id, '10.9.0.3')
      assert.deepEqual(warningCodes(await drain(client, id, '10.9.0.2')), ['DESTINATION_DOWN'])
    })

    it('is refused a time-out longer than its interval, and numbers out of bounds', async () => {
      const id = await madeThree(client, { check: null })
      assert.deepEqual(codesOf(await putCheck(client, id, { interval_ms: 500, timeout_ms: 600 })), {
        timeout_ms: 'INVALID_VALUE',
      })
      assert.deepEqual(codesOf(await putCheck(client, id, { interval_ms: 499, fall: 0, rise: 101, port: 0 })), {
        interval_ms: 'INVALID_VALUE',
        fall: 'INVALID_VALUE',
        rise: 'INVALID_VALUE',
        port: 'INVALID_PORT',
      })
    })

    it('is refused where a rotation could move more ports than the kernel holds, on the range', async () => {
      const body = {
        bind_port: 10_000,
        bind_port_range_end: 31_999,
        destination_address: undefined,
        destination_port: undefined,
        destinations: [10_000, 10_000, 10_000, 10_001].map((port, at) => ({ address: `10.9.0.${at + 2}`, port })),
      }
      const { status, error } = await createRoute(client, { ...body, check: {} })
      assert.deepEqual([status, error.field], [422, 'bind_port_range_end'])
      assert.match(error.message, /88000/)
      assert.equal((await createRoute(client, body)).status, 201)
    })

    it('is warned of where a rotation moves so many ports that it takes seconds', async () => {
      const body = (first: number, check: object | null): object => ({
        bind_port: first,
        bind_port_range_end: first + 4999,
        destination_address: undefined,
        destination_port: undefined,
        destinations: [2, 3].map((last) => ({ address: `10.9.0.${last}`, port: 40_000 })),
        check,
      })
      assert.ok(warningCodes(await createRoute(client, body(10_000, {}))).includes('SHIFTED_RANGE_SLOW'))
      assert.ok(!warningCodes(await createRoute(client, body(15_000, null))).includes('SHIFTED_RANGE_SLOW'))
    })

    it('is in the backup with its check, and comes back with it', async () => {
      await madeThree(client, {
        destinations: ADDRESSES.map((address, at) => ({ address, port: 80, is_backup: at === 2 })),
        check: { kind: 'http', path: '/health', expect_status: 204, on_all_down: 'refuse' },
      })
      const backup = await exportOf(client)
      assert.equal((await client.delete('/routes/1')).status, 200)
      const { body } = await importInto(client, backup)
      assert.equal(body.counts.create, 1)
      const [before, after] = [backup.routes?.[0], (await exportOf(client)).routes?.[0]]
      assert.deepEqual(after, before)
      assert.equal(after?.check?.path, '/health')
    })

    it('that went down is down after a restart, too, until its checks say otherwise', async () => {
      const id = await madeThree(client)
      await down(id, '10.9.0.3')
      await panel.failover.stop()
      const { state } = await destinationAt(client, id, '10.9.0.3')
      assert.equal(state, 'down')
      checks.mend('10.9.0.3')
      await panel.failover.start()
      await eventually(() => rotation(id) === 'in,in,in')
    })

    it('keeps its id and its state where only its place in the list changes', async () => {
      const id = await madeThree(client)
      await down(id, '10.9.0.3')
      const { route_destination_id } = await destinationAt(client, id, '10.9.0.3')
      const { status } = await patchRoute(client, id, {
        destinations: ['10.9.0.3', '10.9.0.2', '10.9.0.4'].map((address) => ({ address, port: 80 })),
      })
      assert.equal(status, 200)
      const after = await destinationAt(client, id, '10.9.0.3')
      assert.deepEqual([after.route_destination_id, after.state], [route_destination_id, 'down'])
      assert.equal(rotation(id), 'out,in,in')
    })
  })
})

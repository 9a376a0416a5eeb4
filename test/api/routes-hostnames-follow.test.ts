// Destinations whose host name comes to lead elsewhere, before a real DNS server: when that is looked at, what is taken
// of it, and what becomes of the flows (reference.md, Checks of destinations).
import assert from 'node:assert/strict'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import { eventually } from '../support/eventually.ts'
import { startDnsServer, type DnsServer } from '../support/dns-server.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { checkOf } from './support/checks.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute } from './support/routes.ts'
import { set } from './support/settings.ts'

const NAME = 'web.test'
const addresses = (count: number, from = 10): string[] =>
  Array.from({ length: count }, (_, at) => `10.9.0.${from + at}`)

describe('A name that a rule leads to', () => {
  let dns: DnsServer
  let panel: TestPanel
  let client: Client
  const started = async (ttl_seconds: number): Promise<void> => {
    dns = await startDnsServer(ttl_seconds)
    panel = await startPanel()
    client = await panel.setUp()
    await set(client, { 'routes.dns_servers': [dns.address] })
    await panel.failover.start()
  }
  afterEach(async () => {
    await panel.close()
    await dns.stop()
  })

  const made = async (body: object = {}, more: object = {}): Promise<void> => {
    const { status, text } = await createRoute(client, {
      destination_address: undefined,
      destination_port: undefined,
      destinations: [{ hostname: NAME, port: 80, ...more }],
      ...body,
    })
    assert.equal(status, 201, text)
    await panel.failover.settled()
  }
  const held = (): string[] => (panel.kernel.rulesets.rules.get(1)?.destinations ?? []).map(({ address }) => address)
  const look = async (): Promise<void> => {
    await panel.failover.settled()
    await panel.failover.hostnames.look(NAME, 4)
    await panel.failover.settled()
  }
  const moves = async (...to: string[]): Promise<void> => {
    await dns.set({ [NAME]: to })
    await look()
    await look()
  }
  const problem = async (): Promise<string> => (await checkOf(client, 1)).destinations[0]?.hostname_problem ?? ''

  describe('is resolved again', () => {
    const { setTimeout: real } = globalThis
    const waits: number[] = []
    /** What takes half a minute or more takes a moment, and is noted. */
    const short = (work: () => void, ms: number): NodeJS.Timeout => {
      if (ms >= 30_000) waits.push(ms)
      return real(work, ms >= 30_000 ? 50 : ms)
    }
    beforeEach(() => {
      waits.length = 0
      globalThis.setTimeout = short as typeof setTimeout
    })
    afterEach(() => void (globalThis.setTimeout = real))

    for (const [ttl, wait_s, why] of [
      [90, 90, 'once its TTL is over'],
      [5, 30, 'no sooner than after half a minute'],
      [86_400, 3600, 'within an hour'],
    ] as const)
      it(`${why}, with a TTL of ${ttl} s`, async () => {
        await started(ttl)
        await dns.set({ [NAME]: ['10.9.0.7'] })
        await made()
        waits.length = 0
        await look()
        assert.equal(waits[0], wait_s * 1000)
      })

    it('after half a minute where it did not resolve', async () => {
      await started(90)
      await dns.set({ [NAME]: ['10.9.0.7'] })
      await made()
      await dns.set({})
      waits.length = 0
      await look()
      assert.equal(waits[0], 30_000)
    })

    it('again and again, so that a rule follows it by itself', async () => {
      await started(90)
      await dns.set({ [NAME]: ['10.9.0.7'] })
      await made()
      await look()
      await dns.set({ [NAME]: ['10.9.0.8'] })
      await eventually(() => held().join() === '10.9.0.8')
    })
  })

  describe('leads', () => {
    beforeEach(async () => {
      await started(60)
      await dns.set({ [NAME]: ['10.9.0.7'] })
    })

    it('to eight of its addresses at most', async () => {
      await dns.set({ [NAME]: addresses(10) })
      await made({}, { hostname_policy: 'all' })
      assert.deepEqual(held(), addresses(8))
      await moves(...addresses(10, 12))
      assert.deepEqual(held(), addresses(8, 12))
    })

    it('to no more than the rule has room for, and says so', async () => {
      const others = addresses(60, 100).map((address) => ({ address, port: 80 }))
      await made({ destinations: [...others, { hostname: NAME, port: 80, hostname_policy: 'all' }] })
      await moves(...addresses(6))
      assert.equal(held().length, 64)
      const { destinations } = await checkOf(client, 1)
      assert.match(destinations.at(-1)?.hostname_problem ?? '', /^The rule would have more than 64 destinations/)
    })

    it('to its last address where it does not resolve as the daemon starts', async () => {
      await made()
      await dns.set({})
      await panel.failover.stop()
      await panel.failover.start()
      for (let looks = 0; looks < 3; looks += 1) await look()
      assert.deepEqual(held(), ['10.9.0.7'])
      assert.match(await problem(), /its last addresses stay in use\.$/)
    })

    it('nowhere where it never resolved, and says that', async () => {
      await dns.set({})
      await made({ force: true })
      for (let looks = 0; looks < 3; looks += 1) await look()
      assert.deepEqual(held(), [])
      assert.equal(await problem(), `${NAME} does not resolve (ENOTFOUND): it gets no connection until it does.`)
    })

    for (const address of ['127.0.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255'])
      it(`never to ${address}, which no operator could name`, async () => {
        await made()
        await moves(address)
        assert.deepEqual(held(), ['10.9.0.7'])
        assert.notEqual(await problem(), '')
      })

    it('to the others of its addresses where one is the panel itself', async () => {
      const port = Number(new URL(panel.base).port)
      await made({}, { port, hostname_policy: 'all' })
      await moves('192.0.2.1', '10.9.0.8')
      assert.deepEqual(held(), ['10.9.0.8'])
      assert.match(await problem(), /^192\.0\.2\.1, port \d+ is the panel or SSH of this server itself/)
    })

    it('elsewhere by the next look where the kernel could not be changed, which is no drift', async () => {
      await made()
      const { rulesets } = panel.kernel
      const submit = rulesets.submit.bind(rulesets)
      rulesets.submit = async () => {
        throw new KernelError('EBUSY', 'The table is busy')
      }
      await moves('10.9.0.8')
      rulesets.submit = submit
      assert.deepEqual(held(), ['10.9.0.7'])
      const { routes } = (await client.get<ReconcileAnswer>('/reconcile')).body
      assert.deepEqual(
        routes.map(({ status }) => status),
        ['InSync'],
      )
      panel.routeWatch.hint('all')
      await panel.routeWatch.pass('event')
      assert.deepEqual(held(), ['10.9.0.8'])
    })
  })

  for (const [protocol, route_protocol_id, left] of [
    ['udp', 20, 0],
    ['tcp', 10, 1],
  ] as const)
    it(`${left === 0 ? 'ends' : 'leaves'} the flows of ${protocol} to an address that it no longer has`, async () => {
      await started(60)
      await dns.set({ [NAME]: ['10.9.0.7'] })
      await made({ route_protocol_id })
      const flow = { protocol, destination_address: '10.9.0.7', destination_port: 80 }
      panel.kernel.connections.open = [fakeConnection(flow)]
      await moves('10.9.0.8')
      assert.deepEqual([held(), panel.kernel.connections.open.length], [['10.9.0.8'], left])
    })
})

// A name that no longer resolves, and one that has addresses of the other family alone: a sentence by name in the
// draft's check, in the checks, in health and as an incident, until it resolves again (reference.md, Checks of
// destinations; decisions.md, S29).
import assert from 'node:assert/strict'
import type { AttentionAnswer, Incident } from '@panel/shared/api/incidents.ts'
import type { Cause } from '@panel/shared/api/routes/causes.ts'
import { startDnsServer, type DnsServer } from '../support/dns-server.ts'
import { checkOf } from './support/checks.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute, getRoute, patchRoute, previewRoute } from './support/routes.ts'
import { set } from './support/settings.ts'

const NAME = 'relay.test'
const BY_FAMILY = [
  { family: 4, other: 6, bind_address: '0.0.0.0', own: '10.9.0.7', foreign: 'fd00::7' },
  { family: 6, other: 4, bind_address: '::', own: 'fd00::7', foreign: '10.9.0.7' },
] as const

describe('A name that has stopped resolving', () => {
  let dns: DnsServer
  let panel: TestPanel
  let client: Client
  before(async () => (dns = await startDnsServer(60)))
  after(() => dns.stop())
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await set(client, { 'routes.dns_servers': [dns.address] })
    await panel.failover.start()
    await panel.routeWatch.pass('start')
  })
  afterEach(() => panel.close())

  const named = (more: object = {}): object => ({
    destination_address: undefined,
    destination_port: undefined,
    destinations: [{ hostname: NAME, port: 80 }],
    ...more,
  })
  const made = async (more: object = {}): Promise<void> => {
    const { status, text } = await createRoute(client, named(more))
    assert.equal(status, 201, text)
    await panel.failover.settled()
  }
  const looks = async (times: number, family: 4 | 6 = 4): Promise<void> => {
    await panel.failover.settled()
    for (let at = 0; at < times; at += 1) await panel.failover.hostnames.look(NAME, family)
    await panel.failover.settled()
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('event')
  }
  const health = async () => (await getRoute(client, 1)).body.health
  const cause = async (): Promise<Cause | undefined> =>
    (await health()).causes.find(({ code }) => code === 'DESTINATION_UNRESOLVED')
  const incidents = async (): Promise<Incident[]> =>
    (await client.get<AttentionAnswer>('/reconcile/attention')).body.incidents
  const problemOf = (reply: Reply): string =>
    (reply.error.details['fields'] as { message: string }[] | undefined)?.[0]?.message ?? ''

  it('is a cause and an incident after three failures, of all rules that lead there, and no longer once it resolves', async () => {
    await dns.set({ [NAME]: ['10.9.0.7'] })
    await made({ bind_port: 1 })
    await made({ bind_port: 2 })
    await dns.set({})
    await looks(2)
    assert.equal(await cause(), undefined)
    assert.deepEqual(await incidents(), [])
    await looks(1)
    const sentence = `${NAME} does not resolve (ENOTFOUND): its last addresses stay in use`
    const found = await cause()
    assert.deepEqual([found?.effect, found?.detail, (await health()).severity], ['degrades', sentence, 'degraded'])
    const [incident, ...others] = await incidents()
    assert.deepEqual(
      [incident?.state, incident?.reason, incident?.affected_routes, others],
      ['degraded', sentence, 2, []],
    )
    assert.match(incident?.remedies[0]?.text ?? '', /Correct the name/)
    await dns.set({ [NAME]: ['10.9.0.7'] })
    await looks(1)
    assert.deepEqual([await cause(), await incidents()], [undefined, []])
  })

  it('is a cause where other destinations go on, also if it never resolved', async () => {
    await dns.set({})
    const destinations = [
      { address: '10.9.0.8', port: 80 },
      { hostname: NAME, port: 80 },
    ]
    await made({ destinations, force: true })
    await looks(3)
    const found = await cause()
    const sentence = `${NAME} does not resolve (ENOTFOUND): it gets no connection until that changes`
    assert.deepEqual([found?.effect, found?.detail], ['degrades', sentence])
  })

  for (const { family, other, bind_address, own, foreign } of BY_FAMILY) {
    const why = `${NAME} has IPv${other} addresses only, and this rule relays IPv${family}`

    it(`to IPv${family} is refused with its other family by name, in a preview as well, unless forced`, async () => {
      await dns.set({ [NAME]: [foreign] })
      for (const reply of [
        await createRoute(client, named({ bind_address })),
        await previewRoute(client, named({ bind_address })),
      ]) {
        assert.equal(reply.status, 422)
        assert.ok(
          problemOf(reply).startsWith(`${why}. Let the rule listen on an IPv${other} address.`),
          problemOf(reply),
        )
      }
      const forced = await createRoute(client, named({ bind_address, force: true }))
      const warning = forced.body.warnings.find(({ code }) => code === 'HOSTNAME_UNRESOLVED')
      assert.equal(warning?.message, `${why}: it gets no connection until that changes.`)
      await panel.failover.settled()
      await looks(1, family)
      assert.deepEqual(
        [(await cause())?.effect, (await cause())?.detail],
        ['stops', `${why}, so the rule is closed until that changes`],
      )
      const [incident] = await incidents()
      assert.deepEqual(
        [incident?.state, incident?.reason],
        ['down', `${why}, so the rule is closed until that changes`],
      )
    })

    it(`to IPv${family} and has the other family only is a cause with its name, and a problem of the checks`, async () => {
      await dns.set({ [NAME]: [own] })
      await made({ bind_address })
      await dns.set({ [NAME]: [foreign] })
      await looks(3, family)
      assert.equal((await cause())?.detail, `${why}: its last addresses stay in use`)
      const { destinations, events } = await checkOf(client, 1)
      assert.equal(destinations[0]?.hostname_problem, `${why}: its last addresses stay in use.`)
      assert.equal(events[0]?.reason, `${why}: its last addresses stay in use.`)
      await dns.set({ [NAME]: [own, foreign] })
      await looks(1, family)
      assert.equal(await cause(), undefined)
    })

    it(`is looked up in IPv${other} as well where a rule of IPv${family} is moved there`, async () => {
      await dns.set({ [NAME]: [own, foreign] })
      await made({ bind_address })
      const there = BY_FAMILY.find((one) => one.family === other)?.bind_address
      const { destinations } = (await getRoute(client, 1)).body.route
      const sent = destinations.map(({ hostname, port }) => ({ hostname, port }))
      const { status, text } = await patchRoute(client, 1, { bind_address: there, destinations: sent })
      assert.equal(status, 200, text)
      assert.equal((await getRoute(client, 1)).body.route.destinations[0]?.address, foreign)
    })
  }
})

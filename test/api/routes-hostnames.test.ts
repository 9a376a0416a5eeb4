// Destinations that have a host name, before a real DNS server (reference.md, Checks of destinations).
import assert from 'node:assert/strict'
import type { RouteView } from '@panel/shared/api/routes/answers.ts'
import { BOUNDS_S } from '@panel/web-daemon/platform/network/followed-names.ts'
import { resolveHost } from '@panel/web-daemon/platform/network/resolver.ts'
import { startDnsServer, type DnsServer } from '../support/dns-server.ts'
import { checkOf } from './support/checks.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute, getRoute, patchRoute, previewRoute, warningCodes } from './support/routes.ts'
import { set } from './support/settings.ts'
import { codesOf } from './support/tunnels.ts'

const TTL_S = 90

describe('A destination with a host name', () => {
  let dns: DnsServer
  let panel: TestPanel
  let client: Client
  before(async () => (dns = await startDnsServer(TTL_S)))
  after(() => dns.stop())
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await set(client, { 'routes.dns_servers': [dns.address] })
    await panel.failover.start()
  })
  afterEach(() => panel.close())

  const named = (hostname: string, more: object = {}): object => ({
    destination_address: undefined,
    destination_port: undefined,
    destinations: [{ hostname, port: 80, ...more }],
  })
  const made = async (body: object): Promise<RouteView> => {
    const { status, text, body: answer } = await createRoute(client, body)
    assert.equal(status, 201, text)
    await panel.failover.settled()
    return answer.route
  }
  const held = (): string[] => (panel.kernel.rulesets.rules.get(1)?.destinations ?? []).map(({ address }) => address)
  const look = async (hostname = 'web.test'): Promise<void> => {
    await panel.failover.settled()
    await panel.failover.hostnames.look(hostname, 4)
    await panel.failover.settled()
  }

  it('leads to what the name resolves to, and shows both', async () => {
    await dns.set({ 'web.test': ['10.9.0.7'] })
    const { destinations, route_rule_title } = await made(named('Web.test.'))
    assert.deepEqual(
      destinations.map(({ hostname, hostname_policy, address }) => [hostname, hostname_policy, address]),
      [['web.test', 'first', '10.9.0.7']],
    )
    assert.equal(route_rule_title, 'tcp 443 → web.test:80')
    assert.deepEqual(held(), ['10.9.0.7'])
  })

  it('has a time to live, which the resolver reports', async () => {
    await dns.set({ 'web.test': ['10.9.0.7'] })
    const found = await resolveHost('web.test', 4, [dns.address])
    assert.deepEqual(found, { isFound: true, addresses: ['10.9.0.7'], ttl_seconds: TTL_S })
    assert.ok(TTL_S > BOUNDS_S.least && TTL_S < BOUNDS_S.most)
  })

  it('follows the name, once it has seen the new address twice', async () => {
    await dns.set({ 'web.test': ['10.9.0.7'] })
    await made(named('web.test'))
    await dns.set({ 'web.test': ['10.9.0.8'] })
    await look()
    assert.deepEqual(held(), ['10.9.0.7'])
    await look()
    assert.deepEqual(held(), ['10.9.0.8'])
    assert.equal((await getRoute(client, 1)).body.route.destinations[0]?.address, '10.9.0.8')
    const { entries } = (await client.get<{ entries: { operations: string[] }[] }>('/audit?action=RouteRotate')).body
    assert.equal(entries[0]?.operations[0], 'web.test resolves to 10.9.0.8')
  })

  it('stays with its address while that is among several, in whatever order they come', async () => {
    await dns.set({ 'web.test': ['10.9.0.7'] })
    await made(named('web.test'))
    for (const addresses of [
      ['10.9.0.6', '10.9.0.7'],
      ['10.9.0.7', '10.9.0.6', '10.9.0.5'],
    ]) {
      // prettier-ignore
      await dns.set({ 'web.test': addresses })
      await look()
      await look()
      assert.deepEqual(held(), ['10.9.0.7'])
    }
  })

  it('does not follow a name that answers with another address each time', async () => {
    await dns.set({ 'web.test': ['10.9.0.7'] })
    await made(named('web.test'))
    for (const address of ['10.9.0.8', '10.9.0.9', '10.9.0.8', '10.9.0.9']) {
      await dns.set({ 'web.test': [address] })
      await look()
      assert.deepEqual(held(), ['10.9.0.7'])
    }
  })

  it('is a destination for each address where it is to be, and shares them out', async () => {
    await dns.set({ 'web.test': ['10.9.0.7', '10.9.0.8'] })
    const { load_balance_mode_id } = await made(named('web.test', { hostname_policy: 'all' }))
    assert.deepEqual([load_balance_mode_id, held()], [20, ['10.9.0.7', '10.9.0.8']])
    await dns.set({ 'web.test': ['10.9.0.8', '10.9.0.9'] })
    await look()
    await look()
    assert.deepEqual(held(), ['10.9.0.8', '10.9.0.9'])
  })

  it('is sent back as it came without being resolved again', async () => {
    await dns.set({ 'web.test': ['10.9.0.7', '10.9.0.8'] })
    const { destinations } = await made(named('web.test', { hostname_policy: 'all' }))
    await dns.set({})
    const { status, text } = await patchRoute(client, 1, { destinations })
    assert.equal(status, 200, text)
    assert.deepEqual(held(), ['10.9.0.7', '10.9.0.8'])
  })

  it('keeps its last address where the name does not resolve any more, and says so after three failures', async () => {
    await dns.set({ 'web.test': ['10.9.0.7'] })
    await made(named('web.test'))
    await dns.set({})
    await look()
    await look()
    assert.equal((await checkOf(client, 1)).destinations[0]?.hostname_problem, '')
    await look()
    assert.deepEqual(held(), ['10.9.0.7'])
    const { destinations, events } = await checkOf(client, 1)
    const stale = /^web\.test has not resolved 3 times in a row \(ENOTFOUND\): its last addresses stay in use\.$/
    assert.match(destinations[0]?.hostname_problem ?? '', stale)
    assert.match(events[0]?.reason ?? '', stale)
  })

  it('is refused where the name does not resolve, and with force is closed until it does', async () => {
    await dns.set({})
    const refused = await createRoute(client, named('web.test'))
    assert.deepEqual([refused.status, codesOf(refused)], [422, { 'destinations.0.hostname': 'HOSTNAME_UNRESOLVED' }])
    const forced = await createRoute(client, { ...named('web.test'), force: true })
    assert.equal(forced.status, 201, forced.text)
    assert.ok(warningCodes(forced).includes('HOSTNAME_UNRESOLVED'))
    assert.equal(panel.kernel.rulesets.rules.size, 0)
    const { state, detail } = (await getRoute(client, 1)).body.health
    assert.deepEqual([state, detail], ['impaired', 'web.test does not resolve, so the rule is closed until it does'])
    await dns.set({ 'web.test': ['10.9.0.7'] })
    await look()
    assert.deepEqual(held(), ['10.9.0.7'])
  })

  it('is refused where the name leads to the panel of this host, also later', async () => {
    const port = Number(new URL(panel.base).port)
    await dns.set({ 'web.test': ['192.0.2.1'] })
    const refused = await createRoute(client, named('web.test', { port }))
    assert.deepEqual([refused.status, codesOf(refused)], [422, { 'destinations.0.hostname': 'HOSTNAME_LEADS_HOME' }])
    await dns.set({ 'web.test': ['10.9.0.7'] })
    await made(named('web.test', { port }))
    await dns.set({ 'web.test': ['192.0.2.1'] })
    await look()
    await look()
    assert.deepEqual(held(), ['10.9.0.7'])
    assert.match(
      (await checkOf(client, 1)).destinations[0]?.hostname_problem ?? '',
      /^192\.0\.2\.1, port \d+ is the panel or SSH of this server itself/,
    )
  })

  it('is refused where the name leads to SSH of this host, whichever its port', async () => {
    panel.kernel.hostListeners = [{ protocol: 'tcp', address: '0.0.0.0', port: 2222, process: 'sshd', is_sshd: true }]
    await dns.set({ 'web.test': ['192.0.2.1'] })
    const refused = await createRoute(client, named('web.test', { port: 2222 }))
    assert.deepEqual([refused.status, codesOf(refused)], [422, { 'destinations.0.hostname': 'HOSTNAME_LEADS_HOME' }])
    assert.equal((await createRoute(client, named('web.test', { port: 2223 }))).status, 201)
  })

  for (const hostname of [
    '-web.test',
    'web..test',
    'web_1.test',
    '10.9.0.7',
    '1.2.3',
    `${'a'.repeat(64)}.test`,
    'a b',
    'a.'.repeat(126) + 'ab',
  ])
    it(`is refused where it is none, such as ${hostname.slice(0, 20)}`, async () => {
      const reply = await createRoute(client, named(hostname))
      assert.deepEqual([reply.status, codesOf(reply)], [422, { 'destinations.0.hostname': 'INVALID_HOSTNAME' }])
    })

  it('may have 253 characters', async () => {
    const hostname = `${'a.'.repeat(125)}abc`
    assert.equal(hostname.length, 253)
    await dns.set({ [hostname]: ['10.9.0.7'] })
    assert.equal((await made(named(hostname))).destinations[0]?.hostname, hostname)
  })

  it('is one more of a rule, and in a preview, as any other', async () => {
    await dns.set({ 'web.test': ['10.9.0.7'] })
    await made({})
    const body = { hostname: 'web.test', port: 80, hostname_policy: 'all', is_backup: true }
    assert.equal((await client.post('/routes/1/destinations', body)).status, 200)
    const { destinations } = (await getRoute(client, 1)).body.route
    assert.deepEqual(
      destinations.map(({ hostname, hostname_policy, is_backup }) => [hostname, hostname_policy, is_backup]),
      [[null, null, false], ['web.test', 'all', true]], // prettier-ignore
    )
    const preview = await previewRoute(client, { bind_port: 1, ...named('web.test', { port: 81 }) })
    assert.match(preview.body.payload, /10\.9\.0\.7 \. 81/)
  })

  it('needs an address or a name', async () => {
    const reply = await createRoute(client, {
      destination_address: undefined,
      destination_port: undefined,
      destinations: [{ port: 80 }],
    })
    assert.deepEqual(codesOf(reply), { 'destinations.0.address': 'INVALID_DESTINATION' })
  })
})

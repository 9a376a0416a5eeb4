// A rule that leads to a host name, under a real relay and with a DNS server beside it.
import assert from 'node:assert/strict'
import { startDnsServer, type DnsServer } from '../support/dns-server.ts'
import { FailoverRig, relayPlace, serverPlace } from './failover-rig.ts'
import { namespaceOf } from './own-namespace.ts'
import { RELAY, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const NAME = 'web.test'
const UDP = 20

describe('A host name under a real relay', function () {
  const rig = new FailoverRig()
  const { calls } = rig.client
  let dns: DnsServer
  before(async () => {
    await rig.open()
    for (const address of [ONE, TWO])
      for (const protocol of ['tcp', 'udp'] as const) await rig.servers.calls.listen(serverPlace(address, protocol))
    const within = ['nsenter', `--net=${namespaceOf(rig.relay.child)}`]
    dns = await startDnsServer(60, { within, resolve: (name, server) => rig.driver.resolve(name, server) })
    await rig.api('PUT', '/settings', { 'routes.dns_servers': [dns.address] })
  })
  afterEach(() => calls.release())
  after(async () => {
    await dns.stop()
    await rig.close()
  })

  const leadsTo = async (...addresses: string[]): Promise<void> => {
    await dns.set({ [NAME]: addresses })
    await rig.driver.look(NAME)
    await rig.driver.look(NAME)
  }
  const askedOn = async (name: string, port: number): Promise<string> =>
    (await calls.askOnFlow(name, relayPlace(port, 'udp')))?.server.split(' ')[0] ?? 'nobody'

  it('takes new connections where it leads now, and leaves those of TCP that there are', async () => {
    await dns.set({ [NAME]: [ONE] })
    await rig.made(1001, { destinations: [{ hostname: NAME, port: 80 }] })
    assert.equal(await rig.answers(1001), ONE)
    await calls.hold('before', relayPlace(1001))
    await leadsTo(TWO)
    assert.equal(await rig.answers(1001), TWO)
    assert.equal(await calls.say('before'), true)
  })

  it('takes the flows of UDP along', async () => {
    await dns.set({ [NAME]: [ONE] })
    await rig.made(1002, { route_protocol_id: UDP, destinations: [{ hostname: NAME, port: 80 }] })
    assert.equal(await askedOn('flow', 1002), ONE)
    await leadsTo(TWO)
    assert.equal(await askedOn('flow', 1002), TWO)
  })

  it('keeps its last address where it does not resolve any more', async () => {
    await dns.set({ [NAME]: [ONE] })
    const id = await rig.made(1003, { destinations: [{ hostname: NAME, port: 80 }] })
    await dns.set({})
    for (let looks = 0; looks < 3; looks += 1) await rig.driver.look(NAME)
    assert.equal(await rig.answers(1003), ONE)
    assert.match((await rig.destination(id, ONE)).hostname_problem, /^web\.test has not resolved 3 times in a row/)
  })

  it('stays with its address while DNS hands several out in turn', async () => {
    await dns.set({ [NAME]: [ONE] })
    await rig.made(1004, { destinations: [{ hostname: NAME, port: 80 }] })
    await dns.set({ [NAME]: [TWO, ONE] })
    for (let looks = 0; looks < 6; looks += 1) {
      await rig.driver.look(NAME)
      assert.equal(await rig.answers(1004), ONE)
    }
  })

  it('never leads to the panel on an address of this host', async () => {
    await dns.set({ [NAME]: [ONE] })
    const port = await rig.driver.port()
    const id = await rig.made(1005, { destinations: [{ hostname: NAME, port }] })
    await leadsTo(RELAY)
    const { hostname_problem } = await rig.destination(id, ONE)
    assert.match(hostname_problem, new RegExp(`^${RELAY.replaceAll('.', '\\.')}, port ${port} is the panel or SSH`))
    const { status, body } = await rig.driver.request('POST', '/routes', {
      ...{ bind_address: RELAY, bind_port: 1006, destinations: [{ hostname: NAME, port }] },
    })
    assert.equal(status, 422)
    assert.match(JSON.stringify(body), /HOSTNAME_LEADS_HOME/)
  })
})

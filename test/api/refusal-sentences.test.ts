// Sentences of refusals say what is wrong with what was sent, and what would be right.
import assert from 'node:assert/strict'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'
import { startDnsServer } from '../support/dns-server.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute, SMALLEST_RULE } from './support/routes.ts'
import { set } from './support/settings.ts'
import { createTunnel } from './support/tunnels.ts'

describe('The sentence of a refusal', () => {
  let panel: TestPanel
  let client: Client
  before(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    assert.equal((await createRoute(client)).status, 201)
  })
  after(() => panel.close())

  for (const path of ['health', '', '/two words', '/ü', `/${'x'.repeat(1024)}`])
    it(`says how the path of a check has to begin and what it may hold: ${JSON.stringify(path).slice(0, 20)}`, async () => {
      const { status, error } = await client.put('/routes/1/check', { kind: 'http', path })
      assert.deepEqual([status, error.field], [422, 'path'])
      assert.match(error.message, /path must begin with "\/" and have at most 1024 characters of ASCII/)
    })

  it('says what the host of a check may be', async () => {
    const { error } = await client.put('/routes/1/check', { kind: 'http', host: 'two words' })
    assert.match(error.message, /host must be a host name or an address of at most 253 characters/)
  })

  for (const version of [null, [], {}, true, 'x', 2, 1.5])
    it(`repeats the version of a backup as it was sent: ${JSON.stringify(version)}`, async () => {
      const { status, error } = await client.post('/backup/import', { backup: { version } })
      assert.deepEqual([status, error.field], [422, 'backup.version'])
      assert.ok(error.message.includes(`a backup of version ${JSON.stringify(version)}.`), error.message)
    })

  it('names one length where only one is possible, and no range from it to itself', async () => {
    const pool = { address_pool_title: 'Two', cidr: '10.44.0.0/31' }
    const { error } = await client.post('/pools', { ...pool, prefix_length: 24 })
    assert.match(error.message, /prefix_length must be 31 for a pool of 10\.44\.0\.0\/31\./)
    const wide = await client.post('/pools', { ...pool, cidr: '10.44.0.0/24', prefix_length: 8 })
    assert.match(wide.error.message, /from 24 to 31 for a pool of 10\.44\.0\.0\/24\./)
  })

  it('has no article before a kind of tunnel, which may begin with a vowel', () => {
    for (const [id, sentence] of Object.entries(CATALOGUE)) assert.doesNotMatch(sentence, /\ban? \{kind\}/i, id)
  })

  it('of a tunnel without a key says which packets enter it, as the kernel decides that', async () => {
    const { body } = await createTunnel(client, { ikey: null, okey: null })
    const sentence = body.warnings.find(({ code }) => code === 'NO_GRE_KEY')?.message ?? ''
    assert.match(sentence, /every GRE packet between them that has no key enters it/)
  })

  it('says that an address beside a host name has no effect, unless the name resolves to it', async () => {
    const dns = await startDnsServer(90)
    await dns.set({ 'web.test': ['10.9.0.7'] })
    await set(client, { 'routes.dns_servers': [dns.address] })
    const { destination_address: _address, destination_port: _port, ...listens } = SMALLEST_RULE
    const made = (address: string) =>
      client.post('/routes', {
        ...listens,
        bind_port: 8080,
        destinations: [{ hostname: 'web.test', address, port: 80 }],
      })
    const { status, error } = await made('10.9.0.8')
    assert.deepEqual([status, error.field], [422, 'destinations.0.address'])
    assert.match(error.message, /10\.9\.0\.8 is not what web\.test resolves to/)
    assert.equal((await made('10.9.0.7')).status, 201)
    await dns.stop()
  })
})

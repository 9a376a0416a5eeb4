// Tunnels whose far ends have names, before a real DNS server (reference.md, Tunnels; decisions.md, T48).
import assert from 'node:assert/strict'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { startDnsServer, type DnsServer } from '../support/dns-server.ts'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import { became, exportOf, importInto } from './support/backup.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { set } from './support/settings.ts'
import { codesOf, createTunnel, getTunnel, patchTunnel, previewTunnel } from './support/tunnels.ts'

const NAME = 'far.test'
const [ONE, TWO, THREE] = ['198.51.100.7', '198.51.100.8', '198.51.100.9'] as const
const OWN = '192.0.2.1'
/** The smallest request that names the far end. */
const NAMED = { remote_endpoint: undefined, remote_hostname: NAME } as const
const IP6GRE = 30

describe('A tunnel whose far end has a name', () => {
  let dns: DnsServer
  let panel: TestPanel
  let client: Client
  before(async () => (dns = await startDnsServer()))
  after(() => dns.stop())
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await set(client, { 'routes.dns_servers': [dns.address] })
  })
  afterEach(() => panel.close())

  const made = async (body: object = {}): Promise<TunnelView> => {
    const { status, text, body: answer } = await createTunnel(client, { ...NAMED, ...body })
    assert.equal(status, 201, text)
    return answer.tunnel
  }
  const farEnd = (name = 'gre-a-1'): string | undefined => panel.kernel.held.get(name)?.state?.config.remote_endpoint
  const problemOf = ({ status, error }: Reply<unknown>): unknown => [
    status,
    ((error.details['fields'] ?? []) as { field: string; code: string; message: string }[]).map(
      ({ field, code, message }) => [field, code, message],
    ),
  ]

  it('leads to what the name resolves to, and shows both', async () => {
    await dns.set({ [NAME]: [ONE] })
    const tunnel = await made({ remote_hostname: 'Far.Test.' })
    const { remote_hostname, remote_endpoint, remote_hostname_problem, remote_resolved_date } = tunnel
    assert.deepEqual([remote_hostname, remote_endpoint, remote_hostname_problem], [NAME, ONE, ''])
    assert.equal(remote_resolved_date, tunnel.created_date)
    assert.equal(farEnd(), ONE)
  })

  it('has neither a name nor a date of it without one', async () => {
    const { tunnel } = (await createTunnel(client)).body
    assert.deepEqual(
      [tunnel.remote_hostname, tunnel.remote_resolved_date, tunnel.remote_hostname_problem],
      [null, null, ''],
    )
  })

  it('warns that GRE does not authenticate, and once', async () => {
    await dns.set({ [NAME]: [ONE] })
    const { body } = await createTunnel(client, NAMED)
    const warning = body.warnings.find(({ code }) => code === 'FAR_END_IS_A_NAME')
    assert.equal(warning?.field, 'remote_hostname')
    assert.match(warning.message, /whoever answers for far\.test gets what this tunnel sends/)
    const changed = await patchTunnel(client, 1, { ttl: 9 })
    assert.deepEqual([changed.status, changed.body.warnings], [200, []])
  })

  it('is refused where the name does not resolve, with force too, and nothing is made', async () => {
    await dns.set({})
    for (const force of [false, true])
      assert.deepEqual(problemOf(await createTunnel(client, { ...NAMED, force })), [
        422,
        [
          [
            'remote_hostname',
            'ENDPOINT_UNRESOLVED',
            'far.test does not resolve (ENOTFOUND). Enter a name that has an address, or the address itself.',
          ],
        ],
      ])
    assert.equal(panel.kernel.held.size, 0)
  })

  it('is refused where the name has addresses of the other family alone', async () => {
    await dns.set({ [NAME]: ['2001:db8::7'] })
    assert.deepEqual(problemOf(await createTunnel(client, NAMED)), [
      422,
      [
        [
          'remote_hostname',
          'ENDPOINT_UNRESOLVED',
          'far.test has IPv6 addresses only, and this tunnel runs over IPv4. Enter a name that has an address, or the address itself.',
        ],
      ],
    ])
  })

  it('takes the address of its own family, of IPv6 too', async () => {
    await dns.set({ [NAME]: [ONE, '2001:db8::7'] })
    const six = { tunnel_type_id: IP6GRE, local_endpoint: '2001:db8::1', interface_name: 'six' }
    assert.equal((await made(six)).remote_endpoint, '2001:db8::7')
    assert.equal((await made()).remote_endpoint, ONE)
  })

  it('takes the lowest of several addresses, and leaves out what is no far end', async () => {
    await dns.set({ [NAME]: ['239.1.1.1', '127.0.0.1', THREE, TWO] })
    assert.equal((await made()).remote_endpoint, TWO)
  })

  it('is refused where the name leads to an address of this server, a loopback or a multicast address', async () => {
    for (const [address, sentence] of [
      [
        OWN,
        /^Refused: remote_hostname must be an address of another server, and 192\.0\.2\.1 is an address of this server/,
      ],
      ['127.0.0.1', /^Refused: remote_hostname must not be a loopback address\.$/],
      ['239.1.1.1', /^Refused: remote_hostname must not be a multicast address\.$/],
    ] as const) {
      await dns.set({ [NAME]: [address] })
      const refused = await createTunnel(client, { ...NAMED, local_endpoint: '192.0.2.9' })
      assert.deepEqual([refused.status, codesOf(refused)], [422, { remote_hostname: 'INVALID_ENDPOINT' }])
      assert.match(refused.error.message, sentence)
    }
  })

  it('is refused where the name leads to its own local endpoint', async () => {
    await dns.set({ [NAME]: [OWN] })
    const refused = await createTunnel(client, NAMED)
    assert.deepEqual(codesOf(refused), { remote_hostname: 'ENDPOINTS_IDENTICAL' })
  })

  it('is refused beside one with the same ends and key', async () => {
    await dns.set({ [NAME]: [ONE] })
    await made({ ikey: 7, okey: 7 })
    const refused = await createTunnel(client, { ...NAMED, ikey: 7, okey: 7 })
    assert.deepEqual([refused.status, codesOf(refused)], [422, { remote_hostname: 'TUNNEL_ENDPOINT_CONFLICT' }])
  })

  for (const name of ['-far.test', 'far..test', 'far_1.test', '198.51.100.7', 'a b', ''])
    it(`is refused where the name is none, such as "${name}"`, async () => {
      const refused = await createTunnel(client, { remote_endpoint: undefined, remote_hostname: name })
      assert.deepEqual([refused.status, codesOf(refused)], [422, { remote_hostname: 'INVALID_HOSTNAME' }])
    })

  it('needs an address or a name', async () => {
    for (const none of [{ remote_endpoint: undefined }, { remote_endpoint: undefined, remote_hostname: null }]) {
      const refused = await createTunnel(client, none)
      assert.deepEqual(codesOf(refused), { remote_endpoint: 'INVALID_ENDPOINT' })
    }
  })

  it('takes no other address beside the name, and the one that it leads to without effect', async () => {
    await dns.set({ [NAME]: [ONE, TWO] })
    const other = await createTunnel(client, { remote_hostname: NAME, remote_endpoint: THREE })
    assert.deepEqual([other.status, codesOf(other)], [422, { remote_endpoint: 'INVALID_ENDPOINT' }])
    assert.match(
      other.error.message,
      /^Refused: remote_endpoint is that of the name far\.test, which leads to 198\.51\.100\.7:/,
    )
    assert.equal((await made({ remote_endpoint: TWO })).remote_endpoint, TWO)
  })

  it('is previewed as it is made, and what was resolved makes exactly that', async () => {
    await dns.set({ [NAME]: [TWO, ONE] })
    const preview = await previewTunnel(client, NAMED)
    assert.equal(preview.status, 200, preview.text)
    const { resolved } = preview.body
    assert.deepEqual([resolved.remote_hostname, resolved.remote_endpoint], [NAME, ONE])
    assert.equal(panel.kernel.held.size, 0)
    await dns.set({ [NAME]: [THREE] })
    const moved = await client.post('/tunnels', resolved)
    assert.deepEqual([moved.status, codesOf(moved)], [422, { remote_endpoint: 'INVALID_ENDPOINT' }])
    await dns.set({ [NAME]: [TWO, ONE] })
    const done = await client.post<{ tunnel: TunnelView }>('/tunnels', resolved)
    assert.deepEqual([done.status, done.body.tunnel.remote_endpoint], [201, ONE])
  })

  it('can be given to a tunnel that has an address: without another address nothing is to confirm', async () => {
    await dns.set({ [NAME]: [ONE] })
    await createTunnel(client, { remote_endpoint: ONE })
    const { status, text, body } = await patchTunnel(client, 1, { remote_hostname: NAME })
    assert.equal(status, 200, text)
    assert.deepEqual([body.plan.steps, body.tunnel.remote_hostname, body.tunnel.remote_endpoint], [[], NAME, ONE])
    assert.equal(body.tunnel.remote_resolved_date, body.tunnel.updated_date)
  })

  it('needs the confirmation of every other endpoint where a new name leads elsewhere', async () => {
    await dns.set({ [NAME]: [ONE], 'other.test': [TWO] })
    await made()
    const unconfirmed = await patchTunnel(client, 1, { remote_hostname: 'other.test' })
    assert.deepEqual([unconfirmed.status, unconfirmed.error.code], [409, 'CONFIRM_RECREATE_REQUIRED'])
    assert.equal(farEnd(), ONE)
    const { status, body } = await patchTunnel(client, 1, { remote_hostname: 'other.test', confirm_recreate: true })
    assert.deepEqual(
      [status, body.plan.steps.map(({ kind }) => kind), farEnd()],
      [200, ['link_set', 'file_write'], TWO],
    )
  })

  it('is foreseen as it is changed, and nothing of it is done', async () => {
    await dns.set({ [NAME]: [ONE], 'other.test': [TWO] })
    const { updated_date } = await made()
    const body = { remote_hostname: 'other.test' }
    const {
      status,
      text,
      body: answer,
    } = await client.post<ImpactAnswer>('/impact', {
      ...{ method: 'PATCH', path: '/tunnels/1', body },
    })
    assert.equal(status, 200, text)
    assert.deepEqual(
      [answer.plan?.steps.map(({ kind }) => kind), answer.warnings.map(({ code }) => code)],
      [['link_set', 'file_write'], ['FAR_END_IS_A_NAME']],
    )
    const { remote_hostname, updated_date: now } = (await getTunnel(client, 1)).body
    assert.deepEqual([remote_hostname, now, farEnd()], [NAME, updated_date, ONE])
  })

  it('keeps its address through other changes, whatever the name resolves to meanwhile', async () => {
    await dns.set({ [NAME]: [ONE] })
    await made()
    await dns.set({})
    const { status, text, body } = await patchTunnel(client, 1, { ttl: 9, remote_hostname: NAME, remote_endpoint: ONE })
    assert.equal(status, 200, text)
    assert.deepEqual([body.tunnel.remote_endpoint, body.tunnel.ttl], [ONE, 9])
  })

  it('takes no address of its own while it has a name, and keeps the last one without it', async () => {
    await dns.set({ [NAME]: [ONE] })
    await made()
    const refused = await patchTunnel(client, 1, { remote_endpoint: TWO, confirm_recreate: true })
    assert.deepEqual([refused.status, codesOf(refused)], [422, { remote_endpoint: 'INVALID_ENDPOINT' }])
    const { body } = await patchTunnel(client, 1, { remote_hostname: null })
    const { remote_hostname, remote_endpoint, remote_resolved_date } = body.tunnel
    assert.deepEqual([remote_hostname, remote_endpoint, remote_resolved_date], [null, ONE, null])
    const both = { remote_hostname: null, remote_endpoint: TWO, confirm_recreate: true }
    assert.equal((await patchTunnel(client, 1, both)).body.tunnel.remote_endpoint, TWO)
  })

  it('is resolved in the other family where its type becomes one of that', async () => {
    await dns.set({ [NAME]: [ONE, '2001:db8::7'] })
    await made()
    const six = { tunnel_type_id: IP6GRE, local_endpoint: '2001:db8::1', confirm_recreate: true }
    const { status, text, body } = await patchTunnel(client, 1, six)
    assert.equal(status, 200, text)
    assert.equal(body.tunnel.remote_endpoint, '2001:db8::7')
  })

  it('tells the other server its own address by a pairing code, which has no name', async () => {
    await dns.set({ [NAME]: [ONE] })
    await made()
    const { pairing_code } = (await client.get<{ pairing_code: string }>('/tunnels/1/pairing-code')).body
    const { body } = await client.post<{ tunnel: object }>('/tunnels/from-pairing-code', { pairing_code })
    const { local_endpoint, remote_endpoint, remote_hostname } = body.tunnel as TunnelView
    assert.deepEqual([local_endpoint, remote_endpoint, remote_hostname], [ONE, OWN, undefined])
  })

  describe('in a backup', () => {
    let backup: BackupDocument
    beforeEach(async () => {
      await dns.set({ [NAME]: [ONE] })
      await made()
      backup = await exportOf(client)
      assert.equal((await client.delete('/tunnels/1')).status, 200)
    })
    const restored = async (): Promise<TunnelView> => {
      const imported = await importInto(client, backup)
      assert.deepEqual([imported.status, became(imported, 'tunnel')], [200, { 'gre-a-1': 'create' }])
      return (await getTunnel(client, 2)).body
    }

    it('comes back with its name, and with what that leads to now', async () => {
      await dns.set({ [NAME]: [TWO] })
      const { remote_hostname, remote_endpoint } = await restored()
      assert.deepEqual([remote_hostname, remote_endpoint], [NAME, TWO])
    })

    it('comes back with the address that it had where the name does not resolve', async () => {
      await dns.set({})
      const { remote_hostname, remote_endpoint } = await restored()
      assert.deepEqual([remote_hostname, remote_endpoint], [NAME, ONE])
    })
  })
})

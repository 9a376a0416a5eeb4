// A value that makes no sense has one answer, in a preview, a creation and a change, and in an import where it is an
// item's; and a message shows a value as it was sent.
import assert from 'node:assert/strict'
import { importInto, exportOf } from './support/backup.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute, patchRoute, previewRoute } from './support/routes.ts'
import { addAddress, createTunnel, patchTunnel, previewTunnel } from './support/tunnels.ts'

interface Reported {
  readonly field: string
  readonly code: string
  readonly message: string
}

const faultsOf = ({ status, error, text }: Reply<unknown>): Reported[] => {
  assert.equal(status, 422, text)
  return (error.details['fields'] as Reported[]).map(({ field, code, message }) => ({ field, code, message }))
}

describe('A value that makes no sense', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    panel.kernel.hostInterfaces = panel.kernel.hostInterfaces.map((one) =>
      one.name === 'eth0' ? { ...one, addresses: [...one.addresses, '203.0.113.9/24'] } : one,
    )
  })
  afterEach(() => panel.close())

  const one = (address: string, prefix_length: number, more: object = {}) => ({ address, prefix_length, ...more })

  for (const [what, body, field, code] of [
    ['an empty tag', { tags: ['a', ''] }, 'tags.1', 'INVALID_VALUE'],
    ['a tag of blanks', { tags: ['  '] }, 'tags.0', 'INVALID_VALUE'],
    ['the same tag twice', { tags: ['a', 'b', 'a'] }, 'tags', 'INVALID_VALUE'],
    ['a remote endpoint of this server', { remote_endpoint: '203.0.113.9' }, 'remote_endpoint', 'INVALID_ENDPOINT'],
    [
      'a broadcast address as remote endpoint',
      { remote_endpoint: '203.0.113.255' },
      'remote_endpoint',
      'INVALID_ENDPOINT',
    ],
    ['a network address as remote endpoint', { remote_endpoint: '203.0.113.0' }, 'remote_endpoint', 'INVALID_ENDPOINT'],
    [
      'two primary addresses',
      { addresses: [one('10.9.0.1', 30, { is_primary: true }), one('10.9.1.1', 30, { is_primary: true })] },
      'addresses.1.is_primary',
      'INVALID_VALUE',
    ],
    ['an IPv4-mapped address', { addresses: [one('::ffff:10.9.0.1', 126)] }, 'addresses.0.address', 'INVALID_ADDRESS'],
    [
      'a subnet that is too wide',
      { addresses: [one('10.9.0.1', 8)] },
      'addresses.0.prefix_length',
      'INVALID_PREFIX_LENGTH',
    ],
    ['the name "all"', { interface_name: 'all' }, 'interface_name', 'INTERFACE_NAME_RESERVED'],
    ['the name of a card', { interface_name: 'ens3' }, 'interface_name', 'INTERFACE_NAME_RESERVED'],
  ] as const)
    it(`is ${what} of a tunnel, and is refused alike by preview, creation and change`, async () => {
      const [first, ...more] = faultsOf(await previewTunnel(client, body))
      assert.deepEqual([first?.field, first?.code, more], [field, code, []])
      assert.deepEqual(faultsOf(await createTunnel(client, body)), [first])
      await createTunnel(client)
      assert.deepEqual(faultsOf(await patchTunnel(client, 1, { ...body, confirm_recreate: true })), [first])
    })

  it('fails its item of an import in the same words', async () => {
    await createTunnel(client)
    const backup = await exportOf(client)
    const [{ interface_name: _, ...tunnel }] = backup.tunnels as unknown as [Record<string, unknown>]
    const body = { addresses: [one('10.9.0.1', 30)], interface_name: 'ens3', remote_endpoint: '198.51.100.77' }
    const { error } = await previewTunnel(client, { ...tunnel, ...body, tunnel_number: null })
    const { body: answer } = await importInto(client, {
      ...backup,
      tunnels: [{ ...tunnel, ...body, tunnel_number: null }],
    })
    const failed = answer.actions.find(({ kind, target }) => kind === 'tunnel' && target === 'ens3')
    assert.deepEqual([failed?.action, failed?.error?.message], ['failed', error.message])
  })

  for (const [what, body, field, code] of [
    ['the same tag twice', { tags: ['a', 'a'] }, 'tags', 'INVALID_VALUE'],
    ['an empty tag', { tags: [''] }, 'tags.0', 'INVALID_VALUE'],
    [
      'an IPv4-mapped SNAT address',
      { nat_mode_id: 20, snat_address: '::ffff:192.0.2.1' },
      'snat_address',
      'INVALID_SNAT_ADDRESS',
    ],
    ['an IPv4-mapped bind address', { bind_address: '::ffff:192.0.2.1' }, 'bind_address', 'INVALID_BIND_ADDRESS'],
    [
      'an IPv4-mapped source',
      { allowed_sources: [{ cidr: '::ffff:192.0.2.0/120' }] },
      'allowed_sources.0.cidr',
      'INVALID_CIDR',
    ],
  ] as const)
    it(`is ${what} of a rule, and is refused alike by preview, creation and change`, async () => {
      const [first] = faultsOf(await previewRoute(client, body))
      assert.deepEqual([first?.field, first?.code], [field, code])
      assert.deepEqual(faultsOf(await createRoute(client, body))[0], first)
      await createRoute(client)
      assert.deepEqual(faultsOf(await patchRoute(client, 1, body))[0], first)
    })

  it('is a pool of which no tunnel could have an address', async () => {
    for (const cidr of [
      '224.0.0.0/8',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '240.0.0.0/4',
      '0.0.0.0/8',
      'fe80::/10',
      'ff00::/8',
      '::ffff:0:0/96',
      '224.0.0.0/3',
    ]) {
      const refused = faultsOf(
        await client.post('/pools', { address_pool_title: 'x', cidr, prefix_length: cidr.includes(':') ? 126 : 30 }),
      )
      assert.deepEqual(refused, [
        { field: 'cidr', code: 'INVALID_CIDR', message: `${cidr} holds no address that an end of a tunnel can have.` },
      ])
    }
  })

  it('is SNAT, which needs an address, as what a rule has by default', async () => {
    const { status, error } = await client.put('/settings', { 'routes.default_nat_mode': 20 })
    assert.deepEqual([status, error.field], [422, 'routes.default_nat_mode'])
  })

  it('is a naming template whose names a network card can get', async () => {
    const { status, error } = await client.put('/settings', { 'tunnel.naming_template': 'eth{number}' })
    assert.equal(status, 422)
    assert.match(JSON.stringify(error), /eth999, which is a name that a network card can get/)
  })

  it('is shown as it was sent, before one full stop', async () => {
    const [bad] = faultsOf(await createRoute(client, { destination_address: 'fd00::1%eth0' }))
    assert.equal(bad?.message, 'fd00::1%eth0 is not an IP address.')
    await createTunnel(client)
    const [added] = faultsOf(await addAddress(client, 1, one('Fd00::1%eth0', 64)))
    assert.equal(added?.message, 'Fd00::1%eth0 is not an IP address.')
  })
})

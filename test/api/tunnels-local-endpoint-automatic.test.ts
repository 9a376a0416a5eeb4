// Tunnels whose own end is what the route to the other server has (reference.md, Tunnels; decisions.md, T49).
import assert from 'node:assert/strict'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import { fakeInterface } from '../support/fake-interfaces.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { became, exportOf, importInto } from './support/backup.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { codesOf, createTunnel, getTunnel, patchTunnel, previewTunnel } from './support/tunnels.ts'

const [OWN, OTHER] = ['192.0.2.1', '203.0.113.7'] as const
const [FAR, FURTHER] = ['198.51.100.7', '198.51.100.8'] as const
const AUTOMATIC = { local_endpoint: null } as const

describe('A tunnel whose own end is automatic', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const made = async (body: object = {}): Promise<TunnelView> => {
    const { status, text, body: answer } = await createTunnel(client, { ...AUTOMATIC, ...body })
    assert.equal(status, 201, text)
    return answer.tunnel
  }
  const ends = async (): Promise<unknown> => {
    const { local_endpoint, is_local_endpoint_automatic } = (await getTunnel(client, 1)).body
    return [local_endpoint, is_local_endpoint_automatic, panel.kernel.held.get('gre-a-1')?.state?.config.local_endpoint]
  }
  const routed = (...routes: RoutingEntry[]): void => void (panel.kernel.hostRoutes = routes)
  const hasUplink = (...addresses: string[]): void => {
    panel.kernel.hostInterfaces.push(fakeInterface('ppp0', 7, 'other', addresses))
    routed(fakeRoute('0.0.0.0/0', 'ppp0'), fakeRoute('::/0', 'ppp0'))
  }
  const problemOf = ({ status, error }: Reply<unknown>): unknown => [
    status,
    ((error.details['fields'] ?? []) as { field: string; code: string; message: string }[]).map(
      ({ field, code, message }) => [field, code, message],
    ),
  ]
  const refusedWith = (text: string, code = 'ENDPOINT_UNRESOLVED'): unknown => [422, [['local_endpoint', code, text]]]

  it('has the first address of the interface that the route leaves by, and says that it is automatic', async () => {
    const { local_endpoint, is_local_endpoint_automatic, local_endpoint_problem } = await made()
    assert.deepEqual([local_endpoint, is_local_endpoint_automatic, local_endpoint_problem], [OWN, true, ''])
    assert.deepEqual(await ends(), [OWN, true, OWN])
  })

  it('has the source address of the route, if that has one', async () => {
    panel.kernel.hostInterfaces.push(fakeInterface('dummy0', 8, 'other', [`${OTHER}/32`]))
    routed({ ...fakeRoute('0.0.0.0/0', 'eth0'), source: OTHER })
    assert.equal((await made()).local_endpoint, OTHER)
  })

  it('has an address in the network of the next hop before others', async () => {
    panel.kernel.hostInterfaces = [fakeInterface('eth0', 2, 'physical', ['10.0.0.2/24', '192.0.2.9/24'])]
    assert.equal((await made()).local_endpoint, '192.0.2.9')
  })

  for (const [at, kind] of ['gre', 'gretap', 'ip6gre', 'ip6gretap'].entries())
    it(`has one of the family of its type: ${kind}`, async () => {
      hasUplink('fe80::7/64', '203.0.113.7/32', '2001:db8:7::1/64')
      const isSix = at > 1
      const remote = isSix ? { remote_endpoint: '2001:db8:9::9' } : {}
      const { local_endpoint } = await made({ tunnel_type_id: (at + 1) * 10, ...remote })
      assert.equal(local_endpoint, isSix ? '2001:db8:7::1' : OTHER)
    })

  it('has that of the interface that it is bound to', async () => {
    panel.kernel.hostInterfaces.push(fakeInterface('ppp0', 7, 'other', [`${OTHER}/32`]))
    assert.equal((await made({ bind_device: 'ppp0', fwmark: 5 })).local_endpoint, OTHER)
  })

  it('is not meant by a request that leaves the address out, or says both', async () => {
    assert.deepEqual(
      problemOf(await createTunnel(client, { local_endpoint: undefined })),
      refusedWith('local_endpoint must be an IP address, or null.', 'INVALID_ENDPOINT'),
    )
    assert.deepEqual(
      problemOf(await createTunnel(client, { ...AUTOMATIC, is_local_endpoint_automatic: false })),
      refusedWith('local_endpoint must be an address where it is not automatic.', 'INVALID_ENDPOINT'),
    )
    const { tunnel } = (await createTunnel(client)).body
    assert.deepEqual([tunnel.local_endpoint, tunnel.is_local_endpoint_automatic], [OWN, false])
  })

  for (const [what, prepare, text] of [
    [
      'there is no route',
      () => routed(),
      `This server has no route to ${FAR}. Add one, or enter the address that the tunnel is to have.`,
    ],
    [
      'the interface has no address of the family',
      () => hasUplink('fe80::7/64', '2001:db8:7::1/64'),
      `What goes to ${FAR} leaves by ppp0, which has no IPv4 address that a tunnel can have. Give it one, or enter the address that the tunnel is to have.`,
    ],
    [
      'the route has several next hops',
      () => routed({ ...fakeRoute('0.0.0.0/0', 'eth0'), has_several_hops: true }),
      `The route to ${FAR} has several next hops and no source address. Give it one with "src", or enter the address that the tunnel is to have.`,
    ],
    [
      'the source of the route is a loopback address',
      () => routed({ ...fakeRoute('0.0.0.0/0', 'eth0'), source: '127.0.0.5' }),
      'local_endpoint must not be a loopback address.',
      'INVALID_ENDPOINT',
    ],
  ] as const)
    it(`is refused where ${what}, and nothing is made`, async () => {
      prepare()
      const code = text.startsWith('local_endpoint') ? 'INVALID_ENDPOINT' : 'ENDPOINT_UNRESOLVED'
      for (const request of [createTunnel, previewTunnel])
        assert.deepEqual(problemOf(await request(client, AUTOMATIC)), refusedWith(text, code))
      assert.deepEqual([panel.kernel.held.size, panel.kernel.changes], [0, []])
    })

  it('adds no problem of its own to a far end that is none', async () => {
    for (const [remote_endpoint, code] of [
      ['127.0.0.1', 'INVALID_ENDPOINT'],
      [OWN, 'INVALID_ENDPOINT'],
      ['2001:db8:9::9', 'ENDPOINT_FAMILY_MISMATCH'],
      ['far', 'INVALID_ENDPOINT'],
    ] as const)
      assert.deepEqual(codesOf(await createTunnel(client, { ...AUTOMATIC, remote_endpoint })), {
        remote_endpoint: code,
      })
  })

  it('keeps its address through changes while the far end is an address of this server', async () => {
    await made()
    panel.kernel.hostInterfaces.push(fakeInterface('dummy0', 8, 'other', [`${FAR}/32`]))
    assert.equal((await patchTunnel(client, 1, { ttl: 9 })).status, 200)
    await patchTunnel(client, 1, { is_local_endpoint_automatic: false })
    assert.equal((await patchTunnel(client, 1, AUTOMATIC)).status, 200)
    assert.deepEqual(await ends(), [OWN, true, OWN])
  })

  it('is refused for packets with a mark, whose route may be another', async () => {
    assert.deepEqual(
      problemOf(await createTunnel(client, { ...AUTOMATIC, fwmark: 5 })),
      refusedWith(
        `Packets with a mark can take another route to ${FAR} than the others do. Bind the tunnel to an interface, or enter the address that it is to have.`,
      ),
    )
  })

  it('is refused for a route through the tunnel itself, and through another one that it carries', async () => {
    await made({ remote_endpoint: FAR, ikey: 1, okey: 1 })
    await createTunnel(client, { remote_endpoint: '203.0.113.50', ikey: 2, okey: 2 })
    routed(...panel.kernel.hostRoutes, fakeRoute(`${FURTHER}/32`, 'gre-a-1'))
    const elsewhere = { remote_endpoint: FURTHER, confirm_recreate: true }
    const text = (device: string): string =>
      `The route to ${FURTHER} leads through the tunnel itself, by ${device}. Add one that does not, or enter the address that the tunnel is to have.`
    assert.deepEqual(problemOf(await patchTunnel(client, 1, elsewhere)), refusedWith(text('gre-a-1')))
    routed(
      fakeRoute('0.0.0.0/0', 'eth0'),
      fakeRoute(`${FURTHER}/32`, 'gre-a-2'),
      fakeRoute('203.0.113.50/32', 'gre-a-1'),
    )
    assert.deepEqual(problemOf(await patchTunnel(client, 1, elsewhere)), refusedWith(text('gre-a-2')))
    assert.deepEqual(await ends(), [OWN, true, OWN])
  })

  it('is previewed as it is made, and what was resolved makes exactly that', async () => {
    const { status, text, body } = await previewTunnel(client, AUTOMATIC)
    assert.equal(status, 200, text)
    assert.deepEqual([body.resolved.local_endpoint, body.resolved.is_local_endpoint_automatic], [OWN, true])
    assert.equal(panel.kernel.held.size, 0)
    assert.equal((await client.post('/tunnels', body.resolved)).status, 201)
    assert.deepEqual(await ends(), [OWN, true, OWN])
  })

  it('takes no other address beside the choice', async () => {
    assert.deepEqual(
      problemOf(await createTunnel(client, { local_endpoint: OTHER, is_local_endpoint_automatic: true })),
      refusedWith(
        `local_endpoint is automatic, and the route to the other server has ${OWN}: leave the address out, or enter one in the place of the automatic choice.`,
        'INVALID_ENDPOINT',
      ),
    )
  })

  it('stays so where the whole record is sent back', async () => {
    await made()
    const { body: all } = await getTunnel(client, 1)
    const { local_endpoint, is_local_endpoint_automatic, remote_endpoint, ikey, okey } = all
    const body = { local_endpoint, is_local_endpoint_automatic, remote_endpoint, ikey, okey, note: 'sent back' }
    assert.equal((await patchTunnel(client, 1, body)).status, 200)
    assert.deepEqual(await ends(), [OWN, true, OWN])
  })

  it('keeps its address through other changes, wherever the route leads meanwhile', async () => {
    await made()
    hasUplink(`${OTHER}/32`)
    assert.equal((await patchTunnel(client, 1, { ttl: 9, note: 'other' })).status, 200)
    assert.deepEqual(await ends(), [OWN, true, OWN])
  })

  it('has the address of the route to another far end that is given', async () => {
    await made()
    panel.kernel.hostInterfaces.push(fakeInterface('ppp0', 7, 'other', [`${OTHER}/32`]))
    panel.kernel.hostRoutes.push(fakeRoute(`${FURTHER}/32`, 'ppp0'))
    const { status, text } = await patchTunnel(client, 1, { remote_endpoint: FURTHER, confirm_recreate: true })
    assert.equal(status, 200, text)
    assert.deepEqual(await ends(), [OTHER, true, OTHER])
  })

  for (const [what, body, after] of [
    ['by an address that is sent by itself', { local_endpoint: OTHER, confirm_recreate: true }, OTHER],
    ['by the address in use, sent by itself', { local_endpoint: OWN }, OWN],
    ['at the address in use by is_local_endpoint_automatic false', { is_local_endpoint_automatic: false }, OWN],
  ] as const)
    it(`is fixed ${what}`, async () => {
      await made()
      const { status, text } = await patchTunnel(client, 1, body)
      assert.equal(status, 200, text)
      assert.deepEqual(await ends(), [after, false, after])
    })

  it('is given to a tunnel that has an address: without another address nothing is to confirm', async () => {
    await createTunnel(client)
    assert.equal((await patchTunnel(client, 1, AUTOMATIC)).status, 200)
    assert.deepEqual(await ends(), [OWN, true, OWN])
  })

  it('needs the confirmation of every other endpoint where the route has another address', async () => {
    await createTunnel(client)
    hasUplink(`${OTHER}/32`)
    const { status, error } = await patchTunnel(client, 1, AUTOMATIC)
    assert.deepEqual([status, error.code], [409, 'CONFIRM_RECREATE_REQUIRED'])
    assert.deepEqual(await ends(), [OWN, false, OWN])
    assert.equal((await patchTunnel(client, 1, { ...AUTOMATIC, confirm_recreate: true })).status, 200)
    assert.deepEqual(await ends(), [OTHER, true, OTHER])
  })

  it('is foreseen as it is changed, and nothing of it is done', async () => {
    await createTunnel(client)
    hasUplink(`${OTHER}/32`)
    const request = { method: 'PATCH', path: '/tunnels/1', body: { ...AUTOMATIC, confirm_recreate: true } }
    const { status, body, text } = await client.post<ImpactAnswer>('/impact', request)
    assert.equal(status, 200, text)
    assert.deepEqual(
      body.plan?.steps.map(({ kind }) => kind),
      ['link_set', 'file_write'],
    )
    assert.deepEqual(await ends(), [OWN, false, OWN])
  })

  it('tells the other server the address in use by a pairing code', async () => {
    await made()
    const { body } = await client.get<{ pairing_code: string; summary: object }>('/tunnels/1/pairing-code')
    assert.equal((body.summary as { local_endpoint: string }).local_endpoint, OWN)
    const decoded = (
      await client.post<{ tunnel: object }>('/tunnels/from-pairing-code', { pairing_code: body.pairing_code })
    ).body.tunnel
    assert.equal((decoded as { remote_endpoint: string }).remote_endpoint, OWN)
    assert.ok(!('is_local_endpoint_automatic' in decoded))
  })

  describe('in a backup', () => {
    let backup: BackupDocument
    beforeEach(async () => {
      await made()
      backup = await exportOf(client)
      assert.equal((await client.delete('/tunnels/1')).status, 200)
    })
    const restored = async (): Promise<unknown> => {
      const imported = await importInto(client, backup)
      assert.deepEqual([imported.status, became(imported, 'tunnel')], [200, { 'gre-a-1': 'create' }])
      const { local_endpoint, is_local_endpoint_automatic } = (await getTunnel(client, 2)).body
      return [local_endpoint, is_local_endpoint_automatic]
    }

    it('comes back automatic, with what the route has there', async () => {
      hasUplink(`${OTHER}/32`)
      assert.deepEqual(await restored(), [OTHER, true])
    })

    it('comes back with the address that it had where there is no route', async () => {
      routed()
      assert.deepEqual(await restored(), [OWN, true])
    })
  })
})

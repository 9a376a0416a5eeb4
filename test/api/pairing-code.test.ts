// What a server says of its tunnels for the other end: the code and the side (reference.md, Tunnels; decisions.md, R26
// to R28, R30).
import assert from 'node:assert/strict'
import type { SideInfoAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { decodePairingCode } from '@panel/web-daemon/features/tunnels/pairing/code.ts'
import type { Client } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { A, B, assertMirrored, codeOf, dressed, made, pairedBy, startPair, understood } from './support/pairing.ts'
import { deleteTunnel, getTunnel } from './support/tunnels.ts'

describe('A pairing code and its server', () => {
  let panelA: TestPanel
  let panelB: TestPanel
  let a: Client
  let b: Client
  beforeEach(async () => {
    ;({ panelA, panelB, a, b } = await startPair())
  })
  afterEach(() => Promise.all([panelA.close(), panelB.close()]))

  const paired = (onA: TunnelView): Promise<TunnelView> => pairedBy(a, b, onA)

  describe('GET /tunnels/{id}/pairing-code', () => {
    it('gives a code that starts with v1., with a summary of both sides, and says that it is not for public posting', async () => {
      const tunnel = await made(a)
      const { pairing_code, summary, note } = await codeOf(a, 1)
      assert.match(pairing_code, /^v1\.[A-Za-z0-9_-]{100,397}$/)
      assert.deepEqual(summary, {
        tunnel_type: 'GRE',
        from_side: 'A',
        to_side: 'B',
        local_endpoint: A.address,
        remote_endpoint: B.address,
        mtu: 1472,
        ttl: 255,
        ikey: tunnel.ikey,
        okey: tunnel.okey,
      })
      assert.match(note, /not a credential.*public/)
    })

    it('carries the addresses themselves and the pool by its range, and no id of this server', async () => {
      const { ikey, okey } = await made(a)
      assert.deepEqual(decodePairingCode((await codeOf(a, 1)).pairing_code), {
        v: 1,
        type: 10,
        side: 10,
        name: 'gre-a-1',
        tmpl: true,
        num: 1,
        local: A.address,
        remote: B.address,
        ttl: 255,
        tos: 'inherit',
        mtu: 1472,
        ikey,
        okey,
        addr: [{ a: '172.17.1.1', b: '172.17.1.2', len: 30, primary: true }],
        pool_cidr: '172.17.0.0/16',
        pool_len: 30,
        pool_title: 'Private 172.17',
      })
    })

    it('of a tunnel that is not there, or no more, is 404', async () => {
      await made(a)
      await deleteTunnel(a, 1)
      for (const id of [1, 2]) assert.equal((await a.get(`/tunnels/${id}/pairing-code`)).status, 404)
    })

    it('of a tunnel whose only address leaves no room for the other end is 409: there is nothing to mirror', async () => {
      await made(a, { addresses: [{ address: '10.9.0.1', prefix_length: 32 }] })
      const { status, error } = await a.get('/tunnels/1/pairing-code')
      assert.deepEqual([status, error.code, error.field], [409, 'CONFLICT', 'addresses'])
    })
  })

  describe('GET /tunnels/side-info', () => {
    it('tells both slots, what must be identical, and that a mismatched pair appears up while carrying no traffic', async () => {
      const { status, body } = await a.get<SideInfoAnswer>('/tunnels/side-info')
      assert.equal(status, 200)
      assert.deepEqual(
        body.sides.map(({ slot, address_in_subnet, name_substitution }) => [
          slot,
          address_in_subnet,
          name_substitution,
        ]),
        [
          ['a', 'first', 'a'],
          ['b', 'second', 'b'],
        ],
      )
      assert(body.sides.every(({ label, endpoints }) => label !== '' && endpoints !== ''))
      for (const words of [
        /arbitrary/,
        /A on the first server/,
        /B on the second/,
        /mismatched pair.*appears up while carrying no traffic/,
      ])
        assert.match(body.summary, words)
      assert(body.identical_on_both_ends.length > 0)
      assert.deepEqual(body.tunnel_side_ids, { a: 10, b: 20 })
    })
  })

  describe('Old failures of such panels', () => {
    it('a generated name that collides with a hand-addressed tunnel: the next free number is taken', async () => {
      await made(b, {
        interface_name: 'gre-b-1',
        remote_endpoint: '203.0.113.5',
        addresses: [{ address: '10.99.0.1', prefix_length: 30 }],
      })
      panelB.kernel.plant('gre-b-2', { kind: 'gre' })
      const onA = await made(a)
      const onB = await paired(onA)
      assert.deepEqual([onB.interface_name, onB.tunnel_number, onB.is_name_templated], ['gre-b-3', 3, true])
      assertMirrored(onA, onB)
    })

    it("a pairing code that imposes the far end's pool id: an id in a code means nothing", async () => {
      await made(a)
      const content = decodePairingCode((await codeOf(a, 1)).pairing_code) as Record<string, unknown>
      assert(!Object.keys(content).some((name) => name.includes('pool_id')))
      const { tunnel } = await understood(b, dressed({ ...content, pool_id: 30, address_pool_id: 30 }))
      assert.equal(tunnel.address_pool_id, 10)
    })

    it('both ends on different subnets: the addresses of the code hold, whatever this server would give next', async () => {
      for (const n of [1, 2, 3])
        await made(b, { remote_endpoint: `203.0.113.${n}`, local_endpoint: B.address, address_pool_id: 20 })
      const onA = await made(a)
      const onB = await paired(onA)
      assertMirrored(onA, onB)
      assert.equal(onB.addresses[0]?.address, '172.17.1.2')
    })

    it('both ends on different subnets: where the subnet is taken here, the tunnel is refused rather than moved', async () => {
      await made(b, {
        remote_endpoint: '203.0.113.1',
        local_endpoint: B.address,
        addresses: [{ address: '172.17.1.1', peer_address: '172.17.1.2', prefix_length: 30 }],
      })
      await made(a)
      const { tunnel } = await understood(b, (await codeOf(a, 1)).pairing_code)
      const { status, error } = await b.post('/tunnels', tunnel)
      assert.deepEqual([status, error.field], [422, 'addresses.0.address'])
    })

    it('two tunnels between the same endpoints without keys given: each has a key of its own, on both ends', async () => {
      const onA = [await made(a), await made(a)]
      const onB = [await paired(onA[0]!), await paired(onA[1]!)]
      onA.forEach((tunnel, at) => assertMirrored(tunnel, onB[at]!))
      assert.notEqual(onA[0]?.ikey, onA[1]?.ikey)
      assert.deepEqual((await getTunnel(b, 2)).body.ikey, onA[1]?.okey)
    })
  })
})

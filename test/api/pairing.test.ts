// A tunnel made from a pairing code: two panels, and between them nothing but the code (reference.md, Tunnels;
// decisions.md, R26 to R28, R30).
import assert from 'node:assert/strict'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { decodePairingCode } from '@panel/web-daemon/features/tunnels/pairing/code.ts'
import type { Client } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import {
  A,
  B,
  assertMirrored,
  codeOf,
  dressed,
  made,
  pairedBy,
  posted,
  read,
  startPair,
  understood,
} from './support/pairing.ts'
import { listTunnels } from './support/tunnels.ts'

describe('Pairing', () => {
  let panelA: TestPanel
  let panelB: TestPanel
  let a: Client
  let b: Client
  beforeEach(async () => {
    ;({ panelA, panelB, a, b } = await startPair())
  })
  afterEach(() => Promise.all([panelA.close(), panelB.close()]))

  const paired = (onA: TunnelView): Promise<TunnelView> => pairedBy(a, b, onA)

  describe('POST /tunnels/from-pairing-code', () => {
    it("gives the tunnel with side flipped, endpoints and addresses mirrored and the name from this server's template, and creates nothing", async () => {
      const onA = await made(a)
      const { pairing_code, summary } = await codeOf(a, 1)
      const { tunnel, warnings, ...rest } = await understood(b, pairing_code)
      assert.deepEqual(tunnel, {
        tunnel_type_id: 10,
        tunnel_side_id: 20,
        tunnel_number: 1,
        interface_name: 'gre-b-1',
        local_endpoint: B.address,
        remote_endpoint: A.address,
        mtu: 1472,
        ttl: 255,
        tos: 'inherit',
        ikey: onA.okey,
        okey: onA.ikey,
        has_input_checksum: false,
        has_output_checksum: false,
        has_input_sequence: false,
        has_output_sequence: false,
        is_path_mtu_discovery: false,
        is_ignore_df: false,
        is_answered_through: true,
        address_pool_id: 10,
        addresses: [{ address: '172.17.1.2', peer_address: '172.17.1.1', prefix_length: 30, is_primary: true }],
      })
      assert.deepEqual([rest.summary, warnings.map(({ code }) => code)], [summary, ['ANSWERED_THROUGH']])
      assert.match(rest.note, /Nothing has been made/)
      assert.deepEqual([panelB.kernel.changes, (await listTunnels(b)).body.total], [[], 0])
      assert.deepEqual(
        await panelB.db.selectFrom('audit_log').select('audit_action_id').where('audit_action_id', '=', 40).execute(),
        [],
      )
    })

    it('whose tunnel is posted makes exactly the mirrored tunnel, of every kind and with every flag', async () => {
      const tunnels = [
        {},
        { tunnel_side_id: 20 },
        {
          ikey: 5,
          okey: null,
          has_input_checksum: true,
          has_output_sequence: true,
          is_path_mtu_discovery: true,
          tos: '0x10',
          ttl: 0,
          is_multicast: true,
        },
        { tunnel_type_id: 20, ikey: null, is_ignore_df: true, mtu: 1400 },
        {
          tunnel_type_id: 30,
          local_endpoint: A.address6,
          remote_endpoint: B.address6,
          hop_limit: 9,
          encap_limit: 4,
          traffic_class: '0x20',
          addresses: [
            { address: '10.9.0.1', peer_address: '10.9.0.2', prefix_length: 30 },
            { address: 'fd00::1', peer_address: 'fd00::2', prefix_length: 126, is_primary: true },
          ],
        },
        {
          tunnel_type_id: 40,
          local_endpoint: A.address6,
          remote_endpoint: B.address6,
          interface_name: 'to-berlin',
          addresses: [{ address: '10.8.0.1', peer_address: '10.8.0.2', prefix_length: 32 }],
        },
      ]
      for (const body of tunnels) {
        const onA = await made(a, body)
        const onB = await paired(onA)
        assertMirrored(onA, onB)
        const back = await understood(a, (await codeOf(b, onB.tunnel_id)).pairing_code)
        assert.deepEqual(
          back.tunnel.addresses?.map(({ address, peer_address }) => [address, peer_address]),
          onA.addresses.map(({ address, peer_address }) => [address, peer_address]),
        )
      }
    })

    it('warns both servers of an end whose private address the other one, which is public, cannot reach', async () => {
      const codes = ({ warnings }: { warnings: readonly Warning[] }): string[] =>
        warnings.map(({ code, field }) => `${code} ${field}`)
      await made(a, { local_endpoint: '10.0.0.5', force: true })
      const code = await codeOf(a, 1)
      assert.deepEqual(codes(code), ['PRIVATE_ENDPOINT local_endpoint'])
      assert.match(code.warnings[0]?.message ?? '', /10\.0\.0\.5 .*public address/)
      assert.deepEqual(codes(await understood(b, code.pairing_code)), [
        'PRIVATE_ENDPOINT remote_endpoint',
        'ANSWERED_THROUGH is_answered_through',
      ])
      await made(a, { local_endpoint: '10.0.0.5', remote_endpoint: '10.0.9.9', force: true })
      assert.deepEqual(codes(await codeOf(a, 2)), [])
      await made(a)
      assert.deepEqual(codes(await codeOf(a, 3)), [])
    })

    it('takes the effective traffic class over', async () => {
      const onA = await made(a, {
        tunnel_type_id: 30,
        local_endpoint: A.address6,
        remote_endpoint: B.address6,
        traffic_class: '0x20',
      })
      const onB = await paired(onA)
      const tos = (panel: TestPanel, name: string) => panel.kernel.held.get(name)?.state?.config.tos
      assert.deepEqual([tos(panelA, onA.interface_name), tos(panelB, onB.interface_name)], ['0x20', '0x20'])
    })

    it('matches the pool by its range, never by its id, and without one warns POOL_NOT_FOUND and gives null', async () => {
      await a.post('/pools', { address_pool_title: 'Mine', cidr: '10.77.0.0/16', prefix_length: 31 })
      await b.post('/pools', { address_pool_title: 'Another with that id', cidr: '10.66.0.0/16', prefix_length: 30 })
      const onA = await made(a, { address_pool_id: 41 })
      const { pairing_code } = await codeOf(a, 1)
      const first = await understood(b, pairing_code)
      assert.deepEqual(
        [first.tunnel.address_pool_id, first.warnings.map(({ code, field }) => [code, field])],
        [
          null,
          [
            ['POOL_NOT_FOUND', 'address_pool_id'],
            ['ANSWERED_THROUGH', 'is_answered_through'],
          ],
        ],
      )
      await b.post('/pools', {
        address_pool_title: 'Same range, cut otherwise',
        cidr: '10.77.0.0/16',
        prefix_length: 30,
      })
      assert.equal((await understood(b, pairing_code)).tunnel.address_pool_id, 42)
      await b.post('/pools', { address_pool_title: 'The same', cidr: '10.77.0.0/16', prefix_length: 31 })
      const second = await understood(b, pairing_code)
      assert.deepEqual(
        [second.tunnel.address_pool_id, second.warnings.map(({ code }) => code)],
        [43, ['ANSWERED_THROUGH']],
      )
      const onB = await posted(b, second.tunnel)
      assertMirrored(onA, onB)
      assert.equal(onB.address_pool_id, 43)
    })

    it('chooses the address of this end where the other server does not say it, with a warning: the first host for A, the second for B', async () => {
      const cases = [
        { tunnel_side_id: 10, address: '10.9.0.1', prefix_length: 24, expected: '10.9.0.2' },
        { tunnel_side_id: 20, address: '10.8.0.2', prefix_length: 30, expected: '10.8.0.1' },
        { tunnel_side_id: 10, address: '10.7.0.2', prefix_length: 30, expected: '10.7.0.1' },
        { tunnel_side_id: 10, address: '10.6.0.0', prefix_length: 31, expected: '10.6.0.1' },
        { tunnel_side_id: 10, address: 'fd00:1::1', prefix_length: 64, expected: 'fd00:1::2' },
      ]
      for (const { expected, tunnel_side_id, ...address } of cases) {
        const onA = await made(a, { tunnel_side_id, addresses: [address] })
        const { tunnel, warnings } = await understood(b, (await codeOf(a, onA.tunnel_id)).pairing_code)
        assert.deepEqual(tunnel.addresses, [
          { address: expected, peer_address: address.address, prefix_length: address.prefix_length, is_primary: true },
        ])
        assert.deepEqual(
          warnings.map(({ code, field }) => [code, field]),
          [
            ['PEER_ADDRESS_CHOSEN', 'addresses.0.address'],
            ['ANSWERED_THROUGH', 'is_answered_through'],
          ],
        )
        await posted(b, tunnel)
      }
    })

    it('ignores fields that it does not know', async () => {
      await made(a)
      const content = decodePairingCode((await codeOf(a, 1)).pairing_code) as object
      assert.equal(
        (await understood(b, dressed({ ...content, from_the_future: { x: 1 } }))).tunnel.interface_name,
        'gre-b-1',
      )
    })

    it('refuses a corrupt code with 422 on pairing_code: every single character changed, cut off, or something behind it', async () => {
      await made(a)
      const { pairing_code: code } = await codeOf(a, 1)
      const changed = [...code].map(
        (character, at) => code.slice(0, at) + (character === 'A' ? 'B' : 'A') + code.slice(at + 1),
      )
      const cut = [...code].map((_, length) => code.slice(0, length)).filter((text) => text !== '')
      for (const corrupt of [...changed, ...cut, `${code}A`, `${code}AAAA`, `${code}=`, `${code}.${code}`]) {
        const { status, error } = await read(b, corrupt)
        assert.deepEqual([status, error.code, error.field], [422, 'VALIDATION_FAILED', 'pairing_code'], corrupt)
        assert.equal(error.details['pairing_code'], error.message)
      }
    })

    it('refuses another version, a bad checksum, a bad side or type, and what grows beyond bounds, each in its own words', async () => {
      await made(a)
      const { pairing_code: code } = await codeOf(a, 1)
      const content = decodePairingCode(code) as object
      const wrong = {
        'version 2': code.replace('v1.', 'v2.'),
        'version 9': dressed({ ...content, v: 9 }),
        checksum: `v1.AAAA${code.slice(7)}`,
        'field side': dressed({ ...content, side: 30 }),
        'field type': dressed({ ...content, type: 'GRE' }),
        'field addr': dressed({ ...content, addr: [] }),
        'more than 65536 bytes': dressed({ ...content, note: 'x'.repeat(70_000) }),
        'no IP address': dressed({ ...content, remote: '1.2.3' }),
        'no address for this end': dressed({ ...content, addr: [{ a: '10.9.0.1', b: '', len: 32 }] }),
      }
      for (const [words, pairing_code] of Object.entries(wrong)) {
        const { status, error } = await read(b, pairing_code)
        assert.deepEqual(
          [status, error.field, error.message.includes(words)],
          [422, 'pairing_code', true],
          `${words}: ${error.message}`,
        )
        assert.equal((error.details['fields'] as { code: string }[])[0]?.code, 'INVALID_PAIRING_CODE')
      }
      for (const value of [undefined, null, 7, '', [], {}, 'x'.repeat(20_000)])
        assert.deepEqual([(await read(b, value)).status, (await read(b, value)).error.field], [422, 'pairing_code'])
    })

    it('needs the CSRF header and a session, as everything that is sent does', async () => {
      assert.equal((await b.post('/tunnels/from-pairing-code', { pairing_code: 'x' }, { csrf: false })).status, 403)
      assert.equal((await panelB.visitor().get('/tunnels/1/pairing-code')).status, 401)
    })
  })
})

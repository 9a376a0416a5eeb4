// What the settings of tunnels, their addresses and their keepalive change: each is set, and the next tunnel is another
// one.
import assert from 'node:assert/strict'
import type { PairingCodeAnswer, FromPairingCodeAnswer, SideInfoAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import type { ChangePoolAnswer } from '@panel/shared/api/pools.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { SettingValues } from '@panel/web-daemon/features/settings/definitions.ts'
import type { Client } from './support/client.ts'
import { effectsOf } from './support/effects.ts'
import { set } from './support/settings.ts'
import { codesOf, createTunnel, patchTunnel, previewTunnel } from './support/tunnels.ts'

async function made(client: Client, body: object = {}): Promise<TunnelView> {
  const { status, body: answer, text } = await createTunnel(client, body)
  assert.equal(status, 201, text)
  return answer.tunnel
}

/** What the next tunnel is like once the settings are these. */
const madeWith = async (client: Client, values: Partial<SettingValues>, body: object = {}): Promise<TunnelView> => {
  await set(client, values)
  return made(client, body)
}

const next = async (client: Client): Promise<string> => (await previewTunnel(client)).body.resolved.interface_name ?? ''

effectsOf('tunnel', {
  'tunnel.default_type': {
    does: 'is the type of a tunnel that does not say, and of what a pool would give next',
    test: async (client) => {
      await set(client, { 'tunnel.naming_template': '{type}-{number}' })
      assert.deepEqual(
        [
          await next(client),
          (await madeWith(client, { 'tunnel.default_type': 20 })).tunnel_type_id,
          await next(client),
        ],
        ['gre-1', 20, 'gretap-2'],
      )
      assert.equal(
        (await client.get<{ allocation: { tunnel_number: number } }>('/pools/10/next-free')).body.allocation
          .tunnel_number,
        2,
      )
    },
  },
  'tunnel.default_key': {
    does: 'is the key in both directions where none is given, and null draws one',
    test: async (client) => {
      assert.deepEqual(
        [
          (await madeWith(client, { 'tunnel.default_key': 4711 })).ikey,
          (await made(client, { remote_endpoint: '198.51.100.8' })).okey,
        ],
        [4711, 4711],
      )
      assert.deepEqual(codesOf(await createTunnel(client)), { remote_endpoint: 'TUNNEL_ENDPOINT_CONFLICT' })
      assert.notEqual((await madeWith(client, { 'tunnel.default_key': null })).ikey, 4711)
    },
  },
  'tunnel.default_mtu': {
    does: 'is the MTU where the path is not known, and everywhere with tunnel.auto_mtu_from_underlay off',
    test: async (client, { kernel }) => {
      kernel.hostRoutes = []
      assert.deepEqual(
        [(await made(client)).mtu, (await madeWith(client, { 'tunnel.default_mtu': 1300 })).mtu],
        [1472, 1300],
      )
    },
  },
  'tunnel.default_ttl': {
    does: 'is the time to live of a tunnel that does not say',
    test: async (client) => assert.equal((await madeWith(client, { 'tunnel.default_ttl': 64 })).ttl, 64),
  },
  'tunnel.default_tos': {
    does: 'is the type of service of a tunnel that does not say, in the one spelling',
    test: async (client) => {
      assert.deepEqual(
        [
          (await madeWith(client, { 'tunnel.default_tos': '0x10' })).tos,
          (await madeWith(client, { 'tunnel.default_tos': '16' })).tos,
        ],
        ['0x10', '0x10'],
      )
    },
  },
  'tunnel.default_pmtudisc': {
    does: "sends outer packets with Don't Fragment, but not where that cannot be",
    test: async (client) => {
      assert.equal((await made(client)).is_path_mtu_discovery, false)
      assert.equal((await madeWith(client, { 'tunnel.default_pmtudisc': true })).is_path_mtu_discovery, true)
      assert.equal((await made(client, { is_ignore_df: true })).is_path_mtu_discovery, false)
      assert.equal(
        (await made(client, { tunnel_type_id: 30, local_endpoint: '2001:db8::1', remote_endpoint: '2001:db8:5::7' }))
          .is_path_mtu_discovery,
        false,
      )
    },
  },
  'tunnel.default_csum': {
    does: 'puts checksums into packets and demands them, which costs four bytes of the MTU',
    test: async (client) => {
      const { has_input_checksum, has_output_checksum, mtu } = await madeWith(client, { 'tunnel.default_csum': true })
      assert.deepEqual([has_input_checksum, has_output_checksum, mtu], [true, true, 1468])
      assert.equal((await made(client, { has_input_checksum: false, has_output_checksum: false })).mtu, 1472)
    },
  },
  'tunnel.default_seq': {
    does: 'puts sequence numbers into packets and demands them, which costs four bytes of the MTU',
    test: async (client) => {
      const { has_input_sequence, has_output_sequence, mtu } = await madeWith(client, { 'tunnel.default_seq': true })
      assert.deepEqual([has_input_sequence, has_output_sequence, mtu], [true, true, 1468])
    },
  },
  'tunnel.naming_template': {
    does: 'names the next tunnel, of a pairing code too, leaves those there are, and says where it has no name left',
    test: async (client) => {
      const first = await made(client)
      assert.equal((await madeWith(client, { 'tunnel.naming_template': 'tun{number}{side}' })).interface_name, 'tun2a')
      const { pairing_code } = (await client.get<PairingCodeAnswer>('/tunnels/1/pairing-code')).body
      assert.equal(
        (await client.post<FromPairingCodeAnswer>('/tunnels/from-pairing-code', { pairing_code })).body.tunnel
          .interface_name,
        'tun3b',
      )
      const { tunnel } = (await patchTunnel(client, first.tunnel_id, { note: 'as before' })).body
      assert.deepEqual([tunnel.interface_name, tunnel.is_name_templated], ['gre-a-1', true])
      await set(client, { 'tunnel.naming_template': 'a-longer-na{number}' })
      const full = await createTunnel(client, { tunnel_number: 10_000 })
      assert.deepEqual(codesOf(full), { tunnel_number: 'INVALID_INTERFACE_NAME' })
    },
  },
  'tunnel.side_labels': {
    does: 'stands for {side} in names, and is told by side-info',
    test: async (client) => {
      assert.equal(
        (await madeWith(client, { 'tunnel.side_labels': { a: 'ir', b: 'de' } }, { tunnel_side_id: 20 })).interface_name,
        'gre-de-1',
      )
      assert.deepEqual(
        (await client.get<SideInfoAnswer>('/tunnels/side-info')).body.sides.map(
          ({ name_substitution }) => name_substitution,
        ),
        ['ir', 'de'],
      )
    },
  },
  'tunnel.default_persistence': {
    does: 'is what brings a tunnel back after a reboot',
    test: async (client) => {
      assert.deepEqual(
        [
          (await made(client)).persistence_type_id,
          (await madeWith(client, { 'tunnel.default_persistence': 30 })).persistence_type_id,
        ],
        [10, 30],
      )
    },
  },
  'tunnel.auto_mtu_from_underlay': {
    does: 'turned off gives every tunnel the one MTU, with a word where that is too large',
    test: async (client) => {
      assert.equal(
        (await madeWith(client, { 'tunnel.auto_mtu_from_underlay': false, 'tunnel.default_mtu': 1400 })).mtu,
        1400,
      )
      await set(client, { 'tunnel.default_mtu': 1480 })
      const { mtu, warnings, resolved } = (await previewTunnel(client)).body
      assert.deepEqual(
        [mtu.recommended, mtu.matches, resolved.mtu, warnings.map(({ code }) => code)],
        [1472, false, 1480, ['MTU_ADVISORY']],
      )
    },
  },
})

effectsOf('addressing', {
  'addressing.default_pool_id': {
    does: 'is the pool that is taken from first; one that is full gives way to the others',
    test: async (client) => {
      const pool = await client.post<ChangePoolAnswer>('/pools', {
        address_pool_title: 'Tiny',
        cidr: '10.77.0.0/30',
        prefix_length: 30,
      })
      const { address_pool_id } = pool.body
      assert.equal(
        (await madeWith(client, { 'addressing.default_pool_id': address_pool_id })).address_pool_id,
        address_pool_id,
      )
      assert.equal((await made(client)).address_pool_id, 10)
      assert.equal((await madeWith(client, { 'addressing.default_pool_id': 20 })).address_pool_id, 20)
    },
  },
  'addressing.default_prefix_len': {
    does: 'is the length of the subnets of a pool that does not say, where its range can be cut so',
    test: async (client) => {
      const lengthOf = async (cidr: string): Promise<number> =>
        (await client.post<ChangePoolAnswer>('/pools', { address_pool_title: 'P', cidr })).body.prefix_length
      assert.deepEqual(
        [await lengthOf('10.60.0.0/16'), await lengthOf('fd00:6::/64'), await lengthOf('10.61.0.0/31')],
        [30, 126, 31],
      )
      await set(client, { 'addressing.default_prefix_len': 31 })
      assert.deepEqual([await lengthOf('10.62.0.0/16'), await lengthOf('fd00:7::/64')], [31, 126])
      await set(client, { 'addressing.default_prefix_len': 64 })
      assert.deepEqual(
        [await lengthOf('10.63.0.0/16'), await lengthOf('fd00:8::/48'), await lengthOf('fd00:9::/100')],
        [30, 64, 100],
      )
    },
  },
  'addressing.allow_public_ranges': {
    does: 'lets tunnels take from a pool of public addresses',
    test: async (client) => {
      assert.deepEqual(codesOf(await createTunnel(client, { address_pool_id: 30 })), {
        address_pool_id: 'PUBLIC_RANGE_NOT_ALLOWED',
      })
      assert.equal(
        (await madeWith(client, { 'addressing.allow_public_ranges': true }, { address_pool_id: 30 })).address_pool_id,
        30,
      )
    },
  },
  'addressing.check_route_overlap': {
    does: 'turned off holds addresses against other tunnels alone, and not against the routing table',
    test: async (client, { kernel }) => {
      kernel.hostRoutes = kernel.hostRoutes.map((route) => ({
        ...route,
        destination: route.is_default ? route.destination : '100.64.0.0/24',
      }))
      await made(client, { addresses: [{ address: '10.99.0.1', prefix_length: 24 }] })
      const wide = { addresses: [{ address: '100.64.1.200', prefix_length: 23 }] }
      assert.deepEqual(codesOf(await createTunnel(client, wide)), { 'addresses.0.address': 'ROUTE_OVERLAP' })
      await set(client, { 'addressing.check_route_overlap': false })
      assert.deepEqual(
        codesOf(await createTunnel(client, { addresses: [{ address: '10.99.0.9', prefix_length: 30 }] })),
        { 'addresses.0.address': 'ROUTE_OVERLAP' },
      )
      await made(client, wide)
    },
  },
})

effectsOf('keepalive', {
  'keepalive.enabled_by_default': {
    does: 'turned off leaves a tunnel without its unit, unless it asks for one',
    test: async (client) => {
      await set(client, { 'keepalive.mode': 'systemd_unit', 'keepalive.enabled_by_default': false })
      assert.deepEqual(
        [
          (await made(client)).keepalive_interval_seconds,
          (await made(client, { keepalive_interval_seconds: 5 })).keepalive_interval_seconds,
        ],
        [null, 5],
      )
    },
  },
  'keepalive.interval_seconds': {
    does: "is the time between two pings of a tunnel's own unit",
    test: async (client) =>
      assert.equal(
        (await madeWith(client, { 'keepalive.mode': 'systemd_unit', 'keepalive.interval_seconds': 7.5 }))
          .keepalive_interval_seconds,
        7.5,
      ),
  },
  'keepalive.packet_size': {
    does: 'is the payload of such a ping',
    test: async (client) =>
      assert.equal((await madeWith(client, { 'keepalive.packet_size': 100 })).keepalive_packet_size, 100),
  },
  'keepalive.mode': {
    does: 'gives a tunnel a unit of its own, shown in the preview; by default it has none',
    test: async (client) => {
      const kinds = async (): Promise<string[]> => (await previewTunnel(client)).body.plan.files.map(({ kind }) => kind)
      assert.deepEqual(await kinds(), ['systemd_unit'])
      await set(client, { 'keepalive.mode': 'systemd_unit' })
      assert.deepEqual(await kinds(), ['systemd_unit', 'systemd_keepalive_unit'])
    },
  },
})

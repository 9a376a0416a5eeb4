// Arbitrary tunnels as a store holds them, for property tests of pairing.
import fc from 'fast-check'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import { isIpv6Kind } from '@panel/shared/tunnel/model.ts'
import type { PoolRecord } from '@panel/web-daemon/features/pools/store.ts'
import { storedTunnel } from '../../support/records.ts'
import type { AddressRecord, TunnelRecord } from '@panel/web-daemon/features/tunnels/record.ts'

const byte = fc.integer({ min: 0, max: 255 })
const host = fc.integer({ min: 1, max: 254 })
const key = fc.option(fc.integer({ min: 0, max: 0xffff_ffff }))
const public4 = fc.tuple(fc.integer({ min: 11, max: 99 }), byte, byte, host).map((octets) => octets.join('.'))
const public6 = fc
  .tuple(fc.integer({ min: 1, max: 0xffff }), fc.integer({ min: 1, max: 0xffff }))
  .map(([a, b]) => `2a01:4f8:${a.toString(16)}::${b.toString(16)}`)

const pair = (at: number): fc.Arbitrary<[string, string, number]> =>
  fc.oneof(
    byte.map((n): [string, string, number] => [`10.${at}.${n}.1`, `10.${at}.${n}.2`, 30]),
    byte.map((n): [string, string, number] => [`10.${at}.${n}.4`, `10.${at}.${n}.5`, 31]),
    fc
      .integer({ min: 0, max: 0xffff })
      .map((n): [string, string, number] => [
        `fd00:${at + 1}:${n.toString(16)}::1`,
        `fd00:${at + 1}:${n.toString(16)}::2`,
        126,
      ]),
  )

/** Each address a pair of its own, as seen from either side. */
const addresses = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => pair(at)))),
    fc.boolean(),
  )
  .map(([pairs, isA]) =>
    pairs.map(([a, b, prefix_length], at): AddressRecord => ({
      tunnel_address_id: at,
      address: isA ? a : b,
      peer_address: isA ? b : a,
      prefix_length,
      address_family_id: a.includes(':') ? 20 : 10,
      is_primary: at === 0,
      sort_order: at,
    })),
  )

const plain = storedTunnel({ tunnel_id: 7, address_pool_id: 20, apply_status_id: 20, display_name: 'x', note: 'y' })

export const tunnelRecord: fc.Arbitrary<TunnelRecord> = fc.constantFrom(10, 20, 30, 40).chain((tunnel_type_id) => {
  const overIpv6 = isIpv6Kind(kindOfType(tunnel_type_id))
  const endpoint = overIpv6 ? public6 : public4
  const only6 = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => (overIpv6 ? fc.option(value) : fc.constant(null))
  const only4 = overIpv6 ? fc.constant(false) : fc.boolean()
  return fc
    .record({
      tunnel_type_id: fc.constant(tunnel_type_id),
      tunnel_side_id: fc.constantFrom(10, 20),
      interface_name: fc.constantFrom('gre-a-1', 'to-berlin', 'gre-b-255'),
      is_name_templated: fc.boolean(),
      tunnel_number: fc.option(fc.integer({ min: 0, max: 300 })),
      endpoints: fc.uniqueArray(endpoint, { minLength: 2, maxLength: 2 }),
      ttl: byte,
      hop_limit: only6(byte),
      tos: fc.constantFrom('inherit', '0x00', '0x10', '0xb8'),
      traffic_class: only6(fc.constantFrom('inherit', '0x20')),
      mtu: fc.integer({ min: 1280, max: 9216 }),
      ikey: key,
      okey: key,
      has_input_checksum: fc.boolean(),
      has_output_checksum: fc.boolean(),
      has_input_sequence: fc.boolean(),
      has_output_sequence: fc.boolean(),
      is_path_mtu_discovery: only4,
      is_ignore_df: fc.constant(false),
      is_multicast: fc.constantFrom(null, true),
      encap_limit: only6(byte),
      flow_label: fc.constant(0),
      addresses,
    })
    .map(({ endpoints: [local_endpoint = '', remote_endpoint = ''], ...fields }) => ({
      ...plain,
      ...fields,
      local_endpoint,
      remote_endpoint,
    }))
})

export const pool: PoolRecord = {
  address_pool_id: 20,
  address_pool_title: 'Private 10.10',
  description: '',
  cidr: '10.10.0.0/16',
  prefix_length: 30,
  is_enabled: true,
  is_public_range: false,
}

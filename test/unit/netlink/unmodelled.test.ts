// What a link carries and the model cannot hold is reported, each thing by its name.
import assert from 'node:assert/strict'
import type { LinkConfig } from '@panel/shared/tunnel/model.ts'
import { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { Ajv } from 'ajv'
import { seenLink } from '@panel/root-helper/kernel/link/found.ts'
import type { RawAddress } from '@panel/root-helper/netlink/address.ts'
import { attribute, nest, text, u16be, u32, u8 } from '@panel/root-helper/netlink/attributes.ts'
import { ipBytes } from '@panel/root-helper/netlink/bytes.ts'
import * as k from '@panel/root-helper/netlink/constants.ts'
import { decodeLink } from '@panel/root-helper/netlink/link.ts'
import { linkMessage, plainGre, plainIp6gre, type LinkParts } from './kernel-says.ts'
import { NO_STATISTICS } from '../../support/fake-interfaces.ts'

const plainAddress: RawAddress = {
  index: 7,
  family: 2,
  address: '10.0.0.1',
  peer_address: '',
  prefix_length: 24,
  flags: 0x80,
  scope: 0,
  label: 'gre-1',
  broadcast: '',
  metric: 0,
  origin: 0,
  validSeconds: null,
  preferredSeconds: null,
}
const plainIpv6: RawAddress = { ...plainAddress, family: 10, address: '2001:db8:5::1', prefix_length: 64, label: '' }

const find = (config: LinkConfig, parts: LinkParts = {}, addresses: RawAddress[] = []) =>
  seenLink(
    decodeLink(linkMessage(config, parts)),
    addresses,
    new Map([
      [1, 'lo'],
      [3, 'br0'],
      [4, 'x@y'],
    ]),
  )
const wordsOf = (config: LinkConfig, parts: LinkParts = {}, addresses: RawAddress[] = []): readonly string[] =>
  find(config, parts, addresses).unmodelled

const u16 = (type: number, value: number): Buffer => attribute(type, Uint8Array.of(value & 0xff, value >>> 8))
const fou = [u16(k.IFLA_GRE_ENCAP_TYPE, 1), u16be(k.IFLA_GRE_ENCAP_SPORT, 0), u16be(k.IFLA_GRE_ENCAP_DPORT, 5555)]
const gretap: LinkConfig = { ...plainGre, kind: 'gretap' }

const CASES: readonly (readonly [what: string, expected: string, LinkConfig, LinkParts])[] = [
  ['a collecting link', 'external', plainGre, { moreData: [attribute(k.IFLA_GRE_COLLECT_METADATA, new Uint8Array())] }],
  ['GRE in UDP', 'encap fou sport 0 dport 5555', plainGre, { moreData: fou }],
  ['a link without a remote end', 'remote any', { ...plainGre, remote_endpoint: '0.0.0.0' }, {}],
  ['an IPv6 link without a local end', 'local any', { ...plainIp6gre, local_endpoint: '::' }, {}],
  ['a multicast link', 'remote multicast 239.1.2.3', { ...plainGre, remote_endpoint: '239.1.2.3' }, {}],
  ['an IPv6 multicast link', 'remote multicast ff02::5', { ...plainIp6gre, remote_endpoint: 'ff02::5' }, {}],
  ['an inherited flow label', 'flowlabel inherit', plainIp6gre, { moreData: [u32(k.IFLA_GRE_FLAGS, 4)] }],
  ['a copied DSCP', 'dscp copy', plainIp6gre, { moreData: [u32(k.IFLA_GRE_FLAGS, 0x10)] }],
  ['an inherited mark', 'fwmark inherit', plainIp6gre, { moreData: [u32(k.IFLA_GRE_FLAGS, 0x20)] }],
  ['allowed local remotes', 'allow-localremote', plainIp6gre, { moreData: [u32(k.IFLA_GRE_FLAGS, 0x40)] }],
  ['a bridge above', 'master br0', gretap, { flags: k.IFF_MULTICAST, more: [u32(k.IFLA_MASTER, 3)] }],
  ['an alias', 'alias to Riga, ???', plainGre, { more: [text(k.IFLA_IFALIAS, 'to Riga, \u20ac\u20ac\u00e4')] }],
  [
    'an alternative name',
    'altname other',
    plainGre,
    { more: [nest(k.IFLA_PROP_LIST, text(k.IFLA_ALT_IFNAME, 'other'))] },
  ],
  ['a group', 'group 5', plainGre, { more: [u32(k.IFLA_GROUP, 5)] }],
  [
    'an end in another namespace',
    'link-netnsid 0',
    { ...plainGre, bind_device: 'lo' },
    { more: [u32(k.IFLA_LINK_NETNSID, 0)] },
  ],
  ['a bind device that has gone', 'dev number 99', plainGre, { moreData: [u32(k.IFLA_GRE_LINK, 99)] }],
  ['a bind device of a strange name', 'dev x@y', plainGre, { moreData: [u32(k.IFLA_GRE_LINK, 4)] }],
  ['ARP switched off on a tap', 'arp off', gretap, { flags: k.IFF_NOARP | k.IFF_MULTICAST }],
  ['every multicast packet', 'allmulticast on', plainGre, { flags: k.IFF_NOARP | k.IFF_ALLMULTI }],
  ['promiscuity', 'promisc on', plainGre, { flags: k.IFF_NOARP | k.IFF_PROMISC }],
  ['a very long queue', 'txqueuelen 4294967295', { ...plainGre, tx_queue_length: 0xffff_ffff }, {}],
  ['a dormant mode', 'mode dormant', plainGre, { more: [u8(k.IFLA_LINKMODE, 1)] }],
  ['an XDP program', 'xdp', plainGre, { more: [nest(k.IFLA_XDP, u8(k.IFLA_XDP_ATTACHED, 2))] }],
]

const ADDRESS_CASES: readonly (readonly [expected: string, RawAddress])[] = [
  ['address 10.0.0.1/24 lifetime 30 s', { ...plainAddress, validSeconds: 30, preferredSeconds: 30 }],
  ['address 10.0.0.1/24 label gre-1:x', { ...plainAddress, label: 'gre-1:x' }],
  ['address 10.0.0.1/24 broadcast 10.0.0.255', { ...plainAddress, broadcast: '10.0.0.255' }],
  ['address 10.0.0.1/24 metric 7', { ...plainAddress, metric: 7 }],
  ['address 10.0.0.1/24 scope link', { ...plainAddress, scope: 253 }],
  ['address 10.0.0.1/24 noprefixroute', { ...plainAddress, flags: 0x280 }],
  ['address 2001:db8:5::1/64 nodad', { ...plainIpv6, flags: 0x82 }],
  ['address 2001:db8:5::1/64 temporary', { ...plainIpv6, flags: 0x81 }],
]

describe('a link of the kernel', () => {
  it('that is plain has nothing that the model cannot hold', () => {
    for (const config of [plainGre, plainIp6gre]) assert.deepEqual(wordsOf(config, {}, [plainAddress, plainIpv6]), [])
    assert.deepEqual(wordsOf(gretap, { flags: k.IFF_MULTICAST | 0x2 }), [])
  })

  it('has multicast in its state where it is not as the driver makes it', () => {
    for (const [config, flags, is_multicast] of [
      [plainGre, k.IFF_NOARP, undefined],
      [plainGre, k.IFF_NOARP | k.IFF_MULTICAST, true],
      [gretap, k.IFF_MULTICAST, undefined],
      [gretap, 0, false],
    ] as const) {
      const { link, unmodelled } = find(config, { flags })
      assert.deepEqual([link?.config.is_multicast, unmodelled], [is_multicast, []])
    }
  })

  for (const [what, expected, config, parts] of CASES) {
    it(`with ${what} says "${expected}"`, () => assert.deepEqual(wordsOf(config, parts), [expected]))
  }

  for (const [expected, address] of ADDRESS_CASES) {
    it(`says "${expected}"`, () => assert.deepEqual(wordsOf(plainGre, {}, [address]), [expected]))
  }

  it('shows its link-local addresses and keeps them out of its state', () => {
    const found = find(plainGre, {}, [
      plainAddress,
      { ...plainIpv6, address: 'fe80::1', origin: k.IFAPROT_KERNEL_LL },
      { ...plainIpv6, address: 'febf::2' },
    ])
    assert.deepEqual(found.link?.config.addresses, [{ address: '10.0.0.1', peer_address: '', prefix_length: 24 }])
    assert.deepEqual(found.observed.addresses, ['10.0.0.1/24', 'fe80::1/64', 'febf::2/64'])
  })

  it('is no tunnel where the kind is another, the name a stub or not one that units can carry', () => {
    for (const parts of [{ kind: 'erspan' }, { name: 'gre0' }, { name: 'gre+1' }, { name: '-x' }])
      assert.equal(find(plainGre, parts).link, null, JSON.stringify(parts))
  })

  it('fits the schema of an answer whatever it carries', () => {
    const schema = new Ajv().compile(TunnelFound)
    const many = Array.from({ length: 300 }, (_, i) => ({
      ...plainAddress,
      address: ipBytes('10.0.0.0').readUInt32BE() + i,
    })).map((a) => ({ ...a, address: [24, 16, 8, 0].map((s) => (a.address >>> s) & 255).join('.') }))
    const parts: LinkParts = { more: [text(k.IFLA_IFALIAS, 'x'.repeat(200))], flags: 0xffff_ffff }
    const found = find({ ...plainGre, mtu: 0xffff_ffff, tx_queue_length: 0xffff_ffff }, parts, many)
    const state = { interface_name: found.interface_name, link: found.link, saved: null }
    assert.ok(
      schema({
        interface_name: found.interface_name,
        state,
        observed: { ...found.observed, statistics: NO_STATISTICS },
        unmodelled: found.unmodelled,
        is_ours: true,
        foreign_files: [],
      }),
      JSON.stringify(schema.errors),
    )
    assert.ok(found.unmodelled.includes('300 addresses'))
  })
})

// The four kinds of tunnel on a kernel that has them, with `ip -d -j` as the oracle: what `ip` makes we read, what we
// make `ip` reads.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { FoundLink, Kernel, Links } from '@panel/root-helper/kernel/facilities.ts'
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { isIpv6Kind, LINK_KINDS, type LinkConfig, type LinkKind } from '@panel/shared/tunnel/model.ts'
import { linkConfig } from '../support/random-states.ts'
import { startLab, type Lab } from './lab/index.ts'
import { realKernel } from './panel/real-kernel.ts'

/** The link as iproute2 (6.15, ip/link_gre.c and link_gre6.c) prints it. */
interface IpLink {
  ifname: string
  ifindex: number
  mtu: number
  /** Not printed where it is 0. */
  txqlen?: number
  flags: string[]
  operstate: string
  linkinfo: { info_kind: LinkKind; info_data: IpGre }
}

interface IpGre {
  local: string
  remote: string
  link?: string
  ikey?: string
  okey?: string
  icsum?: true
  ocsum?: true
  iseq?: true
  oseq?: true
  ttl: number
  tos?: string
  tclass?: string
  ip6_tnl_f_use_orig_tclass?: true
  pmtudisc?: boolean
  ignore_df?: boolean
  encap_limit?: number
  ip6_tnl_f_ign_encap_limit?: true
  flowlabel?: string
  fwmark?: string
}

const ANY: Readonly<Record<4 | 6, string>> = { 4: '0.0.0.0', 6: '::' }

/** Keys are printed as IPv4 addresses. */
const key = (text: string | undefined): number | null =>
  text === undefined ? null : text.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)

function tosOf(gre: IpGre, overIpv6: boolean): string {
  if (overIpv6) return gre.ip6_tnl_f_use_orig_tclass ? 'inherit' : (gre.tclass ?? '0x00')
  return gre.tos === '0x1'
    ? 'inherit'
    : `0x${Number(gre.tos ?? 0)
        .toString(16)
        .padStart(2, '0')}`
}

function asConfig({ mtu, txqlen, flags, linkinfo: { info_kind: kind, info_data: gre } }: IpLink): LinkConfig {
  const overIpv6 = isIpv6Kind(kind)
  const endpoint = (text: string): string => (text === 'any' ? ANY[overIpv6 ? 6 : 4] : text)
  return canonicalConfig({
    kind,
    local_endpoint: endpoint(gre.local),
    remote_endpoint: endpoint(gre.remote),
    bind_device: gre.link ?? null,
    ikey: key(gre.ikey),
    okey: key(gre.okey),
    has_input_checksum: gre.icsum === true,
    has_output_checksum: gre.ocsum === true,
    has_input_sequence: gre.iseq === true,
    has_output_sequence: gre.oseq === true,
    ttl: gre.ttl,
    tos: tosOf(gre, overIpv6),
    is_path_mtu_discovery: gre.pmtudisc === true,
    is_ignore_df: gre.ignore_df === true,
    encap_limit: gre.ip6_tnl_f_ign_encap_limit ? null : (gre.encap_limit ?? null),
    flow_label: Number(gre.flowlabel ?? 0),
    fwmark: Number(gre.fwmark ?? 0) || null,
    mtu,
    tx_queue_length: txqlen ?? 0,
    is_multicast: flags.includes('MULTICAST'),
    addresses: [],
  })
}

const V4 = 'local 192.0.2.1 remote 198.51.100.2'
const V6 = 'local 2001:db8::1 remote 2001:db8::2'
/** Two links between the same ends with the same keys cannot be, so each has a far end of its own. */
const ends = (kind: LinkKind, i: number): string =>
  isIpv6Kind(kind) ? `local 2001:db8::1 remote 2001:db8:1::${i + 1}` : `local 192.0.2.1 remote 198.51.100.${i + 1}`
const GRE_WORDS = [
  '',
  'key 5',
  'ikey 1.2.3.4',
  'okey 4294967295',
  'ikey 0 okey 0',
  'ikey 7 okey 8',
  'csum',
  'icsum',
  'ocsum',
  'seq',
  'iseq',
  'oseq',
  'ttl 1',
  'ttl 255',
  'fwmark 1',
  'fwmark 0xffffffff',
  'dev under0',
  'key 9 csum seq ttl 64 fwmark 3 dev under0',
]
const IPV4_WORDS = [
  'tos inherit',
  'tos 0xb8',
  'tos 0xff',
  'ttl inherit',
  'pmtudisc',
  'nopmtudisc',
  'nopmtudisc ignore-df',
  'ttl 64 nopmtudisc',
]
const IPV6_WORDS = [
  'hoplimit 0',
  'encaplimit none',
  'encaplimit 0',
  'encaplimit 255',
  'tclass inherit',
  'tclass 0xff',
  'flowlabel 0xfffff',
  'tclass 0x2e flowlabel 0x00001',
  'encaplimit none tclass inherit flowlabel 0xabcde',
]

const wordsOf = (kind: LinkKind): string[] => [...GRE_WORDS, ...(isIpv6Kind(kind) ? IPV6_WORDS : IPV4_WORDS)]

/** What `ip` can give a link and a LinkConfig cannot hold. */
const UNMODELLED: readonly (readonly [expected: string, ...commands: string[]])[] = [
  ['external', 'link add NAME type gre external'],
  ['remote any', 'link add NAME type gre local 192.0.2.1'],
  ['local any', 'link add NAME type ip6gre remote 2001:db8::9'],
  ['remote multicast 239.1.1.1', 'link add NAME type gretap local 192.0.2.1 remote 239.1.1.1 dev under0'],
  ['flowlabel inherit', `link add NAME type ip6gre ${V6} flowlabel inherit`],
  ['dscp copy', `link add NAME type ip6gre ${V6} dscp inherit`],
  ['fwmark inherit', `link add NAME type ip6gretap ${V6} fwmark inherit`],
  ['allow-localremote', `link add NAME type ip6gre ${V6} allow-localremote`],
  ['master br9', 'link add br9 type bridge', `link add NAME type gretap ${V4}`, 'link set NAME master br9'],
  ['alias north', `link add NAME type gre ${V4}`, 'link set NAME alias north'],
  ['promisc on', `link add NAME type gre ${V4}`, 'link set NAME promisc on'],
  ['allmulticast on', `link add NAME type gre ${V4}`, 'link set NAME allmulticast on'],
  ['arp off', `link add NAME type gretap ${V4}`, 'link set NAME arp off'],
  ['altname x1', `link add NAME type gre ${V4}`, 'link property add dev NAME altname x1'],
  [
    'address 10.0.0.1/24 lifetime 900 s',
    `link add NAME type gre ${V4}`,
    'addr add 10.0.0.1/24 dev NAME valid_lft 900 preferred_lft 900',
  ],
  [
    'address 10.0.0.1/24 broadcast 10.0.0.255',
    `link add NAME type gre ${V4}`,
    'addr add 10.0.0.1/24 broadcast 10.0.0.255 dev NAME',
  ],
]

describe('The netlink codec on a kernel with GRE', function () {
  let lab: Lab | undefined
  let kernel: Kernel
  let links: Links

  const batch = (...commands: string[]): Promise<string> =>
    lab!.run('ip', ['-batch', '-'], { stdin: `${commands.join('\n')}\n` })
  const oracle = async (): Promise<IpLink[]> =>
    (JSON.parse(await lab!.run('ip -d -j link show')) as IpLink[]).filter(({ ifname }) => ifname.startsWith('t-'))
  const ours = async (): Promise<FoundLink[]> =>
    (await links.list(null)).filter(({ interface_name }) => interface_name.startsWith('t-'))
  const clear = async (): Promise<void> => {
    const commands = (await ours()).map(({ interface_name }) => `link delete ${interface_name}`)
    if (commands.length > 0) await batch(...commands)
  }

  before(async () => {
    lab = await startLab()
    kernel = await realKernel(lab)
    links = kernel.links
    await batch('link add under0 type dummy', 'link set under0 up')
  })
  afterEach(clear)
  after(() => lab?.stop())

  for (const kind of LINK_KINDS) {
    it(`reads every attribute of a ${kind} link that ip makes`, async () => {
      const words = wordsOf(kind)
      await batch(
        ...words.map((more, i) => {
          const ofLink = `mtu 1380 txqueuelen 77 multicast ${i % 2 === 0 ? 'on' : 'off'}`
          return `link add t-${i} ${ofLink} type ${kind} ${ends(kind, i)} ${more}`
        }),
      )
      const theirs = new Map((await oracle()).map((link) => [link.ifname, link]))
      const found = new Map(
        (await links.list(words.map((_, i) => `t-${i}`))).map((link) => [link.interface_name, link]),
      )
      for (const [i, more] of words.entries()) {
        assert.deepEqual(found.get(`t-${i}`)?.link, { is_up: false, config: asConfig(theirs.get(`t-${i}`)!) }, more)
        assert.deepEqual(found.get(`t-${i}`)?.unmodelled, [], more)
      }
    })

    it(`makes ${kind} links that ip and we read as requested`, async () => {
      const byEnds = (config: LinkConfig): string => [config.local_endpoint, config.remote_endpoint, config.ikey].join()
      const arbitrary = fc.uniqueArray(
        linkConfig.filter((config) => config.kind === kind),
        { minLength: 40, maxLength: 40, selector: byEnds },
      )
      const configs = fc
        .sample(arbitrary, 1)[0]!
        .map((config) => canonicalConfig({ ...config, bind_device: config.bind_device && 'under0', addresses: [] }))
      for (const [i, config] of configs.entries()) await links.create(`t-${i}`, config)
      assert.deepEqual((await oracle()).map(asConfig), configs)
      assert.deepEqual(
        (await ours()).map((found) => found.link?.config),
        configs,
      )
    })
  }

  it('sees each link as ip does: kind, index, flags, state', async () => {
    await batch(
      ...LINK_KINDS.flatMap((kind) => [
        `link add t-${kind} type ${kind} ${isIpv6Kind(kind) ? V6 : V4}`,
        `link set t-${kind} up`,
      ]),
    )
    // "M-DOWN" is no flag of the link: `ip` looks at the device below.
    const theirs = (await oracle()).map((l) => [
      l.ifname,
      l.linkinfo.info_kind,
      l.ifindex,
      l.flags.filter((flag) => flag !== 'M-DOWN'),
      l.operstate,
      l.mtu,
    ])
    assert.deepEqual(
      (await ours()).map(({ interface_name, observed: o }) => [
        interface_name,
        o.kind,
        o.index,
        o.flags,
        o.oper_state,
        o.mtu,
      ]),
      theirs,
    )
    assert.equal(
      (await links.interfaces()).filter((i) => i.class === 'tunnel' && i.name.startsWith('t-')).length,
      LINK_KINDS.length,
    )
  })

  for (const [expected, ...commands] of UNMODELLED) {
    it(`says that it cannot hold "${expected}"`, async () => {
      await batch(...commands.map((command) => command.replaceAll('NAME', 't-1')))
      const [found] = await links.list(['t-1'])
      assert.ok(found?.link)
      // The kernel counts down while we look.
      const words = found.unmodelled.map((word) => word.replace(/lifetime (900|8\d\d) s/, 'lifetime 900 s'))
      assert.ok(words.includes(expected), words.join())
    })
  }

  it('never takes a stub or an ERSPAN link for a tunnel, nor deletes one', async () => {
    await batch(`link add e-1 type erspan seq key 5 ${V4} erspan_ver 1 erspan 1`)
    const found = await links.list(['gre0', 'gretap0', 'erspan0', 'ip6gre0', 'e-1'])
    assert.deepEqual(found.map(({ interface_name, link }) => [interface_name, link]).sort(), [
      ['e-1', null],
      ['erspan0', null],
      ['gre0', null],
      ['gretap0', null],
      ['ip6gre0', null],
    ])
    for (const { interface_name, observed } of found) {
      await kernel.ownLinks.keep(observed.index)
      await assert.rejects(links.delete(interface_name), { code: 'EPERM', message: /is no tunnel/ })
    }
  })

  it('says of each kind that this kernel has it, and makes no link to find out', async () => {
    for (const kind of LINK_KINDS)
      assert.deepEqual(await links.supports(kind), { supported: true, detail: `this kernel has the ${kind} driver` })
    assert.doesNotMatch(await lab!.run('ip link show'), /probe-/)
  })
})

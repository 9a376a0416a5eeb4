// What is within the limits of a host, entry by entry.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { contains, parseCidr, parseIp, type Cidr } from '@panel/shared/address/ip.ts'
import { isMarkAllowed, outsideOf, protectedIn, reservedBy, sizeOf } from '@panel/shared/limits/entries.ts'
import { destinationLimit, networkSums, whyNoFarEnd, whySum } from '@panel/shared/limits/judge.ts'
import { DEFAULT_LIMITS, type Limits } from '@panel/shared/limits/model.ts'

const path = '/etc/tunnel-panel/limits.conf'
const having = (limits: Partial<Limits>): Limits => ({ ...DEFAULT_LIMITS, ...limits })
const network = (text: string): Cidr => parseCidr(text) ?? assert.fail(text)
const NO_PORTS = { sshd: [], panel: [] }

describe('Names by the limits of a host', () => {
  for (const name of [
    'wg0',
    'docker0',
    'tailscale0',
    'virbr0',
    'br-1a2b',
    'br0',
    'tun0',
    'tap1',
    'eth0.5',
    'wan',
    'lan1',
  ])
    it(`keep ${name} for other software`, () => assert.ok(reservedBy(DEFAULT_LIMITS, name)))
  for (const name of ['gre-a-1', 'tp-b-20', 'branch1', 'bremen', 'tun-a-1', 'to-office', 'x'])
    it(`leave ${name} to a tunnel`, () => assert.equal(reservedBy(DEFAULT_LIMITS, name), null))

  it('are decided by the last entry that matches', () => {
    const limits = having({ reserved_names: ['wg*', '!wg-own*', 'wg-own-not'] })
    assert.deepEqual(
      ['wg1', 'wg-own', 'wg-own-not', 'gre1'].map((name) => reservedBy(limits, name)),
      ['wg*', null, 'wg-own-not', null],
    )
  })

  it('take no character of a pattern for another', () => {
    const limits = having({ reserved_names: ['a.b', 'c?', 'd[0-9]'] })
    assert.deepEqual(
      ['a.b', 'axb', 'c1', 'c', 'd5', 'dx'].map((name) => reservedBy(limits, name) !== null),
      [true, false, true, false, true, false],
    )
  })
})

describe('Networks of tunnels', () => {
  const outside = (text: string, tunnel_networks = DEFAULT_LIMITS.tunnel_networks): number =>
    outsideOf(tunnel_networks)(network(text))

  for (const [text, count] of [
    ['10.20.0.0/16', 0],
    ['192.0.2.0/24', 0],
    ['198.18.0.0/15', 0],
    ['8.8.8.8/32', 1],
    ['8.8.8.0/24', 256],
    ['198.16.0.0/14', 131_072],
    ['fd00::/48', 0],
    ['2001:db8:1::/48', 0],
    ['2606:4700::1/128', 1],
    ['2606:4700::/64', 1],
    ['2606:4700::/48', 65_536],
  ] as const)
    it(`${text} has ${count} of the open internet`, () => assert.equal(outside(text), count))

  it('are decided by the last entry that an address is in', () => {
    assert.equal(outside('8.8.8.0/24', ['8.0.0.0/8', '!8.8.8.0/30', '8.8.8.1']), 3)
    assert.equal(outside('fc00:1::/62', ['fc00:1::/63', '!fc00:1::/65']), 3)
  })

  it('have outside of them what has no address in them (law)', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const cidr = fc.tuple(octet, fc.integer({ min: 22, max: 32 })).map(([last, length]): Cidr => {
      const base = BigInt((8 << 24) >>> 0) + BigInt((last >> (32 - length)) << (32 - length))
      return { base: { family: 4, value: base - (base % (1n << BigInt(32 - length))) }, prefix_length: length }
    })
    const text = ({ base, prefix_length }: Cidr): string => `8.0.0.${Number(base.value & 255n)}/${prefix_length}`
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), cidr), { maxLength: 5 }), (entries) => {
        const list = entries.map(([is_in, one]) => `${is_in ? '' : '!'}${text(one)}`)
        const whole = network('8.0.0.0/22')
        const byAddress = Array.from({ length: 1024 }, (_, at) => whole.base.value + BigInt(at)).filter((value) => {
          const decides = entries.findLast(([, one]) => contains(one, { family: 4, value }))
          return !decides?.[0]
        })
        assert.equal(outsideOf(list)(whole), byAddress.length)
      }),
      { numRuns: 200 },
    )
  })

  it('are summed over all tunnels, and a network that one has live and in a file counts once', () => {
    const one = { address: '8.8.8.1', peer_address: '8.8.8.2', prefix_length: 30 }
    const other = { address: '2606:4700::1', peer_address: '', prefix_length: 63 }
    assert.deepEqual(networkSums(DEFAULT_LIMITS, [[one, one], [one], [other]]), {
      tunnel_public_addresses: 8,
      tunnel_public_subnets: 2,
      tunnel_addresses: 8,
      tunnel_subnets: 2,
    })
    assert.equal(sizeOf(network('10.0.0.0/8')), 2 ** 24)
  })

  it('that are too many already may become fewer', () => {
    const allowed = { path, limits: having({ tunnels: 2 }) }
    assert.equal(whySum(allowed, { tunnels: 5 }, { tunnels: 4 }), null)
    assert.equal(whySum(allowed, { tunnels: 5 }, { tunnels: 5 }), null)
    assert.match(whySum(allowed, { tunnels: 2 }, { tunnels: 3 })?.message ?? '', /tunnel-panel allow tunnels 3$/)
  })
})

describe('Destinations by the limits of a host', () => {
  const by = (address: string, own = NO_PORTS as { sshd: number[]; panel: number[] }, isOwn = false, port = 80) =>
    destinationLimit(
      { path, limits: DEFAULT_LIMITS },
      own,
    )({ protocol: 'tcp', address, isOwn, first: port, last: port })

  for (const address of [
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '0.0.0.0',
    '100.100.100.200',
    '168.63.129.16',
  ])
    it(`are not ${address}, and the refusal has the command that allows it`, () => {
      assert.match(by(address)?.message ?? '', new RegExp(`tunnel-panel allow destination ${address}$`))
    })
  for (const address of ['fd00:ec2::254', 'fe80::1', 'ff02::1', '::', '::ffff:10.0.0.1'])
    it(`are not ${address}`, () => assert.ok(by(address)))
  for (const address of ['10.9.0.2', '8.8.8.8', '2606:4700::1', 'fd00:ec2::253', '127.0.0.1'])
    it(`are ${address}`, () => assert.equal(by(address), null))

  it('are not where sshd or the panel listens: on the loopback, and on an address of the host', () => {
    const own = { sshd: [22], panel: [8443] }
    assert.match(by('127.0.0.1', own, false, 22)?.message ?? '', /sshd forbids.*allow destination sshd$/)
    assert.match(by('192.0.2.1', own, true, 8443)?.message ?? '', /panel forbids/)
    assert.equal(by('10.9.0.2', own, false, 22), null)
    const led = { protocol: 'udp', address: '127.0.0.1', isOwn: false, first: 1, last: 65_535 } as const
    assert.equal(destinationLimit({ path, limits: DEFAULT_LIMITS }, own)(led), null)
  })

  it('that are the far end of a tunnel may be a neighbour on its device', () => {
    const allowed = { path, limits: DEFAULT_LIMITS }
    const why = (text: string) => whyNoFarEnd(allowed, parseIp(text) ?? assert.fail(text))
    assert.equal(why('fe80::1'), null)
    assert.ok(why('169.254.169.254'))
  })
})

describe('Ports and marks by the limits of a host', () => {
  const own = { sshd: [22, 2222], panel: [8443] }

  it('keep those of sshd and the panel from rules, in ranges too, and what the file names', () => {
    const limits = having({ protected_ports: ['sshd', 'panel', '!2222', '5000-5010', '!5003-5004'] })
    const first = (from: number, to = from) => protectedIn(limits, own, from, to)
    assert.deepEqual(first(1, 65_535), { port: 22, by: 'sshd' })
    assert.deepEqual(first(23, 65_535), { port: 5000, by: '5000-5010' })
    assert.deepEqual(first(5003, 5006), { port: 5005, by: '5000-5010' })
    assert.deepEqual(first(8443), { port: 8443, by: 'panel' })
    for (const port of [2222, 5003, 5004, 5011, 80]) assert.equal(first(port), null)
  })

  it('give marks the bits that are free, and others only with the value that is named', () => {
    const marks = (list: string[], ...all: number[]) => all.map((mark) => isMarkAllowed(having({ marks: list }), mark))
    assert.deepEqual(marks(DEFAULT_LIMITS.marks, 1, 0xffff, 0x1_0000, 0x8000_0000, 0xffff_ffff), [
      true,
      true,
      false,
      false,
      false,
    ])
    assert.deepEqual(marks(['0x50000000/0xff', '!0x50000007'], 0x5000_00ff, 0x5000_0007, 0x5000_0100, 1), [
      true,
      false,
      false,
      false,
    ])
  })
})

// Addresses as text, held against two readers that know nothing of each other: inet_pton by way of Node's `net`, and
// the WHATWG parser of URLs, which writes IPv6 as RFC 5952 does.
import assert from 'node:assert/strict'
import { isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { canonicalIp, formatIp, parseIp } from '@panel/shared/address/ip.ts'

const VALID = {
  '::': '::',
  '::1': '::1',
  '1::': '1::',
  '2001:DB8:0:0:0:0:0:1': '2001:db8::1',
  '2001:0db8:0000::0001': '2001:db8::1',
  '1:0:0:2:0:0:0:3': '1:0:0:2::3',
  '1:0:0:2:0:0:3:4': '1::2:0:0:3:4',
  '1:0:2:3:4:5:6:7': '1:0:2:3:4:5:6:7',
  'a0:0:1:0:0:1:10:0': 'a0:0:1::1:10:0',
  '1:2:3:4:5:6:7::': '1:2:3:4:5:6:7:0',
  '::2:3:4:5:6:7:8': '0:2:3:4:5:6:7:8',
  '::ffff:192.0.2.1': '::ffff:c000:201',
  '1:2:3:4:5:6:192.0.2.1': '1:2:3:4:5:6:c000:201',
  '192.0.2.1': '192.0.2.1',
  '255.255.255.255': '255.255.255.255',
}
const INVALID = [
  ...['', ':', ':::', '1', '1:2', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', '1:2:3:4::5:6:7:8', ':1::', '1::2:'],
  ...['12345::', 'g::', '::1 ', ' ::1', '::1\n', '[::1]', '::1%eth0', '::1/128', '::-1', '::0x1', '::１', 'fe80:::1'],
  ...['::1.2.3', '::1.2.3.4.5', '::256.1.1.1', '::01.2.3.4', '1.2.3.4::', '::1.2.3.4:5', '1:2:3:4:5:6:7:1.2.3.4'],
  ...['1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.256', '1.2.3.-4', '1.2.3.4 ', '0x1.2.3.4', '1.2.3.4\n', '١.2.3.4'],
]

const group = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('0', '0', '1', 'ffff', '00', '0db8', 'Ab', '10', 'a0') },
  { weight: 1, arbitrary: fc.constantFrom('', '00000', 'g', '1.2.3.4', '01.2.3.4', '256.1.1.1', '1.2.3', ' ') },
)
const colons = fc.oneof(
  { weight: 8, arbitrary: fc.constant(':') },
  { weight: 1, arbitrary: fc.constantFrom('::', '::', '.', ':::', '') },
)
const texts = fc.oneof(
  fc.array(fc.tuple(group, colons), { maxLength: 9 }).map((parts) => parts.flat().join('')),
  fc
    .tuple(fc.array(fc.tuple(group, colons), { minLength: 1, maxLength: 8 }), group)
    .map((parts) => parts.flat(2).join('')),
  fc
    .array(fc.constantFrom('0', '0', '1', '10', 'a0'), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.join(':')),
  fc.stringMatching(/^[0-9a-f:.]{1,24}$/),
  fc.ipV6(),
  fc.ipV4(),
  fc.string(),
)

describe('An address as text', () => {
  for (const [text, canonical] of Object.entries(VALID))
    it(`${text} is spelled ${canonical}`, () => assert.equal(canonicalIp(text), canonical))

  it('is refused unless it is exactly one address', () => {
    assert.deepEqual(
      INVALID.filter((text) => parseIp(text) !== null),
      [],
    )
  })

  it('is an address if inet_pton takes it, and has the spelling of RFC 5952', () => {
    let valid = 0
    fc.assert(
      fc.property(texts, (text) => {
        const ip = parseIp(text)
        assert.equal(ip?.family, isIPv4(text) ? 4 : isIPv6(text) && !text.includes('%') ? 6 : undefined, text)
        if (!ip) return
        valid += 1
        const { hostname } = new URL(ip.family === 4 ? `http://${text}` : `http://[${text}]`)
        assert.equal(ip.family === 4 ? hostname : hostname.slice(1, -1), formatIp(ip))
      }),
      { numRuns: 20_000 },
    )
    assert.ok(valid > 4000, `only ${valid} were addresses`)
  })

  it('is read as the number that it was written from, whatever the number', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 128n) - 1n), fc.nat(128), (bits, shift) => {
        const ip = { family: 6 as const, value: bits >> BigInt(shift) }
        assert.deepEqual(parseIp(formatIp(ip)), ip)
        const short = { family: 4 as const, value: bits & 0xffff_ffffn }
        assert.deepEqual(parseIp(formatIp(short)), short)
      }),
      { numRuns: 5000 },
    )
  })

  it('is not written of a number that is no address', () => {
    for (const value of [-1n, 1n << 32n]) assert.throws(() => formatIp({ family: 4, value }), RangeError)
    for (const value of [-1n, 1n << 128n]) assert.throws(() => formatIp({ family: 6, value }), RangeError)
  })
})

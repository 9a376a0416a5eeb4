// Echo requests as bytes, and what is read out of bytes that anybody may have sent.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { addUp, fold, isWhole } from '@panel/root-helper/kernel/icmp/checksum.ts'
import type { Family } from '@panel/root-helper/kernel/icmp/constants.ts'
import { EchoTemplate } from '@panel/root-helper/kernel/icmp/echo.ts'
import { readIcmp, type Packet } from '@panel/root-helper/kernel/icmp/replies.ts'
import { ipBytes } from '@panel/root-helper/netlink/bytes.ts'

const COOKIE = Buffer.from('0badc0ffee15f00d', 'hex')
const ROUTER = { 4: '10.1.0.1', 6: 'fd01::1' }
const TARGET = { 4: '10.9.0.2', 6: 'fd09::2' }

function ipv4(payload: Buffer, to: string, protocol = 1, fragment = 0): Buffer {
  const header = Buffer.from('450000000000000040000000', 'hex')
  header.writeUInt16BE(20 + payload.length, 2)
  header.writeUInt16BE(fragment, 6)
  header[9] = protocol
  return Buffer.concat([header, ipBytes('10.1.0.2'), ipBytes(to), payload])
}

function ipv6(payload: Buffer, to: string, next = 58): Buffer {
  const header = Buffer.from('6000000000000040', 'hex')
  header.writeUInt16BE(payload.length, 4)
  header[6] = next
  return Buffer.concat([header, ipBytes('fd01::2'), ipBytes(to), payload])
}

const checked = (message: Buffer): Buffer => {
  message.writeUInt16BE(0, 2)
  message.writeUInt16BE(~fold(addUp(message)) & 0xffff, 2)
  return message
}

const request = (family: Family, size = 56, cookie = COOKIE): Buffer =>
  Buffer.from(new EchoTemplate(family, size, cookie).make(7, 65_535))

function reply(family: Family, size = 56): Buffer {
  const message = request(family, size)
  message[0] = family === 4 ? 0 : 129
  return family === 4 ? checked(message) : message
}

/** An error of a router about a request of ours, of which it quotes so many bytes. */
function complaint(
  family: Family,
  type: number,
  code: number,
  reported = 0,
  quoted = Infinity,
  about = request(family),
): Buffer {
  const head = Buffer.alloc(8)
  head[0] = type
  head[1] = code
  if (family === 4) head.writeUInt16BE(reported, 6)
  else head.writeUInt32BE(reported, 4)
  const packet = family === 4 ? ipv4(about, TARGET[4]) : ipv6(about, TARGET[6])
  const message = Buffer.concat([head, packet.subarray(0, quoted)])
  return family === 4 ? checked(message) : message
}

/** A packet in the form of the native socket. */
const packet = (family: Family, message: Buffer, from: string): Packet => ({
  bytes: family === 4 ? ipv4(message, '10.1.0.2') : message,
  from: ipBytes(from),
  at_us: 1,
  interface_index: 3,
  hop_limit: family === 4 ? -1 : 61,
})
const read = (family: Family, message: Buffer, from = TARGET[family]) =>
  readIcmp(family, packet(family, message, from), COOKIE)

describe('An echo request', () => {
  it('has a checksum that every receiver finds right, whatever its size, identifier and sequence', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.nat(0xffff), fc.nat(0xffff), (size, identifier, sequence) => {
        const bytes = new EchoTemplate(4, size, COOKIE).make(identifier, sequence)
        assert.ok(isWhole(bytes))
        assert.deepEqual(
          [bytes[0], bytes[1], bytes.length, bytes.readUInt16BE(4), bytes.readUInt16BE(6)],
          [8, 0, 8 + size, identifier, sequence],
        )
      }),
    )
  })

  it('leaves the checksum of ICMPv6 to the kernel, which knows the addresses', () =>
    assert.equal(request(6).readUInt32BE(0), 0x80000000))
})

describe('What comes back by ICMP', () => {
  for (const family of [4, 6] as const) {
    it(`is a reply with identifier, sequence, size and hop limit over IPv${family}`, () => {
      assert.deepEqual(read(family, reply(family)), {
        kind: 'reply',
        text: '',
        identifier: 7,
        sequence: 65_535,
        is_sure: true,
        from_address: TARGET[family],
        target_address: TARGET[family],
        packet_size: 56,
        hop_limit: family === 4 ? 64 : 61,
        reported_mtu: null,
        at_us: 1,
        interface_index: 3,
      })
    })

    it(`is kept apart from the replies to other programs over IPv${family}`, () => {
      const foreign = request(family, 56, Buffer.alloc(8, 1))
      foreign[0] = family === 4 ? 0 : 129
      assert.equal(read(family, family === 4 ? checked(foreign) : foreign), null)
      assert.equal(read(family, reply(family, 4))?.is_sure, false)
    })

    it(`is an error about a request of ours, whether a router quotes all of it or no more than it must, over IPv${family}`, () => {
      const [type, code] = family === 4 ? [3, 1] : [1, 3]
      const whole = read(family, complaint(family, type, code), ROUTER[family])
      const words = family === 4 ? 'host unreachable' : 'address unreachable'
      assert.deepEqual(
        [whole?.kind, whole?.text, whole?.is_sure, whole?.from_address, whole?.target_address, whole?.sequence],
        ['unreachable', words, true, ROUTER[family], TARGET[family], 65_535],
      )
      const short = read(family, complaint(family, type, code, 0, (family === 4 ? 20 : 40) + 8), ROUTER[family])
      assert.deepEqual([short?.kind, short?.is_sure, short?.identifier], ['unreachable', false, 7])
      assert.equal(read(family, complaint(family, type, code, 0, (family === 4 ? 20 : 40) + 7)), null)
      assert.equal(
        read(family, complaint(family, type, code, 0, Infinity, reply(family))),
        null,
        'an error about a reply is none of ours',
      )
    })

    it(`is the MTU that a router tells over IPv${family}, unless it tells none`, () => {
      const [type, code] = family === 4 ? [3, 4] : [2, 0]
      assert.deepEqual(
        [1400, 0]
          .map((mtu) => read(family, complaint(family, type, code, mtu)))
          .map((received) => [received?.kind, received?.reported_mtu]),
        [
          ['too_big', 1400],
          ['too_big', null],
        ],
      )
    })

    it(`is a hop where the hop limit ran out over IPv${family}`, () =>
      assert.equal(read(family, complaint(family, family === 4 ? 11 : 3, 0))?.kind, 'hop'))
  }

  it('is the first fragment of a large request in an error of IPv6, and no other', () => {
    const about = (offset: number): Buffer => {
      const fragment = Buffer.from('3a00000000000001', 'hex')
      fragment.writeUInt16BE(offset, 2)
      return Buffer.concat([
        Buffer.from('0100000000000000', 'hex'),
        ipv6(Buffer.concat([fragment, request(6)]), TARGET[6], 44),
      ])
    }
    assert.equal(read(6, about(1))?.kind, 'unreachable')
    assert.equal(read(6, about(1448)), null)
    const later = checked(Buffer.concat([Buffer.from('0301000000000000', 'hex'), ipv4(request(4), TARGET[4], 1, 185)]))
    assert.equal(read(4, later), null)
  })

  /** GRE as a tunnel with these flags writes it around a request: each flag stands for four more bytes. */
  const gre = (inner: Family, flags = 0x2000): Buffer => {
    const header = Buffer.alloc(4 + 4 * [0x8000, 0x2000, 0x1000].filter((flag) => (flags & flag) !== 0).length)
    header.writeUInt16BE(flags, 0)
    header.writeUInt16BE(inner === 4 ? 0x0800 : 0x86dd, 2)
    return Buffer.concat([header, inner === 4 ? ipv4(request(4), TARGET[4]) : ipv6(request(6), TARGET[6])])
  }
  const SERVER = { 4: '192.0.2.2', 6: '2001:db8::2' }
  const about = (outer: Family, type: number, code: number, reported: number, carried: Buffer): Buffer => {
    const head = Buffer.alloc(8)
    ;[head[0], head[1]] = [type, code]
    if (outer === 4) head.writeUInt16BE(reported, 6)
    else head.writeUInt32BE(reported, 4)
    const message = Buffer.concat([
      head,
      outer === 4
        ? ipv4(carried, SERVER[4], 47)
        : ipv6(Buffer.concat([Buffer.from('2f00040104010000', 'hex'), carried]), SERVER[6], 60),
    ])
    return outer === 4 ? checked(message) : message
  }

  it('is the refusal of the other server whose tunnels do not take the GRE packet around a request of ours', () => {
    for (const outer of [4, 6] as const) {
      for (const inner of [4, 6] as const) {
        for (const flags of [0, 0x2000, 0xb000]) {
          const received = read(
            outer,
            about(outer, outer === 4 ? 3 : 1, outer === 4 ? 3 : 4, 0, gre(inner, flags)),
            SERVER[outer],
          )
          assert.deepEqual(
            [
              received?.kind,
              received?.text,
              received?.is_sure,
              received?.from_address,
              received?.target_address,
              received?.identifier,
              received?.sequence,
            ],
            [
              'unreachable',
              'port unreachable: no tunnel there takes its GRE packets',
              true,
              SERVER[outer],
              TARGET[inner],
              7,
              65_535,
            ],
          )
        }
      }
    }
  })

  it('is what fits into a tunnel where a router tells what fits around it', () => {
    const received = read(4, about(4, 3, 4, 1400, gre(4)), ROUTER[4])
    assert.deepEqual([received?.kind, received?.reported_mtu], ['too_big', 1400 - 20 - 8])
    assert.match(received?.text ?? '', /said of the GRE packet around it/)
    assert.equal(read(4, about(4, 3, 4, 28, gre(4)), ROUTER[4])?.reported_mtu, null)
  })

  it('is nothing where GRE carries something else, is of another version, or is cut off', () => {
    const whole = gre(4)
    const other = Buffer.from(whole)
    other.writeUInt16BE(0x880b, 2)
    const pptp = Buffer.from(whole)
    pptp.writeUInt16BE(0x2001, 0)
    for (const carried of [other, pptp, whole.subarray(0, 3), whole.subarray(0, 8 + 20 + 7)])
      assert.equal(read(4, about(4, 3, 3, 0, carried), SERVER[4]), null)
  })

  it('is nothing where the checksum is wrong, or another protocol is quoted', () => {
    const torn = reply(4)
    torn.writeUInt8(torn.readUInt8(30) ^ 1, 30)
    assert.equal(read(4, torn), null)
    assert.equal(
      read(4, checked(Buffer.concat([Buffer.from('0301000000000000', 'hex'), ipv4(request(4), TARGET[4], 17)]))),
      null,
    )
  })

  it('never brings the reader down, be it noise or a good packet cut or changed anywhere', () => {
    const good = ([4, 6] as const).flatMap((family) =>
      [
        reply(family),
        complaint(family, family === 4 ? 3 : 2, family === 4 ? 4 : 0, 1400),
        about(family, 3, 3, 1400, gre(family)),
      ].map((message) => ({ family, bytes: packet(family, message, TARGET[family]).bytes })),
    )
    const hostile = fc.oneof(
      fc.record({ family: fc.constantFrom<Family>(4, 6), bytes: fc.uint8Array({ maxLength: 200 }) }),
      fc
        .tuple(fc.constantFrom(...good), fc.nat(200), fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 6 }))
        .map(([{ family, bytes }, length, changes]) => {
          const changed = Buffer.from(bytes.subarray(0, length))
          for (const [at, value] of changes) if (at < changed.length) changed[at] = value
          return { family, bytes: changed }
        }),
    )
    fc.assert(
      fc.property(hostile, ({ family, bytes }) => {
        const received = readIcmp(
          family,
          { bytes: Buffer.from(bytes), from: ipBytes(TARGET[family]), at_us: 1, interface_index: 1, hop_limit: -1 },
          COOKIE,
        )
        if (!received) return
        assert.ok(
          received.identifier <= 0xffff &&
            received.sequence <= 0xffff &&
            received.hop_limit >= 0 &&
            received.hop_limit <= 255,
        )
        assert.ok(received.reported_mtu === null || (received.reported_mtu > 0 && received.reported_mtu <= 0xffff_ffff))
      }),
      { numRuns: 3000 },
    )
  })
})

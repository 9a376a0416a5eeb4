// Whatever bytes arrive, a decoder gives a value or a DecodeError, soon.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { seenLink } from '@panel/root-helper/kernel/link/found.ts'
import { decodeAddress } from '@panel/root-helper/netlink/address.ts'
import {
  attribute,
  Attributes,
  DecodeError,
  nest,
  text,
  u16be,
  u32,
  u32be,
  u8,
} from '@panel/root-helper/netlink/attributes.ts'
import { ipBytes, ipText } from '@panel/root-helper/netlink/bytes.ts'
import { decodeConnection, ownedFlow } from '@panel/root-helper/netlink/conntrack.ts'
import * as k from '@panel/root-helper/netlink/constants.ts'
import { decodeEvents } from '@panel/root-helper/netlink/events.ts'
import { decodeLink } from '@panel/root-helper/netlink/link.ts'
import { decodeDone, decodeError, decodeMessages, type Message } from '@panel/root-helper/netlink/message.ts'
import { decodeCounter, decodeRule, decodeTable } from '@panel/root-helper/netlink/nftables/nftables.ts'
import { decodeElements } from '@panel/root-helper/netlink/nftables/elements.ts'
import { decodeLine } from '@panel/root-helper/netlink/nftables/lines.ts'
import { decodeRoute } from '@panel/root-helper/netlink/route.ts'
import { formatIp } from '@panel/shared/address/ip.ts'
import { linkConfig } from '../../support/random-states.ts'
import { FAMILY, GOTO, LOCAL, lineOf, SOURCE } from './a-line.ts'
import { acknowledgement, datagram, done, linkMessage } from './kernel-says.ts'

const routeMessage: Message = {
  type: k.RTM_NEWROUTE,
  flags: 0,
  sequence: 1,
  port: 0,
  body: Buffer.concat([
    Buffer.from([2, 24, 0, 0, 254, 2, 253, 1, 0, 0, 0, 0]),
    u32(k.RTA_TABLE, 254),
    attribute(k.RTA_DST, ipBytes('10.0.0.0')),
    attribute(
      k.RTA_MULTIPATH,
      Buffer.concat([Buffer.from([16, 0, 0, 0, 3, 0, 0, 0]), attribute(k.RTA_GATEWAY, ipBytes('10.0.0.1'))]),
    ),
  ]),
}
const addressMessage: Message = {
  type: k.RTM_NEWADDR,
  flags: 0,
  sequence: 1,
  port: 0,
  body: Buffer.concat([
    Buffer.from([10, 64, 0x80, 0, 7, 0, 0, 0]),
    attribute(k.IFA_ADDRESS, ipBytes('2001:db8::1')),
    u32(k.IFA_FLAGS, 0x80),
    attribute(k.IFA_CACHEINFO, Buffer.alloc(16, 255)),
    nest(5, text(k.IFA_LABEL, 'x')),
  ]),
}

const tuple = (type: number): Buffer =>
  nest(
    type,
    nest(1, attribute(1, ipBytes('10.1.0.2')), attribute(2, ipBytes('10.1.0.1'))),
    nest(2, u8(1, 6), u16be(2, 40_000), u16be(3, 443)),
  )
const connectionMessage: Message = {
  type: 0x0100,
  flags: 0,
  sequence: 1,
  port: 0,
  body: Buffer.concat([
    Buffer.from([2, 0, 0, 0]),
    tuple(1),
    tuple(2),
    u32be(3, 6),
    u32be(8, 0x50000100),
    nest(4, nest(1, u8(1, 3))),
    nest(9, attribute(1, Buffer.alloc(8)), attribute(2, Buffer.alloc(8, 1))),
    u32be(7, 60),
    u32be(12, 9),
    nest(20, attribute(1, Buffer.alloc(8))),
  ]),
}

const counterMessage: Message = {
  type: 0x0a12,
  flags: 0,
  sequence: 1,
  port: 0,
  body: Buffer.concat([
    Buffer.from([1, 0, 0, 0]),
    text(1, 'panel'),
    text(2, 'rule_1_tx'),
    u32be(3, 1),
    nest(4, attribute(1, Buffer.alloc(8, 1)), attribute(2, Buffer.alloc(8))),
  ]),
}
const elementMessage: Message = {
  type: 0x0a0c,
  flags: 0,
  sequence: 1,
  port: 0,
  body: Buffer.concat([
    Buffer.from([1, 0, 0, 0]),
    text(1, 'panel'),
    text(2, 'relay_to4'),
    nest(
      3,
      nest(
        1,
        nest(1, attribute(1, Buffer.from([0, 1, 0, 0x50]))),
        nest(2, attribute(1, Buffer.from([10, 9, 0, 2, 0, 80, 0, 0]))),
        u32be(3, 1),
      ),
      nest(1, nest(1, attribute(1, Buffer.alloc(4))), nest(2, nest(2, u32be(1, 0xffff_fffc), text(2, 'rule_1')))),
    ),
  ]),
}

const DECODERS: readonly ((message: Message) => unknown)[] = [
  (message) => seenLink(decodeLink(message), [], new Map([[1, 'lo']])),
  decodeAddress,
  decodeRoute,
  (message) => decodeConnection(message, 0),
  ownedFlow,
  decodeError,
  decodeDone,
  (message) => decodeEvents(datagram(message)),
]

/** Whatever the type of the message. */
const TYPELESS: readonly ((message: Message) => unknown)[] = [
  decodeTable,
  decodeCounter,
  decodeRule,
  decodeLine,
  (message) => decodeElements(message, ['ipv4_addr', 'inet_service']),
]

/** Passes DecodeErrors, and nothing else. */
function survives(decode: () => unknown): void {
  try {
    decode()
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
}

function decodeEverything(bytes: Buffer): void {
  survives(() => decodeMessages(bytes))
  survives(() => new Attributes(bytes))
  const types = [k.RTM_NEWLINK, k.RTM_NEWADDR, k.RTM_NEWROUTE, k.NLMSG_ERROR, k.NLMSG_DONE]
  for (const type of types)
    for (const decode of DECODERS)
      survives(() => decode({ type, flags: k.NLM_F_ACK_TLVS, sequence: 1, port: 0, body: bytes }))
  for (const decode of TYPELESS) survives(() => decode({ type: 0, flags: 0, sequence: 1, port: 0, body: bytes }))
  survives(() =>
    decodeMessages(bytes).forEach((message) =>
      [...DECODERS, ...TYPELESS].forEach((decode) => survives(() => decode(message))),
    ),
  )
}

/** A good datagram with some bytes changed, then cut. */
const mutated = fc
  .tuple(
    fc.oneof(
      linkConfig.map((config) => linkMessage(config)),
      fc.constantFrom(
        routeMessage,
        addressMessage,
        connectionMessage,
        counterMessage,
        elementMessage,
        lineOf(...FAMILY, ...SOURCE, ...LOCAL, ...GOTO),
        acknowledgement(1, 17, 'File exists'),
        done(1),
      ),
    ),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
    fc.nat(),
  )
  .map(([message, changes, cut]) => {
    const bytes = datagram(message, message)
    for (const [at, value] of changes) bytes[at % bytes.length] = value
    return bytes.subarray(0, cut % 3 === 0 ? cut % bytes.length : bytes.length)
  })

describe('hostile bytes', () => {
  it('at random give a value or a DecodeError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => decodeEverything(Buffer.from(bytes))),
      { numRuns: 5000 },
    )
  })

  it('that were once a good message give a value or a DecodeError', function () {
    fc.assert(
      fc.property(mutated, (bytes) => {
        decodeEverything(bytes)
        decodeEverything(bytes.subarray(k.NLMSG_HDRLEN))
      }),
      { numRuns: 3_000 },
    )
  })

  it('of a megabyte are read in seconds of the processor, where a reading that is quadratic would take hours', () => {
    const started = process.cpuUsage()
    for (const fill of [0, 1, 4, 16, 255]) decodeEverything(Buffer.alloc(1_000_000, fill))
    decodeEverything(Buffer.alloc(1_000_000, Buffer.from([4, 0, 1, 0])))
    // What else the machine does meanwhile is none of this test's concern.
    const { user, system } = process.cpuUsage(started)
    assert.ok(user + system < 60_000_000, `${user + system} µs`)
  })

  it('in unknown attributes are passed over', () => {
    const message = linkMessage(fc.sample(linkConfig, 1)[0]!, {
      more: [attribute(99, Buffer.from('new')), attribute(0x3fff, Buffer.alloc(0)), attribute(300, Buffer.alloc(9))],
    })
    assert.equal(decodeLink(message).name, 'gre-1')
  })
})

describe('an address in bytes', () => {
  it('has the text that the address library gives it', () => {
    const byte = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(
        fc.constantFrom(4 as const, 16 as const).chain((n) => fc.array(byte, { minLength: n, maxLength: n })),
        (octets) => {
          const bytes = Buffer.from(octets)
          const text = ipText(bytes)
          assert.equal(
            text,
            formatIp({ family: octets.length === 4 ? 4 : 6, value: BigInt(`0x${bytes.toString('hex')}`) }),
          )
          assert.deepEqual(ipBytes(text), bytes)
        },
      ),
      { numRuns: 5000 },
    )
  })
})

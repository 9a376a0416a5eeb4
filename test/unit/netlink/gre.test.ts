// The tunnel attributes: against the very bytes that iproute2 sends, and there and back again.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { isIpv6Kind, type LinkConfig } from '@panel/shared/tunnel/model.ts'
import { seenLink } from '@panel/root-helper/kernel/link/found.ts'
import { Attributes, forEachAttribute } from '@panel/root-helper/netlink/attributes.ts'
import * as k from '@panel/root-helper/netlink/constants.ts'
import { decodeGre, encodeGre } from '@panel/root-helper/netlink/gre.ts'
import { decodeLink, mtuAttribute, newLink, queueAttribute } from '@panel/root-helper/netlink/link.ts'
import { decodeMessages, encodeMessage } from '@panel/root-helper/netlink/message.ts'
import { linkConfig } from '../../support/random-states.ts'
import { linkMessage, plainGre, plainIp6gre } from './kernel-says.ts'

interface Captured {
  sentence: string
  command: string
  config: Partial<LinkConfig>
  bytes: string
}

const requests = JSON.parse(readFileSync(new URL('iproute2-requests.json', import.meta.url), 'utf8')) as Captured[]
const configOf = ({ config }: Captured): LinkConfig => ({
  ...(isIpv6Kind(config.kind ?? 'gre') ? plainIp6gre : plainGre),
  ...config,
})
const bindIndexOf = ({ bind_device }: LinkConfig): number => (bind_device === null ? 0 : 1)

function ours(config: LinkConfig): Buffer {
  const request = newLink(
    'g1',
    config.kind,
    [mtuAttribute(config.mtu), queueAttribute(config.tx_queue_length)],
    encodeGre({ ...config, bindIndex: bindIndexOf(config) }),
  )
  return encodeMessage(request.type, k.NLM_F_REQUEST | k.NLM_F_ACK | (request.flags ?? 0), 1, request.parts)
}

const NESTS = new Set([`${k.IFLA_LINKINFO}`, `${k.IFLA_LINKINFO}.${k.IFLA_INFO_DATA}`])
const DATA = `${k.IFLA_LINKINFO}.${k.IFLA_INFO_DATA}.`
// iproute2 also sends these: encapsulation "none" with its default flag, and an ERSPAN version that GRE does not look
// at.
const IGNORED = new Set(
  [k.IFLA_GRE_ENCAP_TYPE, 15, k.IFLA_GRE_ENCAP_SPORT, k.IFLA_GRE_ENCAP_DPORT, 22].map((type) => `${DATA}${type}`),
)

/** Attributes as "18.2.6: c0000201"; what is zero is left out where zero is what absence means to the kernel. */
function meaning(message: Buffer): string[] {
  const lines: string[] = []
  const walk = (start: number, end: number, path: string): void =>
    forEachAttribute(message, start, end, (type, from, to) => {
      const here = path + type
      const value = message.subarray(from, to)
      if (NESTS.has(here)) walk(from, to, `${here}.`)
      else if (!IGNORED.has(here) && (here === `${DATA}${k.IFLA_GRE_PMTUDISC}` || value.some((byte) => byte !== 0)))
        lines.push(`${here}: ${value.toString('hex')}`)
    })
  walk(k.NLMSG_HDRLEN + k.IFINFOMSG_LENGTH, message.length, '')
  const ignoresLimit = lines.some((line) => new RegExp(`^${DATA}${k.IFLA_GRE_FLAGS}: .[13579bdf]`).test(line))
  return lines.filter((line) => !(ignoresLimit && line.startsWith(`${DATA}${k.IFLA_GRE_ENCAP_LIMIT}:`))).sort()
}

describe('the tunnel attributes', () => {
  for (const request of requests) {
    it(`of ${request.sentence} mean what iproute2 sends`, () => {
      const theirs = Buffer.from(request.bytes, 'hex')
      const mine = ours(configOf(request))
      assert.deepEqual(meaning(mine), meaning(theirs))
      assert.deepEqual(mine.subarray(4, 8), theirs.subarray(4, 8), 'message type and flags')
    })

    it(`of ${request.sentence}, sent by iproute2, are read as they are meant`, () => {
      const [message] = decodeMessages(Buffer.from(request.bytes, 'hex'))
      assert.ok(message)
      const raw = decodeLink(message)
      const config = configOf(request)
      assert.ok(raw.data)
      const { bindIndex, ...gre } = decodeGre(config.kind, raw.data)
      const { bind_device, ...rest } = config
      assert.deepEqual({ ...gre, mtu: raw.mtu, tx_queue_length: raw.txQueueLength, addresses: [] }, rest)
      assert.equal(bindIndex, bind_device === null ? 0 : 1)
    })
  }

  it('survive encoding and decoding whatever they are', () => {
    fc.assert(
      fc.property(linkConfig, (random) => {
        const config = canonicalConfig({ ...random, addresses: [] })
        const found = seenLink(decodeLink(linkMessage(config)), [], new Map([[1, 'lo']]))
        assert.deepEqual(found.link?.config, config)
      }),
      { numRuns: 2000 },
    )
  })

  it('count keys only where the flags say that there is one', () => {
    const attributes = new Attributes(Buffer.concat(encodeGre({ ...plainGre, ikey: 5, okey: 6, bindIndex: 0 })))
    attributes.raw(k.IFLA_GRE_IFLAGS)?.fill(0)
    const { ikey, okey } = decodeGre('gre', attributes)
    assert.deepEqual({ ikey, okey }, { ikey: null, okey: 6 })
  })
})

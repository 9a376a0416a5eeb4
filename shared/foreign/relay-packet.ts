// The packets that begin what a relay rule relays, and which chains of other software they come through.
import { parseIp } from '../address/ip.ts'
import { isLoopback } from '../address/special.ts'
import type { ForeignChain } from './model.ts'
import type { RelayRule } from '../ruleset/model.ts'

/** What a packet meets beside the rule: null is not known. */
export interface Surroundings {
  readonly own_addresses: readonly string[]
  readonly in_interface: string | null
  readonly out_interface: string | null
}

/**
 * The first packet of a connection, before or after translation, or a reply to it. The destination of a reply is
 * unknown; only its possible sources are (`from`).
 */
export interface Packet {
  readonly isTranslated: boolean
  readonly isForHost: boolean
  readonly isReply: boolean
  readonly family: 4 | 6
  readonly protocol: 'tcp' | 'udp' | 'gre'
  readonly address: string | null
  readonly from: readonly string[]
  readonly first: number
  readonly last: number
  readonly in_interface: string | null
  readonly out_interface: string | null
}

export function relayPackets(rule: RelayRule, { own_addresses, in_interface, out_interface }: Surroundings): Packet[] {
  const family = rule.bind_address.includes(':') ? 6 : 4
  const bound = {
    address: rule.bind_address === '0.0.0.0' || rule.bind_address === '::' ? null : rule.bind_address,
    first: rule.bind_port,
    last: rule.bind_port_range_end ?? rule.bind_port,
  }
  const protocols = rule.protocol === 'both' ? (['tcp', 'udp'] as const) : [rule.protocol]
  const isOwn = (address: string): boolean =>
    own_addresses.includes(address) || isLoopback(parseIp(address) ?? never(address))
  return protocols.flatMap((protocol) => {
    const common = { family, protocol, from: [], in_interface: rule.bind_interface ?? in_interface } as const
    const arriving: Packet = {
      ...common,
      ...bound,
      isTranslated: false,
      isForHost: false,
      isReply: false,
      out_interface: null,
    }
    const leaving = rule.destinations.map(({ address, port, port_range_end }): Packet => ({
      ...common,
      address,
      first: port,
      last: port_range_end ?? port,
      isTranslated: true,
      isForHost: isOwn(address),
      isReply: false,
      out_interface,
    }))
    return [arriving, ...leaving.flatMap((packet) => (packet.isForHost ? [packet] : [packet, replyTo(packet, rule)]))]
  })
}

const replyTo = (packet: Packet, { destinations }: RelayRule): Packet => ({
  ...packet,
  isReply: true,
  from: destinations.map(({ address }) => address),
  address: null,
  first: 0,
  last: 65_535,
  in_interface: packet.out_interface,
  out_interface: packet.in_interface,
})

function never(address: string): never {
  throw new RangeError(`${address} is no address`)
}

/**
 * The priorities at which the address is translated (NF_IP_PRI_NAT_DST), and at which conntrack first sees a packet.
 */
export const TRANSLATION = -100
export const CONNTRACK = -200

export const isOfFamily = ({ table }: ForeignChain, { family }: Packet): boolean =>
  table.startsWith('inet ') || table.startsWith(family === 6 ? 'ip6 ' : 'ip ')

export function meets(chain: ForeignChain, packet: Packet): boolean {
  const { hook, priority } = chain
  const { isTranslated, isForHost, isReply } = packet
  if (!isOfFamily(chain, packet)) return false
  if (isReply) return hook === 'forward'
  // Beside the translation itself it is not known which of two comes first.
  if (hook === 'prerouting') return isTranslated ? priority > TRANSLATION : priority < TRANSLATION
  return isTranslated && (isForHost ? hook === 'input' : hook === 'forward' || hook === 'postrouting')
}

// Which packets are alike to the rules of other software: those that meet the same conditions on addresses and ports.
import { bitsOf, contains, enclosingNetwork, formatCidr, parseCidr, parseIp, type Cidr } from '../address/ip.ts'
import type { ForeignRule } from './model.ts'
import type { Packet } from './relay-packet.ts'

export type Match = 'yes' | 'no' | 'maybe'

export class PacketKinds {
  readonly #addresses: ReadonlySet<string>
  /** The networks by the length of their prefixes, which are few. */
  readonly #networks = new Map<number, Set<string>>()
  readonly #ports: readonly Pick<ForeignRule, 'port' | 'port_end'>[]
  readonly #known = new Map<string, string>()

  constructor(rules: readonly ForeignRule[]) {
    this.#addresses = new Set(rules.map(({ address }) => address))
    for (const wanted of this.#addresses) {
      const cidr = wanted === '' ? null : asNetwork(wanted)
      if (!cidr) continue
      const alike = this.#networks.get(cidr.prefix_length) ?? new Set()
      this.#networks.set(cidr.prefix_length, alike.add(formatCidr(cidr)))
    }
    const ports = new Map(rules.map(({ port, port_end }) => [`${port} ${port_end}`, { port, port_end }]))
    this.#ports = [...ports.values()].filter(({ port }) => port !== null)
  }

  /** Two packets of one kind take the same way through every chain. */
  of(packet: Packet): string {
    const { family, protocol, isTranslated, isForHost, isReply, in_interface, out_interface } = packet
    const { address, from, first, last } = packet
    const where =
      address === null
        ? from.filter((one) => this.#addresses.has(one)).join()
        : this.#once(address, () => this.#networksOf(address))
    const ports = this.#once(`${first}-${last}`, () => this.#portsOf(packet))
    const way = `${isTranslated} ${isForHost} ${isReply} ${in_interface} ${out_interface}`
    return `${family} ${protocol} ${way} ${address === null} ${where} ${ports}`
  }

  #networksOf(address: string): string {
    const ip = parseIp(address)
    if (!ip) return address
    return [...this.#networks]
      .filter(([length]) => length <= bitsOf(ip.family))
      .map(([length, alike]) => [formatCidr(enclosingNetwork(ip, length)), alike] as const)
      .flatMap(([network, alike]) => (alike.has(network) ? [network] : []))
      .join()
  }

  #portsOf(packet: Packet): string {
    let met = ''
    for (const [at, wanted] of this.#ports.entries()) {
      const match = portMatch(wanted, packet)
      if (match !== 'no') met += `${at}${match} `
    }
    return met
  }

  #once(key: string, make: () => string): string {
    const known = this.#known.get(key) ?? make()
    this.#known.set(key, known)
    return known
  }
}

const asNetwork = (wanted: string): Cidr | null =>
  parseCidr(wanted.includes('/') ? wanted : `${wanted}/${wanted.includes(':') ? 128 : 32}`)

/** The destination of a reply is unknown, except that the destinations of a relay are not its clients. */
export function addressMatch(wanted: string, { address: found, from }: Pick<Packet, 'address' | 'from'>): Match {
  if (wanted === '') return 'yes'
  if (found === null) return from.includes(wanted) ? 'no' : 'maybe'
  const [cidr, ip] = [asNetwork(wanted), parseIp(found)]
  if (!cidr || !ip) return 'maybe'
  return cidr.base.family === ip.family && contains(cidr, ip) ? 'yes' : 'no'
}

export function portMatch(
  { port, port_end }: Pick<ForeignRule, 'port' | 'port_end'>,
  { first, last }: Pick<Packet, 'first' | 'last'>,
): Match {
  if (port === null) return 'yes'
  const end = port_end ?? port
  if (last < port || first > end) return 'no'
  return first >= port && last <= end ? 'yes' : 'maybe'
}

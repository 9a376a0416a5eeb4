// Which packets are alike to the rules of other software: those that meet the same conditions on addresses and ports.
import { contains, parseCidr, parseIp } from '../address/ip.ts'
import type { ForeignRule } from './model.ts'
import type { Packet } from './relay-packet.ts'

export type Match = 'yes' | 'no' | 'maybe'

export class PacketKinds {
  readonly #addresses: readonly string[]
  readonly #ports: readonly Pick<ForeignRule, 'port' | 'port_end'>[]
  readonly #known = new Map<string, string>()

  constructor(rules: readonly ForeignRule[]) {
    this.#addresses = [...new Set(rules.map(({ address }) => address))].filter((one) => one !== '')
    const ports = new Map(rules.map(({ port, port_end }) => [`${port} ${port_end}`, { port, port_end }]))
    this.#ports = [...ports.values()].filter(({ port }) => port !== null)
  }

  /** Two packets of one kind take the same way through every chain. */
  of(packet: Packet): string {
    const { family, protocol, isTranslated, isForHost, isReply, in_interface, out_interface } = packet
    const { address, from, first, last } = packet
    const where = this.#once(`${address} ${from.join()}`, () =>
      this.#addresses.map((wanted) => addressMatch(wanted, packet)),
    )
    const ports = this.#once(`${first}-${last}`, () => this.#ports.map((wanted) => portMatch(wanted, packet)))
    return JSON.stringify([
      [family, protocol, isTranslated, isForHost, isReply, in_interface, out_interface],
      where,
      ports,
    ])
  }

  #once(key: string, matches: () => readonly Match[]): string {
    const known = this.#known.get(key) ?? matches().join()
    this.#known.set(key, known)
    return known
  }
}

/** The destination of a reply is unknown, except that the destinations of a relay are not its clients. */
export function addressMatch(wanted: string, { address: found, from }: Pick<Packet, 'address' | 'from'>): Match {
  if (wanted === '') return 'yes'
  if (found === null) return from.includes(wanted) ? 'no' : 'maybe'
  const [cidr, ip] = [
    parseCidr(wanted.includes('/') ? wanted : `${wanted}/${wanted.includes(':') ? 128 : 32}`),
    parseIp(found),
  ]
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

// Which packets are alike to the rules of other software: those that meet the same conditions on addresses and ports.
import type { ForeignCondition, ForeignRule } from './model.ts'
import { addressRange, Divisions, portRange } from './ranges.ts'
import type { End, Packet } from './relay-packet.ts'

export class PacketKinds {
  readonly #source: Ends
  readonly #destination: Ends
  readonly #listener: Ends

  constructor(rules: readonly ForeignRule[]) {
    const conditions = rules.flatMap(({ branches }) => branches.flatMap((branch) => branch.conditions))
    const valuesOf = (field: ForeignCondition['field']): string[] =>
      conditions.flatMap((one) => (one.field === field ? one.values : []))
    this.#source = new Ends(valuesOf('source'), valuesOf('source_port'))
    this.#destination = new Ends(valuesOf('destination'), valuesOf('destination_port'))
    this.#listener = new Ends(valuesOf('original_destination'), valuesOf('original_port'))
  }

  /** Two packets of one kind take the same way through every chain. */
  of(packet: Packet): string {
    const { stage, isReply, isNew, isForHost, isMarked, family, protocol, in_interface, out_interface } = packet
    const is = `${isReply} ${isNew} ${isForHost} ${isMarked}`
    const way = `${stage} ${is} ${family} ${protocol} ${in_interface} ${out_interface}`
    const { source, destination, listener } = packet
    return `${way} ${this.#source.of(source)} ${this.#destination.of(destination)} ${this.#listener.of(listener)}`
  }
}

/** The ends of one direction, by what the conditions on it can tell apart. */
class Ends {
  readonly #addresses: Divisions
  readonly #ports: Divisions
  readonly #named: ReadonlySet<string>
  readonly #cached = new WeakMap<End, string>()

  constructor(addresses: readonly string[], ports: readonly string[]) {
    this.#addresses = new Divisions(addresses.map(addressRange).filter((range) => range !== null))
    this.#ports = new Divisions(ports.map(portRange))
    this.#named = new Set(addresses)
  }

  of(end: End): string {
    const cached = this.#cached.get(end)
    if (cached !== undefined) return cached
    const { addresses, never, ports, isLocal } = end
    const where = addresses
      ? addresses.map(({ first, last }) => `${this.#addresses.of(first)}-${this.#addresses.of(last)}`)
      : ['any', ...never.filter((one) => this.#named.has(one))]
    const kind = `${where.join()}:${this.#ports.of(ports.first)}-${this.#ports.of(ports.last)} ${isLocal}`
    this.#cached.set(end, kind)
    return kind
  }
}

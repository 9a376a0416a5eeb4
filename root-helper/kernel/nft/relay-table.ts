// Our table as the kernel reports it, without starting nft: only the parts that are requested.
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'
import type { TableChange } from '@panel/shared/ruleset/nft/change.ts'
import { ARRIVED, newArrived } from '@panel/shared/ruleset/nft/constant.ts'
import { hex, ruleMark } from '@panel/shared/ruleset/mark.ts'
import { COUNTER_NAME, TABLE_NAME as NAME, type TableSet } from '@panel/shared/ruleset/nft/table.ts'
import { unlessAbsent } from '../../kernel-error.ts'
import { NETLINK_NETFILTER } from '../../netlink/constants.ts'
import {
  addCounter,
  addElements,
  batch,
  deleteCounter,
  makeCounter,
  deleteElements,
} from '../../netlink/nftables/batch.ts'
import type { Message } from '../../netlink/message.ts'
import {
  chainItselfRequest,
  chainRequest,
  countersRequest,
  decodeCounter,
  decodeRule,
  decodeTable,
  isPlainChain,
  setItselfRequest,
  tableRequest,
  type NamedCounter,
} from '../../netlink/nftables/nftables.ts'
import { addDevice, devicesOf, flowtableRequest } from '../../netlink/nftables/flowtables.ts'
import { decodeElements, elementsRequest, elementTypes, type FoundElement } from '../../netlink/nftables/elements.ts'
import { decodeLine } from '../../netlink/nftables/lines.ts'
import { fingerprint } from './fingerprint.ts'
import { NetlinkSocket, type Request } from '../../netlink/socket.ts'

/** Keys in one request: it must fit into one datagram. */
const KEYS_AT_ONCE = 500

export class RelayTable {
  /** The socket that owns the table, if there is one: no other socket can change it. */
  readonly #owner: () => NetlinkSocket | null
  #socket: NetlinkSocket | null = null

  constructor(owner: () => NetlinkSocket | null = () => null) {
    this.#owner = owner
  }

  /** Another one where any other program has changed the table. */
  fingerprint(sets: ReadonlyMap<string, TableSet>): Promise<string> {
    return fingerprint(this.#open(), sets)
  }

  /** The number that the kernel gave the table when it was made; null where it is not there. */
  async handle(): Promise<number | null> {
    const [found] = (await unlessAbsent(this.#open().request(tableRequest(NAME)))) ?? []
    return found ? decodeTable(found).handle : null
  }

  /** The counters of all rules, in the order of their ids. */
  async counters(): Promise<RelayCounters[]> {
    const replies = await unlessAbsent(this.#open().dump(countersRequest(NAME)))
    return ruleCounters((replies ?? []).flatMap((reply) => decodeCounter(reply) ?? []))
  }

  /** Those of the names that are there. */
  async countersNamed(names: readonly string[]): Promise<NamedCounter[]> {
    const found: NamedCounter[] = []
    for (const name of names) {
      const [reply] = (await unlessAbsent(this.#open().request(countersRequest(NAME, name)))) ?? []
      const counter = reply && decodeCounter(reply)
      if (counter) found.push(counter)
    }
    return found
  }

  /** The lines of a chain as the kernel runs them; none where there is no such chain. */
  async chain(name: string): Promise<string[]> {
    return ((await unlessAbsent(this.#open().dump(chainRequest(NAME, name)))) ?? []).map(decodeRule)
  }

  /**
   * The lines of a chain of a port or a rule, in our words; null where there is no such chain, or a hook leads to it.
   * Throws a DecodeError where it has other lines than those have.
   */
  async lines(name: string): Promise<string[] | null> {
    const [found] = (await unlessAbsent(this.#open().request(chainItselfRequest(NAME, name)))) ?? []
    if (!found || !isPlainChain(found)) return null
    return (await this.#open().dump(chainRequest(NAME, name))).map(decodeLine)
  }

  async hasChain(name: string): Promise<boolean> {
    return (await unlessAbsent(this.#open().request(chainItselfRequest(NAME, name)))) !== null
  }

  async hasSet(name: string): Promise<boolean> {
    return (await unlessAbsent(this.#open().request(setItselfRequest(NAME, name)))) !== null
  }

  /** All elements of a set. */
  async elements(name: string, set: TableSet): Promise<FoundElement[] | null> {
    const { keys, values } = elementTypes(set)
    return this.#elementsIn(await unlessAbsent(this.#open().dump(elementsRequest(NAME, name, keys))), values)
  }

  /** Null where one of them is not there. */
  async elementsByKey(name: string, set: TableSet, wanted: readonly string[]): Promise<FoundElement[] | null> {
    const { keys, values } = elementTypes(set)
    const found: FoundElement[] = []
    for (let at = 0; at < wanted.length; at += KEYS_AT_ONCE) {
      const some = this.#elementsIn(
        await unlessAbsent(
          this.#open().request(elementsRequest(NAME, name, keys, wanted.slice(at, at + KEYS_AT_ONCE))),
        ),
        values,
      )
      if (!some) return null
      found.push(...some)
    }
    return found
  }

  /** New connections of a rule since it is in the table, whatever became of them. */
  async arrived(route_rule_id: number): Promise<number> {
    let packets = 0
    for (const isFast of [false, true]) {
      const mark = hex(ruleMark(route_rule_id, 0, isFast))
      for (const one of (await this.elementsByKey(ARRIVED, newArrived(), [mark])) ?? []) packets += one.packets ?? 0
    }
    return packets
  }

  /** Null where there is no such flowtable. */
  async flowDevices(name: string): Promise<string[] | null> {
    const [found] = (await unlessAbsent(this.#open().request(flowtableRequest(NAME, name)))) ?? []
    return found ? devicesOf(found) : null
  }

  /** Refused with ENOENT where there is no such device. */
  addFlowDevice(name: string, device: string, generation: number): Promise<void> {
    return this.#writer().batch(
      `let ${device} take the fast path`,
      batch([addDevice(NAME, name, device)], { generation }),
    )
  }

  /** Commits counters and elements (`isDirect`), where the ruleset is still of this generation. */
  change(change: Pick<TableChange, 'counters' | 'elements'>, generation: number): Promise<void> {
    return this.#writer().batch('change the relay rules', batch(requestsOf(change), { generation }))
  }

  /**
   * Commits a change and its way back as one batch, which leaves nothing: the kernel throws no batch away without
   * waiting for a grace period of RCU, which takes longer than all the rest of a change. Fails with EEXIST if a counter
   * exists that the change would make, since that would go with what it has counted.
   */
  rehearse(there: TableChange, back: TableChange, generation: number): Promise<void> {
    const requests = [
      ...there.counters.map((name) => makeCounter(NAME, name)),
      ...requestsOf({ ...there, counters: [] }),
      ...requestsOf(back),
      ...there.counters.map((name) => deleteCounter(NAME, name)),
    ]
    return this.#writer().batch('rehearse the relay rules', batch(requests, { generation }))
  }

  /** Refused of one that a rule still feeds. */
  deleteCounters(names: readonly string[]): Promise<void> {
    const requests = names.map((name) => deleteCounter(NAME, name))
    return this.#writer().batch('delete counters', batch(requests))
  }

  #elementsIn = (replies: readonly Message[] | null, values: readonly string[]): FoundElement[] | null =>
    replies?.flatMap((reply) => decodeElements(reply, values)) ?? null

  #writer = (): NetlinkSocket => this.#owner() ?? this.#open()

  #open(): NetlinkSocket {
    this.#socket ??= new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    return this.#socket
  }
}

export const requestsOf = ({ counters, elements }: Pick<TableChange, 'counters' | 'elements'>): Request[] => [
  ...counters.map((name) => addCounter(NAME, name)),
  ...elements.flatMap((one) => deleteElements(NAME, one)),
  ...elements.flatMap((one) => addElements(NAME, one)),
]

const NOTHING = { tx_bytes: 0, tx_packets: 0, rx_bytes: 0, rx_packets: 0 }

export function ruleCounters(counters: readonly NamedCounter[]): RelayCounters[] {
  const found = new Map<number, RelayCounters>()
  for (const { name, bytes, packets } of counters) {
    const [, id, way] = COUNTER_NAME.exec(name) ?? []
    if (id === undefined) continue
    const route_rule_id = Number(id)
    let one = found.get(route_rule_id)
    if (!one) found.set(route_rule_id, (one = { route_rule_id, ...NOTHING }))
    const part = name.startsWith('twice') ? (one.twice ??= { ...NOTHING }) : one
    if (way === 'tx') [part.tx_bytes, part.tx_packets] = [bytes, packets]
    else [part.rx_bytes, part.rx_packets] = [bytes, packets]
  }
  return [...found.values()].sort((a, b) => a.route_rule_id - b.route_rule_id)
}

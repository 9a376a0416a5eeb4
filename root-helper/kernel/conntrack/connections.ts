// The connections that relay rules own, in the connection tracking of this network namespace.
import type { Cidr } from '@panel/shared/address/ip.ts'
import type { FastCounters } from '@panel/shared/ruleset/found.ts'
import { isOpen, leadsTo, type FlowsFound } from '@panel/shared/ruleset/connection.ts'
import type { RelayDestination, RelayRule } from '@panel/shared/ruleset/model.ts'
import { ruleMark } from '@panel/shared/ruleset/mark.ts'
import { isRange } from '@panel/shared/ruleset/ports.ts'
import type { Connections, KeptDestination } from '../relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { countWithin } from './within.ts'
import { localAddresses, olderFlows, type UdpListener } from './older.ts'
import { foreignMarks } from './unmarked.ts'
import type { FastFlows } from './fast-flows.ts'
import { FlowCounts } from './flow-counts.ts'
import {
  decodeConnection,
  deleteConnection,
  dumpAll,
  dumpByMark,
  dumpUdp,
  ownedFlow,
  type TrackedConnection,
} from '../../netlink/conntrack.ts'
import { addressFamily } from '../../netlink/bytes.ts'
import type { Transport } from '../../netlink/channel.ts'
import { NETLINK_NETFILTER } from '../../netlink/constants.ts'
import { NetlinkSocket } from '../../netlink/socket.ts'
import { sharedRead } from '../../shared-read.ts'

const THROUGH_MS = 2000

/** The bits of a rule's mark, except for the slot and the bit of the fast path. */
const EITHER_MASK = 0x7fff_ff00
/** All marks of ours have these three bits in common. */
const NIBBLE_MASK = 0x7000_0000

export class KernelConnections implements Connections {
  #socket: NetlinkSocket | null = null
  readonly #counts = new FlowCounts()
  readonly #options: { readonly transport?: Transport; readonly fastFlows?: FastFlows }

  constructor(options: { readonly transport?: Transport; readonly fastFlows?: FastFlows } = {}) {
    this.#options = options
  }

  fast = async (): Promise<FastCounters | null> => (await this.#options.fastFlows?.read()) ?? null

  async list(route_rule_ids: readonly number[]): Promise<TrackedConnection[]> {
    this.#socket ??= new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    const [only, ...others] = route_rule_ids
    const request =
      only !== undefined && others.length === 0
        ? dumpByMark(ruleMark(only), EITHER_MASK)
        : dumpByMark(ruleMark(0), NIBBLE_MASK)
    const wanted = new Set(route_rule_ids)
    const now = Date.now()
    return (await this.#socket.dump(request)).flatMap((message) => {
      const found = decodeConnection(message, now)
      return found && isOpen(found) && (wanted.size === 0 || wanted.has(found.route_rule_id)) ? [found] : []
    })
  }

  async count(): Promise<Pick<FlowsFound, 'epoch' | 'flows'>> {
    this.#socket ??= new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    const found = await this.#socket.dump(dumpByMark(ruleMark(0), NIBBLE_MASK))
    return {
      epoch: this.#counts.epoch,
      flows: this.#counts.update(found.flatMap((message) => ownedFlow(message) ?? [])),
    }
  }

  async unmarked(rule: RelayRule): Promise<number[]> {
    return foreignMarks(await this.#all(), rule)
  }

  async through(networks: readonly Cidr[]): Promise<number> {
    return countWithin(await this.#all(), networks)
  }

  /** Over a socket of its own: what was not read in time is gone with it. */
  readonly #all = sharedRead(async () => {
    const socket = new NetlinkSocket({ ...this.#options, protocol: NETLINK_NETFILTER, timeoutMs: THROUGH_MS })
    try {
      return await socket.dump(dumpAll)
    } finally {
      socket.close()
    }
  })

  async drop(
    route_rule_ids: readonly number[],
    destinations: readonly Pick<RelayDestination, 'address' | 'port'>[],
    kept: readonly KeptDestination[] = [],
  ): Promise<number> {
    const chosen = new Set(destinations.map(({ address, port }) => `${address} ${port}`))
    let dropped = 0
    for (const one of route_rule_ids.length === 0 ? [] : await this.list(route_rule_ids)) {
      if (chosen.size > 0 && !chosen.has(`${one.destination_address} ${one.destination_port}`)) continue
      if (kept.some((to) => leadsTo(to, one))) continue
      if (await this.#delete(one)) dropped += 1
    }
    return dropped
  }

  async older(listeners: readonly UdpListener[], inForce: ReadonlySet<number>, isEnding: boolean): Promise<number> {
    const socket = new NetlinkSocket({ ...this.#options, protocol: NETLINK_NETFILTER })
    const routes = new NetlinkSocket(this.#options)
    try {
      const [only, ...others] = listeners
      const port = only && others.length === 0 && !isRange(only) ? only.bind_port : null
      const families = [...new Set(listeners.map(({ bind_address }) => addressFamily(bind_address)))]
      const flows = await Promise.all(families.map((family) => socket.dump(dumpUdp(family, port))))
      const found = await olderFlows(flows.flat(), listeners, { inForce, isLocal: await localAddresses(routes) })
      if (!isEnding) return found.length
      let ended = 0
      for (const one of found) if (await this.#delete(one, socket)) ended += 1
      return ended
    } finally {
      socket.close()
      routes.close()
    }
  }

  /** One that has ended since is not counted. */
  async #delete(one: Pick<TrackedConnection, 'family' | 'key'>, socket = this.#socket): Promise<boolean> {
    try {
      await socket?.request(deleteConnection(one))
      return true
    } catch (error) {
      if (error instanceof KernelError && error.code === 'ENOENT') return false
      throw error
    }
  }
}

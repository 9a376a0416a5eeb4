// UDP flows that are older than the rule which listens for them. NAT is decided with the first packet of a flow, so the
// rule gets none of them while their senders go on.
import { BlockList } from 'node:net'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { readMark } from '@panel/shared/ruleset/mark.ts'
import { isRange, lastPort } from '@panel/shared/ruleset/ports.ts'
import { udpFlow, type UdpEnd, type UdpFlow } from '../../netlink/conntrack.ts'
import { AF_INET, AF_INET6, RTN_LOCAL } from '../../netlink/constants.ts'
import type { Message } from '../../netlink/message.ts'
import { decodeRoute, dumpRoutes } from '../../netlink/route.ts'
import type { NetlinkSocket } from '../../netlink/socket.ts'
import { eachFlow } from './bursts.ts'

/** What a rule listens for. */
export type UdpListener = Pick<RelayRule, 'bind_address' | 'bind_port' | 'bind_port_range_end'>

/** Flows of other rules that are in force stay theirs. */
export async function olderFlows(
  flows: readonly Message[],
  listeners: readonly UdpListener[],
  { inForce, isLocal }: { readonly inForce: ReadonlySet<number>; readonly isLocal: (address: string) => boolean },
): Promise<UdpFlow[]> {
  const listenersOf = byPort(listeners)
  const isListenedFor = ({ address, port }: UdpEnd): boolean =>
    listenersOf(port).some((one) => isAt(one.bind_address, address, isLocal))
  // A flow that the host has begun from a port of a range may be any program's, such as a query of its resolver.
  const isOwnPort = ({ address, port }: UdpEnd): boolean =>
    listenersOf(port).some((one) => one.bind_port_range_end === null && isAt(one.bind_address, address, isLocal))
  const found: UdpFlow[] = []
  await eachFlow(flows, (one) => {
    const flow = udpFlow(one)
    if (!flow || inForce.has(readMark(flow.mark)?.route_rule_id ?? 0)) return
    if (isListenedFor(flow.to) || (flow.begunFrom && isOwnPort(flow.begunFrom))) found.push(flow)
  })
  return found
}

function byPort(listeners: readonly UdpListener[]): (port: number) => readonly UdpListener[] {
  const single = new Map<number, UdpListener[]>()
  const ranges = listeners.filter(isRange)
  for (const one of listeners) {
    if (!isRange(one)) single.set(one.bind_port, [...(single.get(one.bind_port) ?? []), one])
  }
  return (port) => [
    ...(single.get(port) ?? []),
    ...ranges.filter((one) => one.bind_port <= port && port <= lastPort(one)),
  ]
}

/** A rule for every address listens on those of the host alone. */
function isAt(bind_address: string, address: string, isLocal: (address: string) => boolean): boolean {
  if (!isWildcard(bind_address)) return bind_address === address
  return bind_address.includes(':') === address.includes(':') && isLocal(address)
}

/** Decides as the kernel does for a wildcard: by its routes of the type local. */
export async function localAddresses(socket: NetlinkSocket): Promise<(address: string) => boolean> {
  const list = new BlockList()
  for (const family of [AF_INET, AF_INET6] as const) {
    for (const one of await socket.dump(dumpRoutes(family, { type: RTN_LOCAL }))) {
      const route = decodeRoute(one)
      if (route?.type === RTN_LOCAL) list.addSubnet(route.destination, route.prefix_length, nameOf(route.destination))
    }
  }
  return (address) => list.check(address, nameOf(address))
}

const nameOf = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4')

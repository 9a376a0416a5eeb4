// Networks in the kernel: their routes in the main table and their own addresses on the loopback interface, which are
// the panel's by their protocol; nothing else is read as ours, or removed (decisions.md, T40 and T41).
import { release } from 'node:os'
import { bitsOf } from '@panel/shared/address/ip.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { canonicalNetwork, carrying, familyOf } from '@panel/shared/network/canonical.ts'
import {
  ROUTE_PROTOCOL,
  type NetworkFound,
  type NetworksFound,
  type NetworkState,
} from '@panel/shared/network/model.ts'
import { KernelError } from '../../kernel-error.ts'
import { deleteAddress, newOwnAddress, type RawAddress } from '../../netlink/address.ts'
import { AF_INET, AF_INET6, IFF_UP, RT_SCOPE_UNIVERSE, RT_TABLE_MAIN } from '../../netlink/constants.ts'
import { dumpWithoutCounters, type RawLink } from '../../netlink/link.ts'
import { deleteRoute, newRoute, replaceRoute, type NewRoute } from '../../netlink/route.ts'
import type { NetlinkSocket } from '../../netlink/socket.ts'
import type { Networks } from '../facilities.ts'
import { textIn } from '../files/proc.ts'
import { LinkReader, type Addresses } from '../link/read.ts'
import { hopsThatCarry, ourRoutes, shapeOf, withoutHops, type OurRoute } from '../our-routes.ts'
import { pathOver } from './hop.ts'
import type { NetworksRecord } from './record.ts'

const LOOPBACK = 'lo'

export class KernelNetworks implements Networks {
  readonly #socket: NetlinkSocket
  readonly #reader: LinkReader
  readonly #record: NetworksRecord
  readonly #knowsOrigin: boolean

  /** `knowsOrigin`: this kernel keeps who made an address. */
  constructor(socket: NetlinkSocket, record: NetworksRecord, knowsOrigin = isSince(release(), 5, 18)) {
    this.#socket = socket
    this.#reader = new LinkReader(socket)
    this.#record = record
    this.#knowsOrigin = knowsOrigin
  }

  kept(): NetworkState[] {
    return this.#record.networks.map(({ state }) => state)
  }

  trouble(): string | null {
    return this.#record.trouble
  }

  async found(destinations: readonly string[]): Promise<NetworkFound[]> {
    const kept = this.kept().filter((one) => destinations.length === 0 || destinations.includes(one.destination))
    if (kept.length === 0) return []
    const [routes, own] = [await this.#routes(), await this.#ownAddresses()]
    const hosts = await this.#reader.addresses(null)
    const links = await this.#reader.named(kept.flatMap(pathNames), dumpWithoutCounters)
    const indexes = routes.flatMap(({ hops }) => hops.map(({ index }) => index))
    const names = await this.#reader.deviceNames(indexes, links)
    const routesTo = byDestination(routes)
    return kept.map((state) => {
      const there = routesTo(state.destination)
      return {
        state: lacking(state, there, this.#dueOver(links, hosts, state, true), own, links),
        held: heldAs(there, state, names),
      }
    })
  }

  async strays(destinations: readonly string[], addresses: readonly string[]): Promise<string[]> {
    const kept = this.kept()
    const known = new Set(kept.flatMap(({ destination, own_addresses }) => [destination, ...own_addresses]))
    const [routes, own] = [await this.#routes(), await this.#ownAddresses(addresses)]
    const there = [...routes.map(({ destination, prefix_length }) => `${destination}/${prefix_length}`), ...own]
    return [...destinations, ...addresses].filter((one) => there.includes(one) && !known.has(one))
  }

  keep(states: readonly NetworkState[]): Promise<void> {
    return this.#record.put(states)
  }

  forget(destination: string): Promise<void> {
    return this.#record.remove(destination)
  }

  async setRoutes(states: readonly NetworkState[]): Promise<void> {
    const due = await this.#due(states)
    const routesTo = byDestination(await this.#routes())
    for (const state of states) {
      const route = due(state)
      if (!route) throw new KernelError('ENETDOWN', `add the route to ${state.destination}: none of its links is up`)
      await this.#put(route, state, routesTo(state.destination))
    }
  }

  async removeRoute(destination: string): Promise<void> {
    for (const route of byDestination(await this.#routes())(destination))
      await this.#socket.request(deleteRoute(withoutHops(route)))
  }

  async addAddress(address: string): Promise<void> {
    if ((await this.#ownAddresses()).includes(address)) return
    const { index } = await this.#loopback(`add address ${address}`)
    await this.#socket.request(newOwnAddress(ROUTE_PROTOCOL, index, LOOPBACK, onLoopback(address)))
  }

  /** The record may name it no more. */
  async removeAddress(address: string): Promise<void> {
    if (!(await this.#ownAddresses([address])).includes(address)) return
    const { index } = await this.#loopback(`remove address ${address}`)
    await this.#socket.request(deleteAddress(index, LOOPBACK, onLoopback(address)))
  }

  async inTheWay(states: readonly NetworkState[]): Promise<Message | null> {
    const [routes, addresses] = [await this.#reader.routes(), await this.#reader.addresses(null)]
    const own = new Set(await this.#ownAddresses())
    const wanted = new Set(states.flatMap(({ own_addresses }) => own_addresses))
    const foreign = byDestination(routes.filter(isOfOthers))
    const deviceOf = async (index: number): Promise<string> =>
      (await this.#reader.deviceNames([index], [])).get(index) ?? 'none'
    for (const { destination, metric } of states) {
      const route = foreign(destination).find((one) => one.metric === metric)
      if (!route) continue
      const device = await deviceOf(route.index)
      return message('root.network_route_taken', { network: destination, metric, device })
    }
    const taken = [...addresses.values()].flat().find(({ address }) => wanted.has(address) && !own.has(address))
    if (!taken) return null
    return message('root.own_address_taken', { address: taken.address, device: await deviceOf(taken.index) })
  }

  /** What fails of one network keeps no other from being put right. */
  async follow(): Promise<void> {
    const failures: unknown[] = []
    const kept = this.kept()
    const routesTo = byDestination(kept.length === 0 ? [] : await this.#routes())
    for (const state of kept)
      await this.#follow(state, routesTo(state.destination)).catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  async hashPolicy(): Promise<NetworksFound['hash_policy']> {
    return { ipv4: hashPolicyOf('ipv4'), ipv6: hashPolicyOf('ipv6') }
  }

  /** A route without a link that is up is left to the kernel, which takes it away with its last link. */
  async #follow(state: NetworkState, routes: readonly OurRoute[]): Promise<void> {
    for (const address of state.own_addresses) await this.addAddress(address)
    if (carrying(state.paths).length === 0) return routes.length > 0 ? this.removeRoute(state.destination) : undefined
    const due = (await this.#due([state]))(state)
    if (due && !isJust(due, routes)) await this.#put(due, state, routes)
  }

  /** Never in the place of a foreign route: where there is none of ours it must be new. */
  async #put(due: NewRoute, { paths }: NetworkState, routes: readonly OurRoute[]): Promise<void> {
    const former = routes.find(({ metric }) => metric === due.metric)
    const through = paths.map(({ interface_name }) => interface_name).join(', ')
    await this.#socket.request((former ? replaceRoute : newRoute)(through, due))
    for (const route of routes) if (route !== former) await this.#socket.request(deleteRoute(withoutHops(route)))
  }

  /** What each of them calls for, by one reading of their links. */
  async #due(states: readonly NetworkState[]): Promise<(state: NetworkState) => NewRoute | null> {
    const links = await this.#reader.named([...new Set(states.flatMap(pathNames))], dumpWithoutCounters)
    const addresses = await this.#reader.addresses(states.every(({ source }) => source === null) ? links : null)
    return (state) => this.#dueOver(links, addresses, state)
  }

  /** Null where no link of a path is up. A source that this host has lost is left out, unless it `isMissed`. */
  #dueOver(
    links: readonly RawLink[],
    addresses: Addresses,
    { destination, metric, source, paths }: NetworkState,
    isMissed = false,
  ): NewRoute | null {
    const family = familyOf({ destination }) === 4 ? AF_INET : AF_INET6
    const hops = carrying(paths).flatMap(({ interface_name, weight }) => {
      const link = links.find(({ name, flags }) => name === interface_name && (flags & IFF_UP) !== 0)
      return link ? [pathOver(link, addresses.get(link.index) ?? [], family, weight)] : []
    })
    if (hops.length === 0) return null
    const isHere = (): boolean => [...addresses.values()].flat().some(({ address }) => address === source)
    const [base = '', prefix_length] = destination.split('/')
    return {
      destination: base,
      prefix_length: Number(prefix_length),
      source: source !== null && (isMissed || isHere()) ? source : '',
      table: RT_TABLE_MAIN,
      protocol: ROUTE_PROTOCOL,
      metric,
      scope: RT_SCOPE_UNIVERSE,
      hops,
    }
  }

  #routes(): Promise<OurRoute[]> {
    return ourRoutes(this.#socket, (table) => table === RT_TABLE_MAIN)
  }

  #loopback(what: string): Promise<RawLink> {
    return this.#reader.need(LOOPBACK, what)
  }

  /** A kernel that keeps no origin has them by the record, and by what is `known` besides. */
  async #ownAddresses(known: readonly string[] = []): Promise<string[]> {
    const { index } = await this.#loopback('read addresses')
    const kept = new Set([...known, ...this.kept().flatMap(({ own_addresses }) => own_addresses)])
    const isOurs = ({ origin, address }: RawAddress): boolean =>
      origin === ROUTE_PROTOCOL || (!this.#knowsOrigin && kept.has(address))
    return (await this.#reader.linkAddresses(index)).filter(isOurs).map(({ address }) => address)
  }
}

/** Those to a destination. */
function byDestination<R extends Pick<OurRoute, 'destination' | 'prefix_length'>>(
  routes: readonly R[],
): (destination: string) => readonly R[] {
  const all = new Map<string, R[]>()
  for (const route of routes) {
    const key = `${route.destination}/${route.prefix_length}`
    all.set(key, [...(all.get(key) ?? []), route])
  }
  return (destination) => all.get(destination) ?? []
}

const isOfOthers = ({ table, protocol, isCached }: { table: number; protocol: number; isCached: boolean }): boolean =>
  table === RT_TABLE_MAIN && protocol !== ROUTE_PROTOCOL && !isCached

const onLoopback = (address: string) => ({
  address,
  peer_address: '',
  prefix_length: bitsOf(address.includes(':') ? 6 : 4),
})

const pathNames = ({ paths }: NetworkState): string[] => paths.map(({ interface_name }) => interface_name)

/** `due` is what the links that are up call for; null if none is. */
function lacking(
  state: NetworkState,
  routes: readonly OurRoute[],
  due: NewRoute | null,
  own: readonly string[],
  links: readonly RawLink[],
): NetworkState {
  const isUp = (name: string): boolean => links.some((link) => link.name === name && (link.flags & IFF_UP) !== 0)
  const by = carrying(state.paths).map(({ interface_name }) => interface_name)
  const isRight = due === null ? by.length > 0 || routes.length === 0 : isJust(due, routes)
  const lacks = [
    ...(isRight ? [] : ['route']),
    ...by.filter((name) => !isUp(name)),
    ...state.own_addresses.filter((address) => !own.includes(address)),
  ]
  return canonicalNetwork({ ...state, lacks })
}

/** The route alone, and no other of ours. */
const isJust = (due: NewRoute, routes: readonly OurRoute[]): boolean =>
  routes.length === 1 && routes.every((one) => shapeOf(one) === shapeOf(due))

function heldAs(
  routes: readonly OurRoute[],
  state: NetworkState,
  names: ReadonlyMap<number, string>,
): NetworkFound['held'] {
  const route = routes.find(({ metric }) => metric === state.metric) ?? routes[0]
  if (!route) return null
  const paths = hopsThatCarry(route.hops).flatMap(({ index, weight }) => {
    const interface_name = names.get(index)
    return interface_name === undefined ? [] : [{ interface_name, weight: Math.min(weight, 255) }]
  })
  return { metric: route.metric, source: route.source || null, paths }
}

function hashPolicyOf(family: 'ipv4' | 'ipv6'): number | null {
  const text = textIn(`/proc/sys/net/${family}/fib_multipath_hash_policy`)
  return text === null ? null : Number(text)
}

function isSince(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return first > major || (first === major && second >= minor)
}

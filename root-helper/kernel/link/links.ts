// Links and their addresses in the host's kernel, over rtnetlink.
import { randomBytes } from 'node:crypto'
import { parseIp } from '@panel/shared/address/ip.ts'
import { hardwareAddress } from '@panel/shared/tunnel/hardware-address.ts'
import { canonicalAddress } from '@panel/shared/tunnel/canonical.ts'
import type { FoundRoute, HostInterface, RoutingEntry, LinkSnapshot } from '@panel/shared/tunnel/observed.ts'
import type { LinkConfig, LinkKind, TunnelAddress } from '@panel/shared/tunnel/model.ts'
import type { RouteThrough } from '@panel/shared/tunnel/model.ts'
import type { FoundLink, Links, LinkSettings, SeenLink, NextHop, OwnLinks } from '../facilities.ts'
import type { LinkSource } from '../relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { madeOnce } from '@panel/shared/made-once.ts'
import { foundLink, greConfig, isOurs, isStub, linkSnapshot, seenLink } from './found.ts'
import { LinkReader } from './read.ts'
import { readSettings, writeSettings } from './settings.ts'
import { linkSources } from './sources.ts'
import { asNewRoute, foundRoute, routesThrough, routingEntries } from './routes.ts'
import { hostInterface } from './labels.ts'
import { deleteAddress, newAddress, restoreAddress, type RawAddress } from '../../netlink/address.ts'
import { AF_INET, IFF_LOOPBACK, IFLA_GRE_LINK } from '../../netlink/constants.ts'
import { encodeGre, impossibleGre, isOurKind } from '../../netlink/gre.ts'
import {
  addressAttribute,
  addressText,
  changeLink,
  deleteLink,
  dumpLinks,
  dumpWithoutCounters,
  mtuAttribute,
  newLink,
  queueAttribute,
  setLink,
  setLinkUp,
  setMulticast,
  type RawLink,
} from '../../netlink/link.ts'
import { newRoute, type RawRoute } from '../../netlink/route.ts'
import { NetlinkSocket, type Request } from '../../netlink/socket.ts'

/** The links of the network namespace in which it is called. */
export const openLinks = (own: OwnLinks): KernelLinks => new KernelLinks(new NetlinkSocket(), own)

export class KernelLinks implements Links {
  private readonly socket: NetlinkSocket
  private readonly reader: LinkReader
  private readonly own: OwnLinks
  private readonly links = madeOnce<SeenLink>()
  private readonly snapshots = madeOnce<LinkSnapshot>()

  constructor(socket: NetlinkSocket, own: OwnLinks) {
    this.socket = socket
    this.own = own
    this.reader = new LinkReader(socket)
  }

  async list(names: readonly string[] | null): Promise<FoundLink[]> {
    return (await this.seen(names, dumpLinks)).map(([raw, link]) => foundLink(raw, link))
  }

  async listUncounted(names: readonly string[] | null): Promise<SeenLink[]> {
    return (await this.seen(names, dumpWithoutCounters)).map(([, link]) => link)
  }

  private async seen(names: readonly string[] | null, dump: Request): Promise<[RawLink, SeenLink][]> {
    const all = names ? await this.reader.named(names, dump) : await this.reader.all(dump)
    const wanted = names ? all : all.filter((raw) => isOurKind(raw.kind) && !isStub(raw.name))
    const byIndex = await this.reader.addresses(wanted)
    const devices = await this.reader.deviceNames(wanted.flatMap(referredTo), all)
    return wanted.map((raw) => {
      const addresses = byIndex.get(raw.index) ?? []
      const make = (): SeenLink => seenLink(raw, addresses, devices)
      // With its counters a link is another one each time, and to keep it would only cost.
      if (dump !== dumpWithoutCounters) return [raw, make()]
      const below = referredTo(raw).map((index) => devices.get(index))
      return [raw, this.links(raw.name, [raw, ...addresses, ...below], make)]
    })
  }

  async observe(names: readonly string[]): Promise<LinkSnapshot[]> {
    const links = await this.reader.named(names, dumpWithoutCounters)
    const addresses = await this.reader.addresses(links)
    return links.map((raw) => {
      const own = addresses.get(raw.index) ?? []
      return this.snapshots(raw.name, [raw, ...own], () => ({
        interface_name: raw.name,
        observed: linkSnapshot(raw, greConfig(raw), own),
      }))
    })
  }

  async create(interface_name: string, config: LinkConfig): Promise<void> {
    const data = await this.greData(config, `create link ${interface_name}`)
    const address = hardwareAddress(interface_name, config)
    const attributes = [
      mtuAttribute(config.mtu),
      queueAttribute(config.tx_queue_length),
      ...(address === null ? [] : [addressAttribute(address)]),
    ]
    await this.socket.request(newLink(interface_name, config.kind, attributes, data, config.is_multicast))
    const { index, hardwareAddress: found } = await this.reader.need(interface_name, `create link ${interface_name}`)
    try {
      if (address !== null && addressText(found) !== address)
        throw refused(`create link ${interface_name}`, `the kernel gave it the address ${addressText(found)}`)
      await this.own.keep(index)
    } catch (error) {
      await this.socket.request(deleteLink(index, interface_name))
      throw error
    }
  }

  /**
   * The MTU is sent too, since the kernel computes it again where the message has none. It refuses path MTU discovery
   * while the link ignores DF, whatever the message says of that (ipgre_netlink_parms), so the one ends before the other
   * begins.
   */
  async change(interface_name: string, config: LinkConfig): Promise<void> {
    const what = `change ${config.kind} link ${interface_name}`
    const raw = await this.ownLink(interface_name, what)
    const send = async (shall: LinkConfig): Promise<void> => {
      const data = await this.greData(shall, what)
      await this.socket.request(changeLink(raw.index, what, shall.kind, [mtuAttribute(shall.mtu)], data))
    }
    if (greConfig(raw)?.is_ignore_df && config.is_path_mtu_discovery && !config.is_ignore_df)
      await send({ ...config, is_path_mtu_discovery: false })
    await send(config)
  }

  private async greData(config: LinkConfig, what: string): Promise<Buffer[]> {
    const { bind_device } = config
    const bindIndex = bind_device === null ? 0 : (await this.reader.need(bind_device, what)).index
    return encodeGre({ ...config, bindIndex })
  }

  async delete(interface_name: string): Promise<void> {
    const what = `delete link ${interface_name}`
    const raw = await this.ownLink(interface_name, what)
    if (!isOurs(raw)) throw refused(what, `a link of kind ${raw.kind || 'none'} is no tunnel`)
    await this.socket.request(deleteLink(raw.index, interface_name))
    this.own.gone(raw.index)
  }

  async setMtu(interface_name: string, mtu: number): Promise<void> {
    const what = `set mtu ${mtu} on ${interface_name}`
    await this.socket.request(setLink((await this.ownLink(interface_name, what)).index, what, mtuAttribute(mtu)))
  }

  async setTxQueueLength(interface_name: string, tx_queue_length: number): Promise<void> {
    const what = `set txqueuelen ${tx_queue_length} on ${interface_name}`
    await this.socket.request(
      setLink((await this.ownLink(interface_name, what)).index, what, queueAttribute(tx_queue_length)),
    )
  }

  async setMulticast(interface_name: string, is_multicast: boolean): Promise<void> {
    const what = `set multicast ${is_multicast ? 'on' : 'off'} on ${interface_name}`
    await this.socket.request(setMulticast((await this.ownLink(interface_name, what)).index, what, is_multicast))
  }

  async setUp(interface_name: string, is_up: boolean): Promise<void> {
    const { index } = await this.ownLink(interface_name, `set link ${interface_name} ${is_up ? 'up' : 'down'}`)
    await this.socket.request(setLinkUp(index, interface_name, is_up))
  }

  async addAddress(interface_name: string, address: TunnelAddress): Promise<void> {
    const { index } = await this.ownLink(interface_name, `add address ${address.address} to ${interface_name}`)
    await this.socket.request(newAddress(index, interface_name, address))
  }

  /**
   * Removes that address and no other: the kernel takes an IPv4 address's secondaries with it (inet_del_ifa), so those
   * are put back.
   */
  async removeAddress(interface_name: string, address: TunnelAddress): Promise<void> {
    const { index } = await this.ownLink(interface_name, `remove address ${address.address} from ${interface_name}`)
    const before = await this.reader.linkAddresses(index)
    await this.socket.request(deleteAddress(index, interface_name, address))
    const after = new Set((await this.reader.linkAddresses(index)).map(keyOf))
    const lost = before.filter(
      (raw) => raw.family === AF_INET && keyOf(raw) !== keyOf(canonicalAddress(address)) && !after.has(keyOf(raw)),
    )
    for (const raw of lost) await this.socket.request(restoreAddress(interface_name, raw))
  }

  async routesThrough(interface_name: string): Promise<RouteThrough[]> {
    const raw = await this.reader.find(interface_name)
    return raw ? routesThrough(await this.reader.routesOver(raw.index)) : []
  }

  /** networkd may have added its own again by itself; what counts is what is read back. */
  async addRoute(interface_name: string, route: RouteThrough): Promise<void> {
    const { index } = await this.ownLink(interface_name, `add the route to ${route.destination}`)
    try {
      await this.socket.request(newRoute(interface_name, asNewRoute(route, index)))
    } catch (error) {
      if (!(error instanceof KernelError && error.code === 'EEXIST')) throw error
    }
  }

  settings = async (interface_name: string): Promise<LinkSettings> => readSettings(interface_name)

  async changeSettings(interface_name: string, settings: LinkSettings): Promise<void> {
    await this.ownLink(interface_name, `set the sysctls of ${interface_name}`)
    writeSettings(interface_name, settings)
  }

  /**
   * Requests a link that the kind's driver must refuse: the kernel answers EINVAL if the driver exists, EOPNOTSUPP if
   * not.
   */
  async supports(kind: LinkKind): Promise<{ supported: boolean; detail: string }> {
    const name = `probe-${randomBytes(4).toString('hex')}`
    const what = `ask for a ${kind} link`
    try {
      await this.socket.request({ ...newLink(name, kind, [], impossibleGre), what })
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      return {
        supported: error.code === 'EINVAL',
        detail:
          error.code === 'EINVAL' ? `this kernel has the ${kind} driver` : error.message.slice(`${what}: `.length),
      }
    }
    const { index } = await this.reader.need(name, what)
    await this.socket.request(deleteLink(index, name))
    return {
      supported: true,
      detail: `this kernel has the ${kind} driver, which took a link that it should refuse; the link is removed`,
    }
  }

  async interfaces(): Promise<HostInterface[]> {
    const [links, addresses, arrivals] = await Promise.all([
      this.reader.all(),
      this.reader.addresses(null),
      this.reader.arrivals(),
    ])
    const bridges = new Map(links.filter(({ kind }) => kind === 'bridge').map(({ index, name }) => [index, name]))
    return links.map((raw) =>
      hostInterface(raw, addresses.get(raw.index) ?? [], {
        bridge: bridges.get(raw.master) ?? '',
        ...(arrivals.get(raw.index) ?? NO_ARRIVALS),
      }),
    )
  }

  async routingTable(): Promise<RoutingEntry[]> {
    const routes = await this.reader.routes()
    return routingEntries(
      routes,
      await this.reader.deviceNames(
        routes.map(({ index }) => index),
        [],
      ),
    )
  }

  async routesTo(addresses: readonly string[]): Promise<FoundRoute[]> {
    const routes: (RawRoute | null)[] = []
    for (const address of addresses) routes.push(parseIp(address) && (await this.reader.routeTo(address)))
    const names = await this.reader.deviceNames(
      routes.map((route) => route?.index ?? 0),
      [],
    )
    return routes.map((route) => foundRoute(route, names))
  }

  async nextHops(): Promise<NextHop[]> {
    const hops = (await this.reader.routes()).flatMap((route) => route.hops).filter(({ gateway }) => gateway !== '')
    const names = await this.reader.deviceNames(
      hops.map(({ index }) => index),
      [],
    )
    return hops.map(({ gateway, index }) => ({ gateway, device: names.get(index) ?? '' }))
  }

  async sources(): Promise<LinkSource[]> {
    const links = (await this.reader.all(dumpWithoutCounters)).filter(isOurs)
    const addresses = await this.reader.addresses(links)
    return links.flatMap((raw) => linkSources(raw.name, addresses.get(raw.index) ?? []))
  }

  async devices(): Promise<string[]> {
    const links = (await this.reader.all(dumpWithoutCounters)).filter(({ flags }) => (flags & IFF_LOOPBACK) === 0)
    const addresses = await this.reader.addresses(links)
    return links.filter((raw) => isOurs(raw) || (addresses.get(raw.index) ?? []).length > 0).map(({ name }) => name)
  }

  nameHolder(name: string): Promise<string | null> {
    return this.reader.holder(name)
  }

  close(): void {
    this.socket.close()
  }

  /**
   * Returns the link that has the name now. Writes go to its index, that is to this link, even if another gets the name
   * meanwhile.
   */
  private async ownLink(interface_name: string, what: string): Promise<RawLink> {
    const raw = await this.reader.need(interface_name, what)
    if (this.own.isOwn(raw.index) !== true) throw refused(what, 'the panel neither made nor adopted this link')
    return raw
  }
}

/** A link that came between two dumps. */
const NO_ARRIVALS = { forwards_ipv4: false, rp_filter: 0 } as const

const refused = (what: string, why: string): KernelError => new KernelError('EPERM', `${what}: refused: ${why}`)

const keyOf = ({ address, peer_address, prefix_length }: TunnelAddress | RawAddress): string =>
  `${address} ${peer_address} ${prefix_length}`

/** Indexes of the devices that a link refers to: its master, and its underlying device. */
const referredTo = (raw: RawLink): number[] => [
  raw.master,
  isOurKind(raw.kind) && raw.netnsid === null ? (raw.data?.u32(IFLA_GRE_LINK) ?? 0) : 0,
]

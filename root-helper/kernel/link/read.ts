// Reads links, addresses and routes of the host's kernel in as few requests as the question allows.
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import { KernelError } from '../../kernel-error.ts'
import { decodeAddress, dumpAddresses, type RawAddress } from '../../netlink/address.ts'
import { AF_INET, AF_INET6, NETCONFA_IFINDEX_ALL } from '../../netlink/constants.ts'
import { decodedOnce } from '../../netlink/decoded-once.ts'
import {
  decodeLink,
  dumpLinks,
  dumpWithoutCounters,
  getLink,
  getLinkByIndex,
  type RawLink,
} from '../../netlink/link.ts'
import type { Message } from '../../netlink/message.ts'
import { decodeNetconf, dumpNetconf } from '../../netlink/netconf.ts'
import { decodeRoute, dumpRoutes, lookUpRoute, type RawRoute } from '../../netlink/route.ts'
import type { NetlinkSocket, Request } from '../../netlink/socket.ts'

// IFNAMSIZ - 1 in linux/if.h.
const NAME_BYTES_MAX = 15
// Above this, one dump of everything is quicker than asking by name (measured with 1000 links: 60 us a name, 5 ms a
// dump).
const FEW = 8

/** No route at all, or one of type unreachable, prohibit or blackhole. */
const NO_ROUTE = ['ENETUNREACH', 'EHOSTUNREACH', 'EACCES', 'EINVAL']

export type Arrivals = Pick<HostInterface, 'forwards_ipv4' | 'rp_filter'>
export type Addresses = ReadonlyMap<number, RawAddress[]>

export class LinkReader {
  private readonly socket: NetlinkSocket

  constructor(socket: NetlinkSocket) {
    this.socket = socket
  }

  private readonly decodeLinks = decodedOnce(decodeLink)
  private readonly decodeAddresses = decodedOnce(decodeAddress)

  /** Null where there is no link of that very name; the kernel would also take an alternative name for it. */
  async find(name: string): Promise<RawLink | null> {
    const raw = await this.answeringTo(name)
    return raw?.name === name ? raw : null
  }

  /** The name of the link that the kernel finds under it, be it an alternative name of that link. */
  async holder(name: string): Promise<string | null> {
    return (await this.answeringTo(name))?.name ?? null
  }

  private async answeringTo(name: string): Promise<RawLink | null> {
    if (name === '' || Buffer.byteLength(name) > NAME_BYTES_MAX) return null
    return this.one(getLink(name))
  }

  /** Throws ENODEV where there is none. */
  async need(name: string, what: string): Promise<RawLink> {
    const raw = await this.find(name)
    if (!raw) throw new KernelError('ENODEV', `${what}: ENODEV: there is no link ${name}`)
    return raw
  }

  /** All links, in the order of their indexes. Counters change always, so what has them is decoded each time. */
  async all(dump = dumpLinks): Promise<RawLink[]> {
    const messages = await this.socket.dump(dump)
    return dump === dumpWithoutCounters ? this.decodeLinks(messages) : messages.map(decodeLink)
  }

  /** Those of the names that exist. */
  async named(names: readonly string[], dump = dumpLinks): Promise<RawLink[]> {
    const wanted = new Set(names)
    if (wanted.size > FEW) return (await this.all(dump)).filter(({ name }) => wanted.has(name))
    const found = await Promise.all([...wanted].map((name) => this.find(name)))
    return found.filter((raw) => raw !== null)
  }

  /** Addresses by the index of their link, of the given links or of all. */
  async addresses(links: readonly RawLink[] | null): Promise<Addresses> {
    const isFew = links !== null && links.length <= FEW
    const all = await Promise.all(isFew ? links.map(({ index }) => this.linkAddresses(index)) : [this.linkAddresses(0)])
    const byIndex = new Map<number, RawAddress[]>()
    for (const address of all.flat()) byIndex.set(address.index, [...(byIndex.get(address.index) ?? []), address])
    return byIndex
  }

  /** Addresses of one link (0: of all); none where the link has gone since. */
  async linkAddresses(index: number): Promise<RawAddress[]> {
    const messages = await orNull(this.socket.dump(dumpAddresses(index)))
    const decoded = index === 0 ? this.decodeAddresses(messages ?? []) : (messages ?? []).map(decodeAddress)
    return decoded.filter((address) => address !== null)
  }

  /** What becomes of packets of IPv4 that come in by each interface, by its index. */
  async arrivals(): Promise<ReadonlyMap<number, Arrivals>> {
    const settings = (await this.socket.dump(dumpNetconf)).map(decodeNetconf)
    const ofAll = settings.find(({ index }) => index === NETCONFA_IFINDEX_ALL)?.rpFilter ?? 0
    return new Map(
      settings.map(({ index, isForwarding, rpFilter }) => [
        index,
        { forwards_ipv4: isForwarding, rp_filter: Math.max(ofAll, rpFilter) },
      ]),
    )
  }

  /** Names of the devices that the links refer to. */
  async deviceNames(indexes: Iterable<number>, cached: readonly RawLink[]): Promise<Map<number, string>> {
    const names = new Map(cached.map(({ index, name }) => [index, name]))
    const missing = [...new Set(indexes)].filter((index) => index !== 0 && !names.has(index))
    const found =
      missing.length > FEW
        ? await this.all()
        : await Promise.all(missing.map((index) => this.one(getLinkByIndex(index))))
    for (const raw of found) if (raw) names.set(raw.index, raw.name)
    return names
  }

  /** The kernel answers for all families where it does not know the requested one, so the answer is filtered. */
  async routes(): Promise<RawRoute[]> {
    const families = [AF_INET, AF_INET6] as const
    const dumps = await Promise.all(families.map((family) => this.socket.dump(dumpRoutes(family))))
    return dumps
      .flatMap((messages, i) => messages.map(decodeRoute).filter((route) => route?.family === families[i]))
      .filter((route) => route !== null)
  }

  /** The routes over one link, in the kernel's order; none if the link has gone. */
  async routesOver(index: number): Promise<Message[]> {
    const families = [AF_INET, AF_INET6] as const
    const dumps = await Promise.all(families.map((family) => orNull(this.socket.dump(dumpRoutes(family, { index })))))
    return dumps.flatMap((messages) => messages ?? [])
  }

  /** Null where the kernel has none, or one that leads nowhere. */
  async routeTo(address: string): Promise<RawRoute | null> {
    const [message] = (await orNull(this.socket.request(lookUpRoute(address)), NO_ROUTE)) ?? []
    return message ? decodeRoute(message) : null
  }

  private async one(request: Request): Promise<RawLink | null> {
    const [message] = (await orNull(this.socket.request(request))) ?? []
    return message ? decodeLink(message) : null
  }
}

async function orNull<T>(answer: Promise<T>, codes: readonly string[] = ['ENODEV']): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof KernelError && codes.includes(error.code)) return null
    throw error
  }
}

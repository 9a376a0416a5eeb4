// Tunnels that are answered through: what comes in by them for their own addresses goes back by them, whatever the
// routing tables say (decisions.md, T27); what comes in for an own address of a network goes back by its paths (T42);
// and what comes in for a relay rule that names an interface by that interface (T45).
// The kernel is given what the links that are up call for.
import type { Message } from '@panel/shared/messages/message.ts'
import { carrying, familyOf } from '@panel/shared/network/canonical.ts'
import type { Uplink } from '@panel/shared/ruleset/found.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { isAnswerMark, type Answered, type AnswersDue } from '@panel/shared/ruleset/nft/answers.ts'
import type { Answers } from '../facilities.ts'
import type { HeldForBoot } from '../relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import type { RawAddress } from '../../netlink/address.ts'
import { AF_INET, AF_INET6, IFF_UP, RTN_UNICAST } from '../../netlink/constants.ts'
import { dumpWithoutCounters, type RawLink } from '../../netlink/link.ts'
import { decodeRoute, resolveRoute } from '../../netlink/route.ts'
import type { NetlinkSocket } from '../../netlink/socket.ts'
import { writeSettings } from '../link/settings.ts'
import { LinkReader, type Addresses } from '../link/read.ts'
import { isUnmanaged } from '../link/found.ts'
import { hopOver, pathOver } from '../networks/hop.ts'
import type { KeptNetwork, NetworksRecord } from '../networks/record.ts'
import { textIn } from '../files/proc.ts'
import type { AnsweredTunnel, AnswersRecord } from './record.ts'
import { AnswerRouting, type Way } from './routing.ts'
import type { AnswersTable } from './table.ts'
import { dueUplinks, type DueUplink } from './uplinks.ts'

/** Addresses that are nobody's, so that only a default route leads there. Nothing is sent. */
const ANYWHERE = { 4: '240.0.0.1', 6: '4000::1' } as const

interface Due {
  readonly ways: readonly Way[]
  readonly table: AnswersDue
  readonly uplinks: readonly DueUplink[]
  /** Links whose arrivals the kernel would drop, since their way back is another one. */
  readonly strict: readonly string[]
}

export class KernelAnswers implements Answers {
  readonly #socket: NetlinkSocket
  readonly #reader: LinkReader
  readonly #routing: AnswerRouting
  readonly #record: AnswersRecord
  readonly #networks: NetworksRecord
  readonly #table: AnswersTable
  readonly #boot: () => HeldForBoot
  /** Why rules are not answered by the interfaces that they name; null where they are. Undefined: not checked yet. */
  #refusal: Message | null | undefined
  /** Nothing is due, and nothing of ours is left. */
  #isClean = false

  constructor(
    socket: NetlinkSocket,
    record: AnswersRecord,
    networks: NetworksRecord,
    table: AnswersTable,
    boot: () => HeldForBoot,
  ) {
    this.#socket = socket
    this.#reader = new LinkReader(socket)
    this.#routing = new AnswerRouting(socket)
    this.#record = record
    this.#networks = networks
    this.#table = table
    this.#boot = boot
  }

  names(): string[] {
    return this.#record.tunnels.map(({ interface_name }) => interface_name)
  }

  async found(): Promise<{ interface_name: string; is_whole: boolean }[]> {
    const { tunnels } = this.#record
    if (tunnels.length === 0) return []
    const due = await this.#due()
    const isWhole = await this.#isWhole(due)
    return tunnels.map(({ interface_name }) => ({
      interface_name,
      is_whole: isWhole && !due.strict.includes(interface_name),
    }))
  }

  async isWhole(): Promise<boolean> {
    const due = await this.#due()
    const names = this.#ofNetworks().flatMap(pathNames)
    return !due.strict.some((name) => names.includes(name)) && this.#isWhole(due)
  }

  async uplinks(): Promise<Uplink[]> {
    if (!this.#namesInterfaces()) return []
    const due = await this.#due()
    if (due.uplinks.length === 0 || !(await this.#isWhole(due))) return []
    return due.uplinks.map(({ interface_name, family, gateway }) => ({ interface_name, family, gateway }))
  }

  async #isWhole({ ways, table }: Due): Promise<boolean> {
    const { missing, extra } = await this.#routing.differences(ways)
    return missing.length + extra.length === 0 && this.#table.isWhole(table)
  }

  marked(): string[] {
    return [
      ...this.names(),
      ...this.#ofNetworks().map(({ state }) => state.destination),
      ...this.#rules().flatMap(({ bind_interface }) => bind_interface ?? []),
    ]
  }

  /** Networks of which something is answered. */
  #ofNetworks(): KeptNetwork[] {
    return this.#networks.networks.filter(({ state }) => state.own_addresses.length > 0)
  }

  async start(interface_name: string): Promise<void> {
    const held = this.#record.tunnels.find((one) => one.interface_name === interface_name)
    if (!held) await this.#record.put({ interface_name, number: this.#record.freeNumber(), rp_filter: null })
    await this.follow()
  }

  async stop(interface_name: string): Promise<void> {
    const held = this.#record.tunnels.find((one) => one.interface_name === interface_name)
    if (held) await this.#record.remove([interface_name])
    await this.follow()
    if (held?.rp_filter != null) await this.#letGo(interface_name, held.rp_filter)
  }

  forget(interface_names: readonly string[]): Promise<void> {
    return this.#record.remove(interface_names)
  }

  async follow(): Promise<void> {
    // What a damaged record spoke of is not known, so nothing of it is taken away.
    if (this.trouble() !== null || (this.#isClean && this.#isIdle())) return
    this.#isClean = false
    const due = await this.#due()
    for (const name of due.strict) await this.#loosen(name)
    for (const [name, value] of Object.entries(this.#networks.filters))
      if (!this.#isPath(name)) {
        await this.#networks.setFilter(name, null)
        await this.#letGo(name, value)
      }
    const { missing, extra } = await this.#routing.differences(due.ways)
    // One that is not as it should be is in the place of one that is missing.
    for (const request of extra) await this.#unlessDone(request, 'ENOENT', 'ESRCH')
    for (const request of missing) await this.#unlessDone(request, 'EEXIST')
    await this.#table.put(due.table)
    this.#isClean = this.#isIdle()
  }

  #isIdle(): boolean {
    return this.#record.tunnels.length + this.#networks.networks.length === 0 && !this.#namesInterfaces()
  }

  refusal(): Promise<Message | null> {
    return this.#table.refusal()
  }

  trouble(): string | null {
    return this.#record.trouble ?? this.#networks.trouble ?? this.#boot().boot_trouble
  }

  #rules(): readonly RelayRule[] {
    return this.#boot().boot_rules
  }

  #namesInterfaces(): boolean {
    return this.#rules().some(({ bind_interface }) => bind_interface !== null)
  }

  async #unlessDone(request: Parameters<NetlinkSocket['request']>[0], ...done: readonly string[]): Promise<void> {
    try {
      await this.#socket.request(request)
    } catch (error) {
      if (!(error instanceof KernelError && done.includes(error.code))) throw error
    }
  }

  /** A link that is down, or is not there, calls for nothing. */
  async #due(): Promise<Due> {
    const { tunnels } = this.#record
    const names = [...this.names(), ...this.#networks.networks.flatMap(pathNames)]
    const links = (await this.#reader.named(names, dumpWithoutCounters)).filter(({ flags }) => (flags & IFF_UP) !== 0)
    const addresses = await this.#reader.addresses(links)
    const isIdle = links.length === 0 && !this.#namesInterfaces()
    const own = isIdle ? NO_OWN : { 4: await this.#own(4), 6: await this.#own(6) }
    const arrivals = links.length === 0 ? null : await this.#reader.arrivals()
    const taken = new Set<string>()
    const each = tunnels.flatMap((tunnel) => {
      const link = links.find(({ name }) => name === tunnel.interface_name)
      return link ? [dueOf(tunnel, link, addresses.get(link.index) ?? [], own, taken)] : []
    })
    each.push(...this.#ofNetworks().flatMap((network) => dueOfNetwork(network, links, addresses, own, taken)))
    const uplinks = await this.#dueUplinks(own)
    return {
      ways: [...each.flatMap(({ ways }) => ways), ...uplinks.map(({ way }) => way)],
      table: {
        addresses: each.flatMap(({ answered }) => answered),
        rules: uplinks.flatMap(({ way: { number }, route_rule_ids }) =>
          route_rule_ids.map((route_rule_id) => ({ route_rule_id, number })),
        ),
      },
      uplinks,
      strict: links.filter(({ index }) => arrivals?.get(index)?.rp_filter === 1).map(({ name }) => name),
    }
  }

  /** What is answered as a tunnel is so whatever rules name it. A host that cannot do it relays all the same. */
  async #dueUplinks(own: Own): Promise<DueUplink[]> {
    const due = await dueUplinks(this.#reader, this.#rules(), this.names(), { 4: own[4].index, 6: own[6].index })
    const isMarkTaken = this.#rules().some(({ fwmark }) => fwmark !== null && isAnswerMark(fwmark))
    if (due.length === 0 || isMarkTaken) return []
    if (this.#refusal === undefined) this.#refusal = await this.#table.refusal()
    return this.#refusal === null ? due : []
  }

  /** How the kernel sends this host's own packets: by which link, with which address. */
  async #own(family: 4 | 6): Promise<OwnWay> {
    const [found] = await this.#socket.request(resolveRoute(ANYWHERE[family])).catch((error: unknown) => {
      if (error instanceof KernelError) return []
      throw error
    })
    const route = found ? decodeRoute(found) : null
    if (route?.type !== RTN_UNICAST) return NOWHERE
    return { index: route.index, address: route.source === '' ? null : route.source }
  }

  async #loosen(interface_name: string): Promise<void> {
    const held = this.#record.tunnels.find((one) => one.interface_name === interface_name)
    const [before, ofPath] = [rpFilterOf(interface_name) ?? '0', this.#networks.filters[interface_name]]
    if (held && held.rp_filter === null) await this.#record.put({ ...held, rp_filter: ofPath ?? before })
    if (!held && ofPath === undefined) await this.#networks.setFilter(interface_name, before)
    setRpFilter(interface_name, LOOSE)
  }

  /** Sets a link as it was, unless it is a path, or a tunnel that is answered through, besides. */
  async #letGo(interface_name: string, value: string): Promise<void> {
    const held = this.#record.tunnels.find((one) => one.interface_name === interface_name)
    if (held) return held.rp_filter === null ? this.#record.put({ ...held, rp_filter: value }) : undefined
    if (this.#isPath(interface_name)) return this.#networks.setFilter(interface_name, value)
    if (rpFilterOf(interface_name) === LOOSE) setRpFilter(interface_name, value)
  }

  #isPath(interface_name: string): boolean {
    return this.#networks.networks.some((one) => pathNames(one).includes(interface_name))
  }
}

const pathNames = ({ state }: KeptNetwork): string[] => state.paths.map(({ interface_name }) => interface_name)

interface OwnWay {
  readonly index: number
  readonly address: string | null
}
type Own = Readonly<Record<4 | 6, OwnWay>>
const NOWHERE: OwnWay = { index: 0, address: null }
const NO_OWN: Own = { 4: NOWHERE, 6: NOWHERE }
/** What one tunnel or network has due. */
interface Part {
  readonly ways: readonly Way[]
  readonly answered: readonly Answered[]
}

/** `taken` are the addresses of tunnels before it: one that two of them have is answered by the first. */
function dueOf(
  { interface_name, number }: AnsweredTunnel,
  link: RawLink,
  addresses: readonly RawAddress[],
  own: Own,
  taken: Set<string>,
): Part {
  const managed = addresses.filter((one) => !isUnmanaged(one))
  const ways = ([AF_INET, AF_INET6] as const).flatMap((family): Way[] => {
    const isAny = managed.some((one) => one.family === family)
    return isAny ? [{ family, number, hops: [hopOver(link, managed, family)] }] : []
  })
  const fresh = managed.filter(({ address }) => !taken.has(address) && taken.add(address))
  return {
    ways,
    answered: fresh.map(({ address, family }) => ({
      interface_names: [interface_name],
      number,
      address,
      own: otherThan(address, own[family === AF_INET ? 4 : 6].address),
    })),
  }
}

/** What comes in by a path that carries nothing now is answered all the same, by those that do. */
function dueOfNetwork(
  network: KeptNetwork,
  links: readonly RawLink[],
  addresses: Addresses,
  own: Own,
  taken: Set<string>,
): Part[] {
  const { number, state } = network
  const family = familyOf(state) === 4 ? AF_INET : AF_INET6
  const hops = carrying(state.paths).flatMap(({ interface_name, weight }) => {
    const link = links.find(({ name }) => name === interface_name)
    return link ? [pathOver(link, addresses.get(link.index) ?? [], family, weight)] : []
  })
  if (hops.length === 0) return []
  const interface_names = pathNames(network)
  const fresh = state.own_addresses.filter((address) => !taken.has(address) && taken.add(address))
  const ofHost = own[familyOf(state)].address
  return [
    {
      ways: [{ family, number, hops }],
      answered: fresh.map((address) => ({ interface_names, number, address, own: otherThan(address, ofHost) })),
    },
  ]
}

const otherThan = (address: string, ofHost: string | null): string | null => (ofHost === address ? null : ofHost)

/** Arrivals whose way back is another interface are taken, and those without a way back are not. */
const LOOSE = '2'

const rpFilterOf = (interface_name: string): string | null =>
  textIn(`/proc/sys/net/ipv4/conf/${interface_name}/rp_filter`)?.trim() ?? null

const setRpFilter = (interface_name: string, value: string): void =>
  writeSettings(interface_name, [{ family: 'ipv4', key: 'rp_filter', value }])

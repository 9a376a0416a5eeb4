// Tunnels that are answered through: what comes in by them for their own addresses goes back by them, whatever the
// routing tables say (decisions.md, T27). The kernel is given what the links that are up call for.
import type { Message } from '@panel/shared/messages/message.ts'
import { farEnds } from '@panel/shared/tunnel/far-end.ts'
import type { Answered } from '@panel/shared/ruleset/nft/answers.ts'
import type { Answers } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import type { RawAddress } from '../../netlink/address.ts'
import { AF_INET, AF_INET6, IFF_NOARP, IFF_UP, RTN_UNICAST } from '../../netlink/constants.ts'
import { dumpWithoutCounters, type RawLink } from '../../netlink/link.ts'
import { decodeRoute, resolveRoute } from '../../netlink/route.ts'
import type { NetlinkSocket } from '../../netlink/socket.ts'
import { writeSettings } from '../link/settings.ts'
import { LinkReader } from '../link/read.ts'
import { isUnmanaged } from '../link/found.ts'
import { textIn } from '../files/proc.ts'
import type { AnsweredTunnel, AnswersRecord } from './record.ts'
import { AnswerRouting, type Way } from './routing.ts'
import type { AnswersTable } from './table.ts'

/** Addresses that are nobody's, so that only a default route leads there. Nothing is sent. */
const ANYWHERE = { 4: '240.0.0.1', 6: '4000::1' } as const

interface Due {
  readonly ways: readonly Way[]
  readonly answered: readonly Answered[]
  /** Links whose arrivals the kernel would drop, since their way back is another one. */
  readonly strict: readonly string[]
}

export class KernelAnswers implements Answers {
  readonly #socket: NetlinkSocket
  readonly #reader: LinkReader
  readonly #routing: AnswerRouting
  readonly #record: AnswersRecord
  readonly #table: AnswersTable
  /** Nothing is due, and nothing of ours is left. */
  #isClean = false

  constructor(socket: NetlinkSocket, record: AnswersRecord, table: AnswersTable) {
    this.#socket = socket
    this.#reader = new LinkReader(socket)
    this.#routing = new AnswerRouting(socket)
    this.#record = record
    this.#table = table
  }

  names(): string[] {
    return this.#record.tunnels.map(({ interface_name }) => interface_name)
  }

  async found(): Promise<{ interface_name: string; is_whole: boolean }[]> {
    const { tunnels } = this.#record
    if (tunnels.length === 0) return []
    const due = await this.#due()
    const { missing, extra } = await this.#routing.differences(due.ways)
    const isWhole = missing.length + extra.length === 0 && (await this.#table.isWhole(due.answered))
    return tunnels.map(({ interface_name }) => ({
      interface_name,
      is_whole: isWhole && !due.strict.includes(interface_name),
    }))
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
    if (held?.rp_filter != null && rpFilterOf(interface_name) === LOOSE) setRpFilter(interface_name, held.rp_filter)
  }

  forget(interface_names: readonly string[]): Promise<void> {
    return this.#record.remove(interface_names)
  }

  async follow(): Promise<void> {
    // What a damaged record spoke of is not known, so nothing of it is taken away.
    if (this.#record.trouble !== null || (this.#isClean && this.#record.tunnels.length === 0)) return
    this.#isClean = false
    const due = await this.#due()
    for (const name of due.strict) await this.#loosen(name)
    const { missing, extra } = await this.#routing.differences(due.ways)
    // One that is not as it should be is in the place of one that is missing.
    for (const request of extra) await this.#unlessDone(request, 'ENOENT', 'ESRCH')
    for (const request of missing) await this.#unlessDone(request, 'EEXIST')
    await this.#table.put(due.answered)
    this.#isClean = this.#record.tunnels.length === 0
  }

  refusal(): Promise<Message | null> {
    return this.#table.refusal()
  }

  trouble(): string | null {
    return this.#record.trouble
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
    if (tunnels.length === 0) return { ways: [], answered: [], strict: [] }
    const links = (
      await this.#reader.named(
        tunnels.map(({ interface_name }) => interface_name),
        dumpWithoutCounters,
      )
    ) //
      .filter(({ flags }) => (flags & IFF_UP) !== 0)
    const addresses = await this.#reader.addresses(links)
    const own = links.length === 0 ? NO_OWN : { 4: await this.#own(4), 6: await this.#own(6) }
    const arrivals = links.length === 0 ? null : await this.#reader.arrivals()
    const taken = new Set<string>()
    const each = tunnels.flatMap((tunnel) => {
      const link = links.find(({ name }) => name === tunnel.interface_name)
      return link ? [dueOf(tunnel, link, addresses.get(link.index) ?? [], own, taken)] : []
    })
    return {
      ways: each.flatMap(({ ways }) => ways),
      answered: each.flatMap(({ answered }) => answered),
      strict: links.filter(({ index }) => arrivals?.get(index)?.rp_filter === 1).map(({ name }) => name),
    }
  }

  /** The address that the kernel gives this host's own packets, or null. */
  async #own(family: 4 | 6): Promise<string | null> {
    const [found] = await this.#socket.request(resolveRoute(ANYWHERE[family])).catch((error: unknown) => {
      if (error instanceof KernelError) return []
      throw error
    })
    const route = found ? decodeRoute(found) : null
    return route?.type === RTN_UNICAST && route.source !== '' ? route.source : null
  }

  async #loosen(interface_name: string): Promise<void> {
    const held = this.#record.tunnels.find((one) => one.interface_name === interface_name)
    if (!held) return
    if (held.rp_filter === null) await this.#record.put({ ...held, rp_filter: rpFilterOf(interface_name) ?? '0' })
    setRpFilter(interface_name, LOOSE)
  }
}

type Own = Readonly<Record<4 | 6, string | null>>
const NO_OWN: Own = { 4: null, 6: null }

/** `taken` are the addresses of tunnels before it: one that two of them have is answered by the first. */
function dueOf(
  { interface_name, number }: AnsweredTunnel,
  { index, flags }: RawLink,
  addresses: readonly RawAddress[],
  own: Own,
  taken: Set<string>,
): Pick<Due, 'ways' | 'answered'> {
  const managed = addresses.filter((one) => !isUnmanaged(one))
  const ways = ([AF_INET, AF_INET6] as const).flatMap((family): Way[] => {
    const some = managed.filter((one) => one.family === family)
    const [gateway = ''] = (flags & IFF_NOARP) === 0 ? farEnds(some) : []
    return some.length > 0 ? [{ family, number, index, gateway }] : []
  })
  const fresh = managed.filter(({ address }) => !taken.has(address) && taken.add(address))
  return {
    ways,
    answered: fresh.map(({ address, family }) => {
      const ofHost = own[family === AF_INET ? 4 : 6]
      return { interface_name, number, address, own: ofHost === address ? null : ofHost }
    }),
  }
}

/** Arrivals whose way back is another interface are taken, and those without a way back are not. */
const LOOSE = '2'

const rpFilterOf = (interface_name: string): string | null =>
  textIn(`/proc/sys/net/ipv4/conf/${interface_name}/rp_filter`)?.trim() ?? null

const setRpFilter = (interface_name: string, value: string): void =>
  writeSettings(interface_name, [{ family: 'ipv4', key: 'rp_filter', value }])

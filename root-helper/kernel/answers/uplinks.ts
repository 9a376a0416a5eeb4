// Interfaces that relay rules name: what came in by one of them is answered by it, though this host sends its own
// packets by another (decisions.md, T45). The networks behind the other one drop what bears an address that is not theirs.
import { familyOf } from '@panel/shared/ruleset/canonical.ts'
import type { Uplink } from '@panel/shared/ruleset/found.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { AF_INET, AF_INET6, IFF_UP, RT_TABLE_MAIN, RTN_UNICAST } from '../../netlink/constants.ts'
import { dumpWithoutCounters, type RawLink } from '../../netlink/link.ts'
import type { Message } from '../../netlink/message.ts'
import { decodeRoute, type RawRoute } from '../../netlink/route.ts'
import type { LinkReader } from '../link/read.ts'
import type { Way } from './routing.ts'

/** Numbers between those of tunnels, which begin at 1, and those of networks, which end at 0xffff. */
const NUMBERS = { from: 0xa000, count: 0x4000 } as const

export interface DueUplink extends Uplink {
  readonly way: Way
  readonly route_rule_ids: readonly number[]
}

/** Rules that name an interface, by that and their family. */
interface Named {
  readonly interface_name: string
  readonly family: 4 | 6
  readonly route_rule_ids: number[]
}

/**
 * `besides` are interfaces that are answered for another reason, `first` the indexes of those by which this host sends
 * its own packets, 0 if there is none.
 */
export async function dueUplinks(
  reader: LinkReader,
  rules: readonly RelayRule[],
  besides: readonly string[],
  first: Readonly<Record<4 | 6, number>>,
): Promise<DueUplink[]> {
  const named = namedBy(rules).filter(({ interface_name }) => !besides.includes(interface_name))
  if (named.length === 0) return []
  const names = [...new Set(named.map(({ interface_name }) => interface_name))]
  const links = (await reader.named(names, dumpWithoutCounters)).filter(({ flags }) => (flags & IFF_UP) !== 0)
  const numbers = numbersOf(links)
  const routes = new Map<number, RawRoute[]>()
  for (const { index } of links) routes.set(index, (await reader.routesOver(index)).flatMap(ofMain))
  const due: DueUplink[] = []
  for (const { interface_name, family, route_rule_ids } of named) {
    const link = links.find(({ name }) => name === interface_name)
    if (!link) continue
    const kernelFamily = family === 4 ? AF_INET : AF_INET6
    const ofFamily = (routes.get(link.index) ?? []).filter((one) => one.family === kernelFamily)
    const way = wayOver(link.index, ofFamily, first[family])
    if (!way) continue
    const number = numbers.get(link.index) ?? 0
    due.push({
      interface_name,
      family,
      gateway: way.hops[0]?.gateway ?? '',
      way: { ...way, family: kernelFamily, number },
      route_rule_ids,
    })
  }
  return due
}

function namedBy(rules: readonly RelayRule[]): Named[] {
  const named = new Map<string, Named>()
  for (const rule of rules) {
    const { bind_interface: interface_name, route_rule_id } = rule
    if (interface_name === null) continue
    const family = familyOf(rule)
    const key = `${family} ${interface_name}`
    const known = named.get(key) ?? { interface_name, family, route_rule_ids: [] }
    known.route_rule_ids.push(route_rule_id)
    named.set(key, known)
  }
  return [...named.values()]
}

/** A number that stays with a link as long as there is no other whose index ends alike. */
function numbersOf(links: readonly RawLink[]): Map<number, number> {
  const taken = new Set<number>()
  const numbers = new Map<number, number>()
  for (const { index } of [...links].sort((a, b) => a.index - b.index)) {
    let place = index % NUMBERS.count
    while (taken.has(place)) place = (place + 1) % NUMBERS.count
    taken.add(place)
    numbers.set(index, NUMBERS.from + place)
  }
  return numbers
}

/** Routes by which packets without a mark leave. */
function ofMain(one: Message): RawRoute[] {
  const route = decodeRoute(one)
  return route?.table === RT_TABLE_MAIN && route.type === RTN_UNICAST && !route.isCached ? [route] : []
}

/** Null if the link has no default route, or the host sends by it alone anyway. */
function wayOver(index: number, routes: readonly RawRoute[], first: number): Pick<Way, 'hops' | 'neighbours'> | null {
  const over = ({ hops }: RawRoute) => hops.find((hop) => hop.index === index && !hop.isDead)
  const [route] = routes
    .filter((one) => one.prefix_length === 0 && over(one))
    .sort((one, other) => one.metric - other.metric)
  const hop = route && over(route)
  if (!hop || (index === first && route.hops.length === 1)) return null
  const { gateway } = hop
  return {
    hops: [{ index, gateway, weight: 1, isOnlink: gateway !== '' }],
    neighbours: routes.flatMap(({ destination, prefix_length, gateway: by, hops }) =>
      prefix_length > 0 && by === '' && hops.length === 1 ? [{ destination, prefix_length }] : [],
    ),
  }
}

// The rules and routes by which marked answers find their way: what is due, what the kernel holds of ours, and what
// differs. Ours have a protocol of their own; nothing else is read as ours, or removed.
import { ROUTE_PROTOCOL } from '@panel/shared/network/model.ts'
import { ANSWER_BASE, ANSWER_MASK, ANSWER_NUMBER_MAX, answerMark } from '@panel/shared/ruleset/nft/answers.ts'
import { ipText, type AddressFamily } from '../../netlink/bytes.ts'
import { AF_INET, RT_SCOPE_LINK, RT_SCOPE_UNIVERSE } from '../../netlink/constants.ts'
import { deleteRoute, newRoute, replaceRoute, type NewHop, type NewRoute } from '../../netlink/route.ts'
import { decodeRule, deleteRule, dumpRules, newRule, type NewRule } from '../../netlink/rule.ts'
import type { NetlinkSocket, Request } from '../../netlink/socket.ts'
import { dumpBoth, ourRoutes, shapeOf, withoutHops, type OurRoute } from '../our-routes.ts'

/** The priority of our rules: behind the local table and ahead of the rules that distributions and VPNs add. */
const PRIORITY = 19_995

/** One hop for a tunnel or an interface, and one for each path of a network. */
export interface Way {
  readonly family: AddressFamily
  readonly number: number
  readonly hops: readonly NewHop[]
  /** Networks that the link is in itself, so that no gateway leads there. */
  readonly neighbours?: readonly Pick<NewRoute, 'destination' | 'prefix_length'>[]
}

const ruleOf = ({ family, number }: Way): NewRule => ({
  family,
  priority: PRIORITY,
  protocol: ROUTE_PROTOCOL,
  mark: answerMark(number),
  mask: ANSWER_MASK,
  table: answerMark(number),
})

/** The table of the mark. */
const routesOf = (way: Way): NewRoute[] => [
  routeOf(way, ipText(Buffer.alloc(way.family === AF_INET ? 4 : 16)), 0),
  ...(way.neighbours ?? []).map(({ destination, prefix_length }) => {
    const hops = way.hops.map((hop) => ({ ...hop, gateway: '', isOnlink: false }))
    return routeOf({ ...way, hops }, destination, prefix_length)
  }),
]

const routeOf = ({ family, number, hops }: Way, destination: string, prefix_length: number): NewRoute => ({
  destination,
  prefix_length,
  source: '',
  table: answerMark(number),
  protocol: ROUTE_PROTOCOL,
  metric: family === AF_INET ? 0 : METRIC_OF_IPV6,
  scope: family === AF_INET && hops.every(({ gateway }) => gateway === '') ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
  hops,
})

/** The kernel gives a route of IPv6 this one if none is named (IP6_RT_PRIO_USER). */
const METRIC_OF_IPV6 = 1024

const isOurTable = (table: number): boolean => table > ANSWER_BASE && table <= ANSWER_BASE + ANSWER_NUMBER_MAX

export class AnswerRouting {
  readonly #socket: Pick<NetlinkSocket, 'dump' | 'request'>

  constructor(socket: Pick<NetlinkSocket, 'dump' | 'request'>) {
    this.#socket = socket
  }

  /** What the kernel lacks of what is due, and what it has beside. */
  async differences(due: readonly Way[]): Promise<{ readonly missing: Request[]; readonly extra: Request[] }> {
    const [rules, routes] = [await this.#rules(), await ourRoutes(this.#socket, isOurTable)]
    const [rulesDue, routesDue] = [due.map(ruleOf), due.flatMap(routesOf)]
    const lacking = without(routesDue, routes, shapeOf)
    const beside = without(routes, routesDue, shapeOf)
    const former = lacking.map((route) => beside.find((other) => isInPlaceOf(route, other)))
    return {
      // A rule that leads nowhere would send answers past their way, so the route comes first.
      missing: [
        ...lacking.map((route, at) => (former[at] ? replaceRoute : newRoute)(nameOf(route), route)),
        ...without(rulesDue, rules, keyOf).map(newRule),
      ],
      extra: [
        ...without(rules, rulesDue, keyOf).map(deleteRule),
        ...beside.filter((route) => !former.includes(route)).map((route) => deleteRoute(withoutHops(route))),
      ],
    }
  }

  async #rules(): Promise<NewRule[]> {
    const rules = (await dumpBoth(this.#socket, dumpRules)).map(decodeRule)
    return rules.flatMap((rule) => {
      if (rule?.protocol !== ROUTE_PROTOCOL || rule.priority !== PRIORITY || !rule.isPlain || !isOurTable(rule.table))
        return []
      const { isPlain: _, ...ours } = rule
      return [ours]
    })
  }
}

const nameOf = ({ table }: NewRoute): string => `the table of answers ${table - ANSWER_BASE}`

/** The kernel puts the one in the place of the other, and an answer always finds one of them. */
const isInPlaceOf = (route: NewRoute, { destination, prefix_length, table, metric }: OurRoute): boolean =>
  route.destination === destination &&
  route.prefix_length === prefix_length &&
  route.table === table &&
  route.metric === metric

/** Those of `all` that are not among `taken`; of several that are alike, all but as many as are taken. */
function without<T extends U, U>(all: readonly T[], taken: readonly U[], keyOf: (one: U) => string): T[] {
  const left = taken.map(keyOf)
  return all.filter((one) => {
    const at = left.indexOf(keyOf(one))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const keyOf = (rule: NewRule): string => JSON.stringify(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)))

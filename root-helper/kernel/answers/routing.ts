// The rules and routes by which marked answers enter their tunnel: what is due, what the kernel holds of ours, and what
// differs. Ours have protocol 84; nothing else is read as ours, or removed.
import { ANSWER_BASE, ANSWER_MASK, ANSWER_NUMBER_MAX, answerMark } from '@panel/shared/ruleset/nft/answers.ts'
import { KernelError } from '../../kernel-error.ts'
import { ipText, type AddressFamily } from '../../netlink/bytes.ts'
import { AF_INET, AF_INET6, RT_SCOPE_LINK, RT_SCOPE_UNIVERSE, RTN_UNICAST } from '../../netlink/constants.ts'
import type { Message } from '../../netlink/message.ts'
import { decodeRoute, deleteRoute, dumpRoutes, newRoute, type NewRoute } from '../../netlink/route.ts'
import { decodeRule, deleteRule, dumpRules, newRule, type NewRule } from '../../netlink/rule.ts'
import type { NetlinkSocket, Request } from '../../netlink/socket.ts'

/** RTA_PROTOCOL and FRA_PROTOCOL of what is ours. */
const OURS = 84
/** The priority of our rules: behind the local table and ahead of the rules that distributions and VPNs add. */
const PRIORITY = 19_995

/** `gateway` is "" on a link without hardware addresses. */
export interface Way {
  readonly family: AddressFamily
  readonly number: number
  readonly index: number
  readonly gateway: string
}

const FAMILIES = [AF_INET, AF_INET6] as const

const ruleOf = ({ family, number }: Way): NewRule => ({
  family,
  priority: PRIORITY,
  protocol: OURS,
  mark: answerMark(number),
  mask: ANSWER_MASK,
  table: answerMark(number),
})

/** The default route of the tunnel's own table. */
const routeOf = ({ family, number, index, gateway }: Way): NewRoute => ({
  index,
  destination: ipText(Buffer.alloc(family === AF_INET ? 4 : 16)),
  prefix_length: 0,
  gateway,
  source: '',
  table: answerMark(number),
  protocol: OURS,
  metric: family === AF_INET ? 0 : METRIC_OF_IPV6,
  scope: family === AF_INET && gateway === '' ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
  isOnlink: gateway !== '',
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
    const [rules, routes] = [await this.#rules(), await this.#routes()]
    const name = (number: number): string => `the table of answers ${number}`
    const [rulesDue, routesDue] = [due.map(ruleOf), due.map(routeOf)]
    return {
      // A rule that leads nowhere would send answers past the tunnel, so the route comes first.
      missing: [
        ...without(routesDue, routes).map((route) => newRoute(name(route.table - ANSWER_BASE), route)),
        ...without(rulesDue, rules).map(newRule),
      ],
      extra: [...without(rules, rulesDue).map(deleteRule), ...without(routes, routesDue).map(deleteRoute)],
    }
  }

  async #rules(): Promise<NewRule[]> {
    const rules = (await this.#dumpBoth(dumpRules)).map(decodeRule)
    return rules.flatMap((rule) => {
      if (rule?.protocol !== OURS || rule.priority !== PRIORITY || !rule.isPlain || !isOurTable(rule.table)) return []
      const { isPlain: _, ...ours } = rule
      return [ours]
    })
  }

  async #routes(): Promise<NewRoute[]> {
    const routes = (await this.#dumpBoth((family) => dumpRoutes(family, { protocol: OURS }))).map(decodeRoute)
    return routes.flatMap((route) => {
      if (route?.protocol !== OURS || route.type !== RTN_UNICAST || route.isCached || !isOurTable(route.table))
        return []
      const { destination, prefix_length, gateway, source, table, protocol, metric, scope, isOnlink, index } = route
      return [{ index, destination, prefix_length, gateway, source, table, protocol, metric, scope, isOnlink }]
    })
  }

  /** A kernel without IPv6 has nothing of that family. */
  async #dumpBoth(request: (family: AddressFamily) => Request): Promise<Message[]> {
    const dumps = FAMILIES.map((family) =>
      this.#socket.dump(request(family)).catch((error: unknown) => {
        if (family === AF_INET6 && error instanceof KernelError && NO_FAMILY.includes(error.code)) return []
        throw error
      }),
    )
    return (await Promise.all(dumps)).flat()
  }
}

const NO_FAMILY: readonly string[] = ['EAFNOSUPPORT', 'EOPNOTSUPP', 'EPFNOSUPPORT']

/** Those of `all` that are not among `taken`; of several that are alike, all but as many as are taken. */
function without<T extends object>(all: readonly T[], taken: readonly T[]): T[] {
  const left = taken.map(keyOf)
  return all.filter((one) => {
    const at = left.indexOf(keyOf(one))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const keyOf = (value: object): string => JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))

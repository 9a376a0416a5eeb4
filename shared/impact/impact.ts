// impactOf: what becomes of connections, rules, routes and the operator's own access when a foreseen change is carried
// out. Pure.
import type { MonitorState } from '../api/base/lookups.ts'
import type { Impact, Interruption } from '../api/impact/impact.ts'
import { message, messageFields, type Message } from '../messages/message.ts'
import type { RouteThrough, TunnelState } from '../tunnel/model.ts'
import type { Change } from '../change/change.ts'
import { countConnections, type CountedConnections } from './connections.ts'
import type { Foreseen } from './foreseen.ts'
import { INTERRUPTED, kindOf, linkImpact, type LinkImpact } from './link.ts'
import { ownAccess, type ClientFacts } from './client.ts'
import { goneNetworks } from './networks.ts'
import {
  byForwarding,
  byRuleset,
  endedTo,
  overLinks,
  overNetworks,
  together,
  type Concerned,
  type RuleFacts,
} from './rules.ts'
import { summaryOf } from './summary.ts'

export interface TunnelFacts {
  readonly tunnel_id: number
  readonly interface_name: string
  readonly state: MonitorState
  /** The device by which its GRE packets leave; null if it is not known. */
  readonly underlay_device: string | null
}

/** What changes of a kind took on this host. */
export interface Took {
  readonly typical: number
  readonly worst: number
  readonly of: number
}

export interface ImpactFacts {
  readonly checked_at: string
  readonly client: ClientFacts
  readonly tunnels: readonly TunnelFacts[]
  readonly rules: readonly RuleFacts[]
  readonly connections: CountedConnections
  /** UDP flows that are older than the rules which come into force, and end with that. */
  readonly older: number
  /** The foreign routes through each link that is changed; null if they are not known. */
  readonly through: ReadonlyMap<string, readonly RouteThrough[]> | null
  /** Null before there was one of the kind (`kindOf`). */
  readonly took: (kind: string) => Took | null
}

export function impactOf(foreseen: Foreseen, facts: ImpactFacts): Impact {
  const links = linksIn(foreseen, facts.through)
  const under = underlays(links, facts.tunnels)
  const networks = goneNetworks(foreseen)
  const concerned = concernedBy(foreseen, [...links, ...under], facts)
  const interruption = networks.length > 0 ? 'lasting' : interruptionOf(foreseen, links, concerned)
  const titles = new Map(facts.rules.map((rule) => [rule.route_rule_id, rule]))
  const mayConcern = concerned.length + networks.length > 0 || links.some(({ effect }) => INTERRUPTED.includes(effect))
  const counted = { concerned, mayConcern }
  const { connections, of } = countConnections(counted, facts.connections, facts)
  const own_access = ownAccess(
    foreseen,
    facts.client,
    under.map(({ interface_name }) => interface_name),
  )
  const answer: Omit<Impact, 'summary' | 'summary_message'> = {
    interruption,
    interruption_ms: interruption === 'brief' ? tookInAll(foreseen, facts.took) : null,
    connections,
    rules: concerned.flatMap(({ route_rule_id, why, fate }) => {
      const rule = titles.get(route_rule_id)
      return rule ? [{ ...named(rule), why, fate, connections: of(route_rule_id) }] : []
    }),
    tunnels: [...links, ...under].flatMap((link) => tunnelIn(link, links, facts.tunnels)),
    addresses: addressesOf(foreseen),
    routes: routesOf(links, facts.through !== null),
    own_access,
  }
  const { changes, ended = [], unforeseen = 0 } = foreseen
  const isNothing = changes.length + ended.length + unforeseen === 0
  const sentence: Message = isNothing
    ? message('impact.nothing')
    : summaryOf(answer, links, { ...foreseen, networks, older: facts.older })
  return { ...messageFields('summary', sentence), ...answer }
}

const named = ({ route_rule_id, title, is_enabled }: RuleFacts) => ({ route_rule_id, title, is_enabled })

/** The changes of each tunnel together: a restart is two. */
export function tunnelChanges({ changes }: Pick<Foreseen, 'changes'>): Change<TunnelState>[][] {
  const byName = new Map<string, Change<TunnelState>[]>()
  for (const one of changes) {
    if (one.noun !== 'tunnel') continue
    const name = (one.change.before ?? one.change.after)?.interface_name ?? ''
    byName.set(name, [...(byName.get(name) ?? []), one.change])
  }
  return [...byName.values()]
}

/** Behind the links that are interrupted, as far as that interrupts them; null where it is not known which. */
export function networksBehind(foreseen: Foreseen, through: ImpactFacts['through']): string[] | null {
  const links = linksIn(foreseen, through).filter(({ effect }) => INTERRUPTED.includes(effect))
  if (links.length > 0 && through === null) return null
  return [
    ...new Set([
      ...links.flatMap(({ networks, routes }) => [...networks, ...routes.map(({ route }) => route.destination)]),
      ...goneNetworks(foreseen),
    ]),
  ]
}

const linksIn = (foreseen: Foreseen, through: ImpactFacts['through']): LinkImpact[] =>
  tunnelChanges(foreseen).map((changes) => {
    const name = (changes[0]?.before ?? changes[0]?.after)?.interface_name ?? ''
    return linkImpact(changes, through?.get(name) ?? [])
  })

/** GRE keeps no state, so what goes through a tunnel over a tunnel goes on with it; without its underlay it ends. */
const underlays = (links: readonly LinkImpact[], tunnels: readonly TunnelFacts[]): LinkImpact[] =>
  links.flatMap((link) =>
    ['bounced', 'remade', 'gone'].includes(link.effect)
      ? tunnels
          .filter(
            ({ underlay_device, interface_name }) =>
              underlay_device === link.interface_name && interface_name !== link.interface_name,
          )
          .map(({ interface_name }) => ({
            ...link,
            interface_name,
            effect: link.effect === 'gone' ? ('gone' as const) : ('in_place' as const),
            routes: [],
          }))
      : [],
  )

const concernedBy = (
  { changes, ended = [] }: Foreseen,
  links: readonly LinkImpact[],
  { rules }: ImpactFacts,
): Concerned[] =>
  together([
    ...changes.flatMap((one) => (one.noun === 'route' ? byRuleset(rules, one.change) : [])),
    ...ended.map(endedTo),
    ...overLinks(rules, links),
    ...overNetworks(rules, goneNetworks({ changes })),
    ...changes.flatMap((one) => (one.noun === 'forwarding' ? byForwarding(rules, one.change) : [])),
  ])

function interruptionOf(
  { changes, ended = [] }: Foreseen,
  links: readonly LinkImpact[],
  concerned: readonly Concerned[],
): Interruption {
  const has = (...effects: LinkImpact['effect'][]): boolean => links.some(({ effect }) => effects.includes(effect))
  if (has('gone') || concerned.some(({ why }) => why === 'forwarding')) return 'lasting'
  if (has('header', 'bounced', 'remade', 'addresses')) return 'brief'
  const isOfRules = ended.length > 0 || changes.some(({ noun }) => noun === 'route')
  return isOfRules && concerned.length > 0 ? 'new_only' : 'none'
}

/** One after the other; null where one of them was never measured. */
function tookInAll(foreseen: Foreseen, took: ImpactFacts['took']): Took | null {
  const all = tunnelChanges(foreseen)
    .flat()
    .map(kindOf)
    .filter((kind) => kind !== '')
    .map(took)
  const known = all.filter((one) => one !== null)
  if (known.length < all.length || known.length === 0) return null
  const sum = (of: (one: Took) => number): number => known.reduce((total, one) => total + of(one), 0)
  return {
    typical: sum(({ typical }) => typical),
    worst: sum(({ worst }) => worst),
    of: Math.min(...known.map((one) => one.of)),
  }
}

function tunnelIn(
  link: LinkImpact,
  changed: readonly LinkImpact[],
  tunnels: readonly TunnelFacts[],
): Impact['tunnels'] {
  const { effect, interface_name } = link
  const tunnel = tunnels.find((one) => one.interface_name === interface_name)
  if (!tunnel || effect === 'none') return []
  const why = changed.includes(link) ? ('changed' as const) : ('underlay_through' as const)
  const fate = effect === 'gone' ? 'end' : effect === 'remade' || effect === 'bounced' ? 'at_risk' : 'survive'
  return [{ tunnel_id: tunnel.tunnel_id, interface_name, state: tunnel.state, why, fate }]
}

/** The addresses in the notation of `ip`. */
function addressesOf(foreseen: Foreseen): Impact['addresses'] {
  const spelled = (state: TunnelState | null | undefined): string[] =>
    (state?.link?.config.addresses ?? []).map(({ address, prefix_length }) => `${address}/${prefix_length}`)
  const all = tunnelChanges(foreseen).map(
    (changes) => [spelled(changes[0]?.before), spelled(changes.at(-1)?.after)] as const,
  )
  return {
    come: all.flatMap(([was, shall]) => shall.filter((one) => !was.includes(one))),
    go: all.flatMap(([was, shall]) => was.filter((one) => !shall.includes(one))),
  }
}

function routesOf(links: readonly LinkImpact[], isKnown: boolean): Impact['routes'] {
  if (!isKnown && links.some(({ effect }) => INTERRUPTED.includes(effect))) return null
  return links.flatMap(({ interface_name, routes }) =>
    routes.map(({ route: { destination, gateway, protocol, table }, fate }) => ({
      destination,
      gateway,
      device: interface_name,
      protocol,
      table,
      fate,
    })),
  )
}

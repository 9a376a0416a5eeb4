// Which relay rules a change concerns, why, and what becomes of their connections. Pure.
import { FATES, type Fate, type ImpactRule } from '../api/impact/impact.ts'
import { familyOf } from '../ruleset/canonical.ts'
import type { RelayRule, RulesetState } from '../ruleset/model.ts'
import { leadsTo, type RelayConnection } from '../ruleset/connection.ts'
import { isOverlapping, winnerOf } from '../ruleset/overlap.ts'
import { sameState, type Change } from '../change/change.ts'
import type { HostForwarding } from '../forwarding/host.ts'
import type { Ended } from './foreseen.ts'
import { fateThrough } from './fate.ts'
import type { LinkImpact } from './link.ts'

/** A stored rule. `rule` is what it would be in force. */
export interface RuleFacts {
  readonly route_rule_id: number
  readonly title: string
  readonly is_enabled: boolean
  readonly rule: RelayRule
  /** Those in force; `interface_name` is the tunnel that leads there, null where that is none or not known. */
  readonly ways: readonly Way[]
}

export interface Way {
  readonly address: string
  readonly interface_name: string | null
  readonly network: string | null
}

/** The destination of a connection. */
export type End = Pick<RelayConnection, 'destination_address' | 'destination_port'>

/** A rule that is concerned, and the fate of its connections by their destination. */
export interface Concerned {
  readonly route_rule_id: number
  readonly why: ImpactRule['why']
  readonly fateTo: (end: End) => Fate
  /** The worst of them. */
  readonly fate: Fate
  /** Wherever they go. */
  readonly isOneFate: boolean
}

export const worstOf = (fates: readonly Fate[]): Fate =>
  FATES[Math.max(0, ...fates.map((fate) => FATES.indexOf(fate)))] ?? 'survive'

const allTo = (route_rule_id: number, why: Concerned['why'], fate: Fate): Concerned => ({
  route_rule_id,
  why,
  fate,
  fateTo: () => fate,
  isOneFate: true,
})

/** Rules that relay over links that are interrupted. */
export const overLinks = (rules: readonly RuleFacts[], links: readonly LinkImpact[]): Concerned[] =>
  rules.flatMap((rule) => {
    const byName = new Map(links.map((link) => [link.interface_name, link]))
    const fates = new Map(
      rule.ways.flatMap(({ address, interface_name, network }) => {
        const link = byName.get(interface_name ?? '')
        if (!link || link.effect === 'none' || link.effect === 'made') return []
        const { nat_mode, snat_address } = rule.rule
        const flow = { destination: address, network, nat_mode, snat_address }
        return [[address, fateThrough(link, flow)] as const]
      }),
    )
    if (fates.size === 0) return []
    const fateOf = (address: string): Fate => fates.get(address) ?? 'survive'
    const fate = worstOf([...fates.values()])
    const isOneFate = rule.ways.every(({ address }) => fateOf(address) === fate)
    const fateTo = ({ destination_address }: End): Fate => fateOf(destination_address)
    return [{ route_rule_id: rule.route_rule_id, why: 'relays_over' as const, fateTo, fate, isOneFate }]
  })

/** Rules that relay to a network that has no route any more. */
export const overNetworks = (rules: readonly RuleFacts[], gone: readonly string[]): Concerned[] =>
  rules.flatMap(({ route_rule_id, ways }) => {
    const lost = new Set(ways.flatMap(({ address, network }) => (gone.includes(network ?? '') ? [address] : [])))
    if (lost.size === 0) return []
    const fateTo = ({ destination_address }: End): Fate => (lost.has(destination_address) ? 'end' : 'survive')
    const isOneFate = ways.every(({ address }) => lost.has(address))
    return [{ route_rule_id, why: 'relays_over' as const, fateTo, fate: 'end' as const, isOneFate }]
  })

/** Rules that are changed themselves, and those whose new connections change hands with that. */
export function byRuleset(rules: readonly RuleFacts[], { before, after }: Change<RulesetState>): Concerned[] {
  const [was, shall] = [byId(before), byId(after)]
  const ids = [...new Set([...was.keys(), ...shall.keys()])].filter((id) => !sameState(was.get(id), shall.get(id)))
  const concerned = new Set(ids)
  const others = rules.filter(({ route_rule_id, is_enabled }) => is_enabled && !concerned.has(route_rule_id))
  return [
    ...ids.map((id) => allTo(id, 'changed', 'survive')),
    ...others.flatMap(({ route_rule_id, rule }) => {
      const loses = (one: RelayRule | undefined): boolean =>
        one !== undefined && isOverlapping(one, rule) && winnerOf(one, rule) === one
      const why = ids
        .map((id) => [loses(was.get(id)), loses(shall.get(id))] as const)
        .find(([lost, loses]) => lost !== loses)
      return why ? [allTo(route_rule_id, why[1] ? 'overtaken' : 'set_free', 'survive')] : []
    }),
  ]
}

const byId = (rules: RulesetState | null): ReadonlyMap<number, RelayRule> =>
  new Map((rules ?? []).map((rule) => [rule.route_rule_id, rule]))

/** Whichever change has left a destination, the connections to it end. */
export const endedTo = ({ route_rule_id, kept }: Ended): Concerned => ({
  route_rule_id,
  why: 'changed',
  fate: 'end',
  isOneFate: kept.length === 0,
  fateTo: (end) => (kept.some((one) => leadsTo(one, end)) ? 'survive' : 'end'),
})

/** Rules of a family that is not forwarded any more stand still, and go on once it is. */
export function byForwarding(
  rules: readonly RuleFacts[],
  { before, after }: { readonly before: HostForwarding; readonly after: HostForwarding },
): Concerned[] {
  const isOff = { 4: before.live.ipv4 && !after.live.ipv4, 6: before.live.ipv6 && !after.live.ipv6 }
  return rules
    .filter(({ is_enabled, rule }) => is_enabled && isOff[familyOf(rule)])
    .map(({ route_rule_id }) => allTo(route_rule_id, 'forwarding', 'frozen'))
}

/** Each rule once, with its own change before any other reason, and the worst fate. */
export function together(all: readonly Concerned[]): Concerned[] {
  const found = new Map<number, Concerned>()
  for (const one of all) {
    const there = found.get(one.route_rule_id)
    found.set(
      one.route_rule_id,
      there
        ? {
            ...there,
            why: one.why === 'changed' ? one.why : there.why,
            fate: worstOf([there.fate, one.fate]),
            isOneFate: there.isOneFate && one.isOneFate,
            fateTo: (end) => worstOf([there.fateTo(end), one.fateTo(end)]),
          }
        : one,
    )
  }
  return [...found.values()]
}

// Which relay rules a change concerns, why, and what becomes of their connections. Pure.
import { FATES, type Fate, type ImpactRule } from '../api/impact/impact.ts'
import { familyOf } from '../ruleset/canonical.ts'
import type { RelayRule, RulesetState } from '../ruleset/model.ts'
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

/** A rule that is concerned, and the fate of its connections by their destination. */
export interface Concerned {
  readonly route_rule_id: number
  readonly why: ImpactRule['why']
  readonly fateTo: (address: string) => Fate
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
    const fateTo = (address: string): Fate => fates.get(address) ?? 'survive'
    const fate = worstOf([...fates.values()])
    const isOneFate = rule.ways.every(({ address }) => fateTo(address) === fate)
    return [{ route_rule_id: rule.route_rule_id, why: 'relays_over' as const, fateTo, fate, isOneFate }]
  })

/** Rules that are changed themselves, and those whose new connections change hands with that. */
export function byRuleset(
  rules: readonly RuleFacts[],
  { before, after }: Change<RulesetState>,
  ended: readonly Ended[],
): Concerned[] {
  const [was, shall] = [byId(before), byId(after)]
  const ids = [...new Set([...was.keys(), ...shall.keys()])].filter((id) => !sameState(was.get(id), shall.get(id)))
  const concerned = new Set(ids)
  const others = rules.filter(({ route_rule_id, is_enabled }) => is_enabled && !concerned.has(route_rule_id))
  return [
    ...ids.map((id) => {
      const its = ended.find(({ route_rule_id }) => route_rule_id === id)
      return its ? endedTo(its, was.get(id)) : allTo(id, 'changed', 'survive')
    }),
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

/**
 * Counts what ends. It is not known how many connections each port of an address has, so all of them count as ended. If
 * the change leaves no destination, only those that earlier changes have left end.
 */
function endedTo({ route_rule_id, kept }: Ended, was: RelayRule | undefined): Concerned {
  const isKept = ({ address, port, port_range_end }: Ended['kept'][number]): boolean =>
    kept.some((one) => one.address === address && one.port === port && one.port_range_end === port_range_end)
  const left = (was?.destinations ?? []).filter((one) => !isKept(one)).map(({ address }) => address)
  return {
    route_rule_id,
    why: 'changed',
    fate: left.length === 0 && kept.length > 0 ? 'survive' : 'end',
    isOneFate: left.length === 0 || kept.length === 0,
    fateTo: (to) => (kept.some(({ address }) => address === to) && !left.includes(to) ? 'survive' : 'end'),
  }
}

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
            fateTo: (address) => worstOf([there.fateTo(address), one.fateTo(address)]),
          }
        : one,
    )
  }
  return [...found.values()]
}

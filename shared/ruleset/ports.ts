// Which ports are plain and which need a chain of their own: where order or choice matters, and where ranges meet.
import { familyOf, isWildcard } from './canonical.ts'
import type { RelayRule } from './model.ts'

export type Transport = 'tcp' | 'udp'

/** Rules that listen on each of these ports, in their order. */
export interface PortGroup {
  readonly first: number
  readonly last: number
  readonly rules: readonly RelayRule[]
}

export interface Ports {
  /** One lookup finds these: nothing about them depends on order. */
  readonly plain: readonly RelayRule[]
  readonly single: readonly PortGroup[]
  readonly ranges: readonly PortGroup[]
}

export const lastPort = (rule: Pick<RelayRule, 'bind_port' | 'bind_port_range_end'>): number =>
  rule.bind_port_range_end ?? rule.bind_port
export const isRange = (rule: Pick<RelayRule, 'bind_port_range_end'>): boolean => rule.bind_port_range_end !== null
export const listensOn = (rule: RelayRule, transport: Transport): boolean =>
  rule.protocol === 'both' || rule.protocol === transport

export const transportsOf = ({ protocol }: Pick<RelayRule, 'protocol'>): readonly Transport[] =>
  protocol === 'both' ? ['tcp', 'udp'] : [protocol]

/** `rules` are canonical, in their order, and all listen on one transport. */
export function groupByPort(rules: readonly RelayRule[]): Ports {
  const ranges = segments(rules)
  const inRange = coveredBy(ranges)
  const byPort = new Map<number, RelayRule[]>()
  for (const rule of rules) {
    if (isRange(rule) || inRange(rule.bind_port)) continue
    const there = byPort.get(rule.bind_port)
    if (there) there.push(rule)
    else byPort.set(rule.bind_port, [rule])
  }
  const groups = [...byPort]
    .map(([port, there]) => ({ first: port, last: port, rules: there }))
    .sort((a, b) => a.first - b.first)
  return {
    plain: groups.filter(isPlain).flatMap((group) => group.rules),
    single: groups.filter((group) => !isPlain(group)),
    ranges,
  }
}

function isPlain({ rules }: PortGroup): boolean {
  if (!rules.every(isSimple)) return false
  const addresses = new Set(rules.map(({ bind_address }) => bind_address))
  const wildcards = rules.filter(({ bind_address }) => isWildcard(bind_address)).map(familyOf)
  return (
    addresses.size === rules.length &&
    wildcards.every((family) => rules.filter((rule) => familyOf(rule) === family).length === 1)
  )
}

const isSimple = (rule: RelayRule): boolean =>
  rule.balance === 'none' &&
  rule.bind_interface === null &&
  rule.allowed_sources.length === 0 &&
  !rule.is_logging_enabled &&
  rule.max_connections_per_source === null &&
  rule.connection_rate_limit === null

/** Cuts the ranges where a rule begins or ends, so that every port of a piece has the same rules. */
function segments(rules: readonly RelayRule[]): PortGroup[] {
  const covered = merged(rules.filter(isRange))
  const inRange = coveredBy(covered)
  const order = new Map(rules.map((rule, at) => [rule, at]))
  const events = rules
    .filter((rule) => isRange(rule) || inRange(rule.bind_port))
    .flatMap((rule) => [
      { at: rule.bind_port, rule, begins: true },
      { at: lastPort(rule) + 1, rule, begins: false },
    ])
  events.sort((a, b) => a.at - b.at)
  const found: PortGroup[] = []
  const active = new Set<RelayRule>()
  let first = 0
  for (const { at, rule, begins } of events) {
    if (at > first && active.size > 0)
      found.push({ first, last: at - 1, rules: [...active].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)) })
    first = at
    if (begins) active.add(rule)
    else active.delete(rule)
  }
  return found
}

export function merged(ranges: readonly RelayRule[]): { first: number; last: number }[] {
  const sorted = ranges
    .map((rule) => ({ first: rule.bind_port, last: lastPort(rule) }))
    .sort((a, b) => a.first - b.first)
  const found: { first: number; last: number }[] = []
  for (const range of sorted) {
    const before = found.at(-1)
    if (before && range.first <= before.last) before.last = Math.max(before.last, range.last)
    else found.push(range)
  }
  return found
}

/** The pieces are sorted and apart. */
export function coveredBy(pieces: readonly { first: number; last: number }[]): (port: number) => boolean {
  return (port) => {
    let [low, high] = [0, pieces.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const piece = pieces[middle]
      if (!piece) return false
      if (port < piece.first) high = middle - 1
      else if (port > piece.last) low = middle + 1
      else return true
    }
    return false
  }
}

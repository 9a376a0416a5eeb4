// What a change of relay rules adds, against the limits of this host and the ports by which the operator gets in. A rule
// keeps what it has, in the kernel or for the next boot.
import type { OwnPorts } from '@panel/shared/limits/entries.ts'
import {
  addressIn,
  destinationLimit,
  portLimit,
  tunnelsAmong,
  whyNoListener,
  whyNoMark,
  whyNoPairs,
  whySum,
  type Allowed,
  type Bringing,
} from '@panel/shared/limits/judge.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { RelayDestination, RelayRule } from '@panel/shared/ruleset/model.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import type { Kernel, OwnPort } from '../../kernel/facilities.ts'
import type { HeldRuleset } from '../../kernel/relay-facilities.ts'
import { allowedNow, within } from '../../limits.ts'
import { RefusedError } from '../../refused.ts'
import { addressesOfTunnels } from '../tunnel/limits.ts'
import { allowAmount } from './amount.ts'

/** Refuses what `wanted` adds to what is held under these ids. */
export type AllowAdded = (held: HeldRuleset, ids: ReadonlySet<number>, wanted: readonly RelayRule[]) => Promise<void>

interface Facts {
  readonly allowed: Allowed
  readonly interfaces: readonly HostInterface[]
  readonly own: OwnPorts
  /** There, and brought back by the next boot. */
  readonly tunnels: readonly Bringing[]
}

const ofNextBoot = async (kernel: Kernel): Promise<Bringing[]> =>
  [...(await addressesOfTunnels(kernel))].map(([name, all]) => ({ name, addresses: all.map(({ address }) => address) }))

export const allowingIn =
  (kernel: Kernel): AllowAdded =>
  async (held, ids, wanted) => {
    const had = hadIn(held, ids)
    const added = wanted.filter((rule) => !had(rule).some((one) => JSON.stringify(one) === JSON.stringify(rule)))
    if (added.length === 0) return
    const interfaces = await kernel.links.interfaces()
    const facts: Facts = {
      allowed: allowedNow(kernel),
      interfaces,
      tunnels: [...tunnelsAmong(interfaces), ...(await ofNextBoot(kernel))],
      own: ownPortsOf(await kernel.ownAccess.ports()),
    }
    const rules = added.map((rule) => ({ rule, had: had(rule) }))
    for (const { rule, had: before } of rules) allowOne(rule, before, facts)
    allowDestinations(rules, facts)
    const stay = held.rules.filter(({ route_rule_id }) => !ids.has(route_rule_id)).length
    within(whySum(facts.allowed, { rules: held.rules.length }, { rules: stay + wanted.length }))
    allowAmount(held.rules, ids, wanted, facts.allowed.limits.elements)
  }

/** What the host has of a rule already. */
function hadIn({ rules, boot_rules }: HeldRuleset, ids: ReadonlySet<number>): (rule: RelayRule) => RelayRule[] {
  const byId = new Map<number, RelayRule[]>()
  for (const one of [...rules, ...boot_rules])
    if (ids.has(one.route_rule_id)) byId.set(one.route_rule_id, [...(byId.get(one.route_rule_id) ?? []), one])
  return ({ route_rule_id }) => byId.get(route_rule_id) ?? []
}

export const ownPortsOf = (ports: readonly OwnPort[]): OwnPorts => {
  const of = (wanted: OwnPort['owner']): number[] => ports.flatMap(({ port, owner }) => (owner === wanted ? port : []))
  return { sshd: of('sshd'), panel: of('panel') }
}

const listens = ({ protocol, bind_address, bind_port, bind_port_range_end }: RelayRule): string =>
  `${protocol} ${bind_address} ${bind_port} ${bind_port_range_end}`

function allowOne(rule: RelayRule, had: readonly RelayRule[], { allowed, interfaces, own, tunnels }: Facts): void {
  const { route_rule_id: number, fwmark, snat_address, is_include_local_originated: is_local } = rule
  const isNewListener = !had.some((one) => listens(one) === listens(rule))
  if (isNewListener) allowPorts(rule, allowed, own)
  if (isNewListener || (is_local && !had.some((one) => one.is_include_local_originated)))
    within(whyNoListener(allowed, rule, tunnels))
  if (snat_address !== null && !had.some((one) => one.snat_address === snat_address))
    if (!interfaces.some(({ addresses }) => addresses.some((text) => addressIn(text) === snat_address)))
      throw new RefusedError('protected_address', ofRule(number, message('limits.snat', { address: snat_address })))
  if (!had.some((one) => one.fwmark === fwmark)) within(whyNoMark(allowed, fwmark))
  if (!had.some((one) => pairsOf(one) >= pairsOf(rule))) within(whyNoPairs(allowed, rule))
}

const pairsOf = ({ allowed_sources, destinations }: RelayRule): number => allowed_sources.length * destinations.length
const ofRule = (number: number, why: ReturnType<typeof message>) => message('root.rule_refused', { number, why })

/** A rule on the port of sshd or of the panel would keep the operator from getting in to remove it. */
function allowPorts(rule: RelayRule, allowed: Allowed, own: OwnPorts): void {
  const { route_rule_id: number, protocol, bind_port: first, bind_port_range_end: last } = rule
  const limit = portLimit(allowed, own, { protocol, first, last: last ?? first })
  if (limit) throw new RefusedError('protected_port', ofRule(number, limit.why))
}

function allowDestinations(
  rules: readonly { rule: RelayRule; had: readonly RelayRule[] }[],
  { allowed, interfaces, own }: Facts,
): void {
  const whyNot = destinationLimit(allowed, own)
  const addresses = new Set(interfaces.flatMap((one) => one.addresses.map(addressIn)))
  for (const { rule, had } of rules) {
    const known = new Set(had.flatMap(({ destinations }) => destinations.map(endOf)))
    for (const one of rule.destinations.filter((destination) => !known.has(endOf(destination)))) {
      const { address, port: first, port_range_end } = one
      const isOwn = addresses.has(address)
      within(whyNot({ protocol: rule.protocol, address, isOwn, first, last: port_range_end ?? first }))
    }
  }
}

const endOf = ({ address, port, port_range_end }: RelayDestination): string => `${address} ${port} ${port_range_end}`

// What a change of relay rules adds, against the limits of this host and the ports by which the operator gets in. A rule
// keeps what it has, in the kernel or for the next boot.
import { addressIn, parseIp } from '@panel/shared/address/ip.ts'
import { isLoopback } from '@panel/shared/address/special.ts'
import type { OwnPorts } from '@panel/shared/limits/entries.ts'
import {
  destinationLimit,
  portLimit,
  tunnelsAmong,
  whyNoListener,
  whyNoMark,
  whyNoPairs,
  whySum,
  type Allowed,
} from '@panel/shared/limits/judge.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { RelayDestination, RelayRule } from '@panel/shared/ruleset/model.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import type { Kernel, OwnPort } from '../../kernel/facilities.ts'
import type { HeldRuleset } from '../../kernel/relay-facilities.ts'
import { allowedNow, within } from '../../limits.ts'
import { RefusedError } from '../../refused.ts'
import { isAnswerMark } from '@panel/shared/ruleset/nft/answers.ts'
import { markOfRule } from '../tunnel/allow-answers.ts'
import { addressesOfTunnels } from '../tunnel/limits.ts'
import { allowAmount } from './amount.ts'

/** Refuses what `wanted` adds to what is held under these ids. */
export type AllowAdded = (held: HeldRuleset, ids: ReadonlySet<number>, wanted: readonly RelayRule[]) => Promise<void>

/** A rule, and what of it the host does not have yet. */
interface Added {
  readonly rule: RelayRule
  readonly isListener: boolean
  /** It comes to relay what the host itself sends. */
  readonly isForHost: boolean
  readonly isSource: boolean
  readonly isMark: boolean
  readonly isHeavier: boolean
  readonly destinations: readonly RelayDestination[]
}

export const allowingIn =
  (kernel: Kernel): AllowAdded =>
  async (held, ids, wanted) => {
    const had = hadIn(held, ids)
    const all = wanted.map((rule) => addedBy(rule, had(rule)))
    const isMore = held.rules.filter(({ route_rule_id }) => ids.has(route_rule_id)).length < wanted.length
    if (!isMore && !all.some(isAny)) return
    const allowed = allowedNow(kernel)
    const [answered] = kernel.answers.marked()
    for (const { rule, isMark, isHeavier } of all) {
      if (isMark) within(whyNoMark(allowed, rule.fwmark))
      if (isMark && answered !== undefined && rule.fwmark !== null && isAnswerMark(rule.fwmark))
        within(markOfRule(rule.route_rule_id, rule.fwmark, answered))
      if (isHeavier) within(whyNoPairs(allowed, rule))
    }
    await allowWays(kernel, allowed, all)
    const stay = held.rules.filter(({ route_rule_id }) => !ids.has(route_rule_id)).length
    within(whySum(allowed, { rules: held.rules.length }, { rules: stay + wanted.length }))
    allowAmount(held.rules, ids, wanted, allowed.limits.elements)
  }

const isAny = ({ rule: _, destinations, ...flags }: Added): boolean =>
  destinations.length > 0 || Object.values(flags).includes(true)

function addedBy(rule: RelayRule, had: readonly RelayRule[]): Added {
  const is = (same: (one: RelayRule) => boolean): boolean => !had.some(same)
  // A destination that is allowed for UDP may be a port by which the operator gets in, over TCP.
  const alike = had.filter(({ protocol }) => protocol === 'both' || protocol === rule.protocol)
  const known = new Set(alike.flatMap(({ destinations }) => destinations.map(endOf)))
  return {
    rule,
    isListener: is((one) => listens(one) === listens(rule)),
    isForHost: rule.is_include_local_originated && is((one) => one.is_include_local_originated),
    isSource: rule.snat_address !== null && is((one) => one.snat_address === rule.snat_address),
    isMark: rule.fwmark !== null && is((one) => one.fwmark === rule.fwmark),
    isHeavier: is((one) => pairsOf(one) >= pairsOf(rule)),
    destinations: rule.destinations.filter((one) => !known.has(endOf(one))),
  }
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
const endOf = ({ address, port, port_range_end }: RelayDestination): string => `${address} ${port} ${port_range_end}`
const pairsOf = ({ allowed_sources, destinations }: RelayRule): number => allowed_sources.length * destinations.length
const ofRule = (number: number, why: ReturnType<typeof message>) => message('root.rule_refused', { number, why })

/** The ends that rules listen on, lead to and send from. Who listens here is looked at only if that may decide. */
async function allowWays(kernel: Kernel, allowed: Allowed, all: readonly Added[]): Promise<void> {
  const moving = all.filter((one) => one.isListener || one.isForHost || one.isSource || one.destinations.length > 0)
  if (moving.length === 0) return
  const interfaces = await kernel.links.interfaces()
  const addresses = new Set(interfaces.flatMap((one) => one.addresses.map(addressIn)))
  for (const { rule, isSource } of moving)
    if (isSource && !addresses.has(rule.snat_address ?? '')) {
      const why = message('limits.snat', { address: rule.snat_address ?? '' })
      throw new RefusedError('protected_address', ofRule(rule.route_rule_id, why))
    }
  const isHere = (address: string): boolean => addresses.has(address) || isLoopbackText(address)
  const isDecided = moving.some((one) => one.isListener || one.destinations.some(({ address }) => isHere(address)))
  const own = isDecided ? ownPortsOf(await kernel.ownAccess.ports()) : { sshd: [], panel: [] }
  for (const { rule, isListener } of moving) if (isListener) allowPorts(rule, allowed, own)
  await allowListeners(kernel, allowed, moving, interfaces)
  const whyNot = destinationLimit(allowed, own)
  for (const { rule, destinations } of moving)
    for (const { address, port: first, port_range_end } of destinations) {
      const isOwn = addresses.has(address)
      within(whyNot({ protocol: rule.protocol, address, isOwn, first, last: port_range_end ?? first }))
    }
}

function isLoopbackText(text: string): boolean {
  const ip = parseIp(text)
  return ip !== null && isLoopback(ip)
}

async function allowListeners(
  kernel: Kernel,
  allowed: Allowed,
  moving: readonly Added[],
  interfaces: readonly HostInterface[],
): Promise<void> {
  const listening = moving.filter(({ isListener, isForHost }) => isListener || isForHost)
  if (listening.length === 0) return
  // There, and brought back by the next boot.
  const ofBoot = [...(await addressesOfTunnels(kernel))]
  const tunnels = [
    ...tunnelsAmong(interfaces),
    ...ofBoot.map(([name, all]) => ({ name, addresses: all.map(({ address }) => address) })),
  ]
  for (const { rule } of listening) within(whyNoListener(allowed, rule, tunnels))
}

/** A rule on the port of sshd or of the panel would keep the operator from getting in to remove it. */
function allowPorts(rule: RelayRule, allowed: Allowed, own: OwnPorts): void {
  const { route_rule_id: number, protocol, bind_port: first, bind_port_range_end: last } = rule
  const limit = portLimit(allowed, own, { protocol, first, last: last ?? first })
  if (limit) throw new RefusedError('protected_port', ofRule(number, limit.why))
}

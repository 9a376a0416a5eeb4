// What root refuses to any client. It bounds what a compromised web daemon can do.
import { message, verbatim, type Message } from '@panel/shared/messages/message.ts'
import {
  CONNTRACK_MAX_KEY,
  SYSCTL_KEYS,
  type ForwardingFound,
  type ForwardingState,
} from '@panel/shared/forwarding/model.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { RulesetState } from '@panel/shared/ruleset/model.ts'
import { ruleLimits } from '@panel/shared/ruleset/backend.ts'
import {
  isIpv6Kind,
  KERNEL_STUBS,
  LINK_KINDS,
  type LinkKind,
  type NetdevConfig,
  type TunnelState,
} from '@panel/shared/tunnel/model.ts'
import { bitsOf, formatIp, parseIp } from '@panel/shared/address/ip.ts'
import { isMulticast, isReserved, isUnspecified } from '@panel/shared/address/special.ts'
import { farEnds } from '@panel/shared/tunnel/far-end.ts'
import { networkdLimits } from '@panel/shared/tunnel/networkd-limits.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { foreignInTheWay } from '@panel/shared/tunnel/foreign-files.ts'
import { wouldLose, type HostForwarding } from '@panel/shared/forwarding/host.ts'
import type { ForwardingStep } from '@panel/shared/forwarding/plan.ts'
import { isSizeDue, whyNoSize, whyNotSize, type Sized } from '@panel/shared/forwarding/size.ts'
import { SHIFTED_PORTS_MAX, shiftedPorts } from '@panel/shared/ruleset/elements.ts'
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import { changedNames, type TunnelStates } from '@panel/shared/tunnel/plans.ts'
import { lostFeatures } from '@panel/shared/tunnel/unmodelled.ts'
import type { Links } from './kernel/facilities.ts'
import type { HeldRuleset } from './kernel/relay-facilities.ts'
import type { PathEnds } from './kernel/icmp/port.ts'
import { within } from './limits.ts'
import { RefusedError } from './refused.ts'

/** The names that a change is about: one, or two where it gives a tunnel another name. */
export function requireNames(change: Change<TunnelStates>): string[] {
  const names = changedNames(change)
  if (names.length === 0) throw new RefusedError('malformed', 'The change has neither a state before nor a state after')
  refuseStubs(names)
  return names
}

export function refuseStubs(names: readonly string[]): void {
  const stub = names.find((name) => (KERNEL_STUBS as readonly string[]).includes(name))
  if (stub !== undefined) throw new RefusedError('protected_interface', message('root.of_kernel', { name: stub }))
}

/** A schema cannot say it: endpoints must be of the kind's family, and a prefix no longer than its address. */
export function checkConsistency({ link, saved }: TunnelState): void {
  const whole = [link?.config, saved?.systemd_unit?.config]
  for (const config of [...whole, saved?.networkd_netdev?.config]) if (config) checkEndpoints(config)
  for (const config of [...whole, saved?.networkd_network?.config])
    for (const a of config?.addresses ?? []) checkAddress(a.address, a.peer_address, a.prefix_length)
}

function checkEndpoints({ kind, local_endpoint, remote_endpoint }: NetdevConfig): void {
  const family = isIpv6Kind(kind) ? 6 : 4
  if (parseIp(local_endpoint)?.family !== family || parseIp(remote_endpoint)?.family !== family)
    throw new RefusedError('malformed', `A ${kind} link takes IPv${family} endpoints`)
}

function checkAddress(address: string, peer: string, prefix_length: number): void {
  const family = parseIp(address)?.family
  if (!family || prefix_length > bitsOf(family))
    throw new RefusedError('malformed', `${address}/${prefix_length} is not an address with a prefix length`)
  if (peer && parseIp(peer)?.family !== family)
    throw new RefusedError('malformed', `${peer} is not of the same family as ${address}`)
}

/** `found` is what exists under each name of the change. */
export async function allowTunnels(
  links: Links,
  found: readonly TunnelFound[],
  wanted: TunnelStates | null,
  steps: readonly TunnelStep[],
): Promise<void> {
  for (const step of steps) if (step.kind === 'file_write') allowFile(step, wanted ?? [])
  const creates = steps.find((step) => step.kind === 'link_create')
  for (const one of found) {
    allowName(one, steps)
    const lost = one.observed ? lostFeatures(one.unmodelled, steps) : []
    if (lost.length > 0)
      throw new RefusedError(
        'unmodelled_state',
        message('root.loses', { name: one.interface_name, what: lost.join(', ') }),
      )
  }
  if (creates) await supported(links, creates.config.kind)
}

function allowName({ interface_name, observed, foreign_files }: TunnelFound, steps: readonly TunnelStep[]): void {
  const kind = observed?.kind
  if (kind !== undefined && !(LINK_KINDS as readonly string[]).includes(kind))
    throw new RefusedError('protected_interface', whatItIs(interface_name, kind))
  const foreign = foreignInTheWay(interface_name, foreign_files, steps)
  if (foreign.length > 0)
    throw new RefusedError('foreign_unit_file', message('root.foreign_file', { file: foreign.join(',') }))
}

/**
 * A keepalive pings only the far end of its own tunnel, and networkd receives no tunnel that it could hold only in
 * part.
 */
function allowFile({ interface_name, saved }: TunnelStep & { kind: 'file_write' }, wanted: TunnelStates): void {
  if (saved.file === 'systemd_keepalive_unit') {
    const link = wanted.find((state) => state.interface_name === interface_name)?.link
    const { target_address } = saved.config
    if (!farEnds(link?.config.addresses ?? []).includes(target_address))
      throw new RefusedError('malformed', `${target_address} is not the far end of ${interface_name}`)
  } else if (saved.file === 'networkd_netdev') {
    const [limit] = networkdLimits(interface_name, saved.config)
    if (limit)
      throw new RefusedError(
        'malformed',
        `systemd-networkd cannot keep ${limit.field} of ${interface_name}: ${limit.why.message}`,
      )
  }
}

export const whatItIs = (name: string, kind: string): Message =>
  kind === '' ? message('root.physical', { name }) : message('root.of_kind', { name, kind })

async function supported(links: Links, kind: LinkKind): Promise<void> {
  const { supported: can, detail } = await links.supports(kind)
  if (!can) throw new RefusedError('unsupported', message('root.no_kind', { kind, why: detail }))
}

/** A schema cannot say it: what `canonical` finds to be no state at all. */
export function canonicalOr<S>(state: S | null, canonical: (state: S) => S | null): S | null {
  try {
    return state === null ? null : canonical(state)
  } catch (error) {
    if (error instanceof RangeError) throw new RefusedError('malformed', error.message)
    throw error
  }
}

/** Nothing is planned from a state that could not be read, not even what only takes away. */
export function readableRuleset({ is_readable, detail }: HeldRuleset): void {
  if (!is_readable) throw new RefusedError('kernel_refused', verbatim(detail))
}

/** A rule that the backend cannot implement exactly is refused. */
export function allowRules(rules: RulesetState | null, active: HeldRuleset['backend']): void {
  for (const rule of rules ?? []) {
    const [limit] = ruleLimits({ active, has_ipv6: true }, rule)
    if (limit)
      throw new RefusedError(
        'unsupported',
        message('root.rule_refused', { number: rule.route_rule_id, why: limit.why }),
      )
  }
  const wide = (rules ?? []).find((rule) => shiftedPorts(rule) > SHIFTED_PORTS_MAX)
  if (wide)
    throw new RefusedError(
      'unsupported',
      message('root.ports_shifted', { number: wide.route_rule_id, count: shiftedPorts(wide), most: SHIFTED_PORTS_MAX }),
    )
}

export function requireForwarding<S extends ForwardingState>(state: S | null): S {
  if (!state) throw new RefusedError('malformed', 'A host always forwards or does not: neither state may be null')
  return state
}

export function allowForwarding(
  { is_foreign_file, missing, sysctl_path, advertised }: Omit<ForwardingFound, 'state'>,
  steps: readonly ForwardingStep[],
): void {
  if (is_foreign_file && steps.some(({ kind }) => kind === 'sysctl_file_write' || kind === 'sysctl_file_remove')) {
    throw new RefusedError('foreign_sysctl_file', message('root.foreign_file', { file: sysctl_path }))
  }
  const lost = steps.flatMap((step) => {
    const one = step.kind === 'accept_ra_set' && advertised.find((any) => any.interface_name === step.interface_name)
    return one && !one.is_settable ? [one.interface_name] : []
  })
  if (lost.length > 0) throw new RefusedError('would_lose_ipv6', wouldLose(lost))
  const absent = steps.flatMap((step) =>
    step.kind === 'forwarding_set' && missing.includes(step.name) ? [step.name] : [],
  )
  if (absent.includes('ipv6')) throw new RefusedError('unsupported', message('root.no_ipv6'))
  if (absent.length > 0)
    throw new RefusedError(
      'unsupported',
      message('root.no_switch', { what: absent.map((name) => SYSCTL_KEYS[name]).join(', ') }),
    )
}

/** The value before the panel is what root found and recorded, so that no request takes the host below it. */
export function allowSize(found: Sized, before: HostForwarding, after: HostForwarding): void {
  const size = after.saved?.conntrack_max?.value
  if (size !== undefined && size !== before.saved?.conntrack_max?.value) {
    const absent = whyNoSize(found)
    if (absent) throw new RefusedError('unsupported', absent)
    within(whyNotSize(found, size))
  }
  if (!isSizeDue(before, after)) throw new RefusedError('malformed', `No file says of this ${CONNTRACK_MAX_KEY}`)
}

/** A schema cannot say it: a path leads from an address to one of the same family. One spelling for each. */
export function canonicalPath({ interface_name, source_address, target_address }: PathEnds): PathEnds {
  const [source, target] = [parseIp(source_address), parseIp(target_address)]
  if (!target) throw new RefusedError('malformed', `${target_address} is not an address`)
  if (source_address !== '' && source?.family !== target.family)
    throw new RefusedError('malformed', `${source_address} is not an address of the same family as ${target_address}`)
  return { interface_name, source_address: source ? formatIp(source) : '', target_address: formatIp(target) }
}

/**
 * Why nothing is sent there: one packet must not become many. The kernel itself refuses the broadcast addresses of its
 * subnets.
 */
export function whyUnreachable({ target_address }: PathEnds): Message | null {
  const target = parseIp(target_address)
  if (target && isMulticast(target)) return message('root.multicast', { address: target_address })
  return target && (isUnspecified(target) || isReserved(target))
    ? message('root.no_host', { address: target_address })
    : null
}

export function allowPath(path: PathEnds): PathEnds {
  const ends = canonicalPath(path)
  const reason = whyUnreachable(ends)
  if (reason !== null) throw new RefusedError('unsupported', reason)
  return ends
}

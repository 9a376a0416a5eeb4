// A link of the fake host, and how the fake kernel shows it.
import { canonicalAddress, canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import type { FoundLink } from '@panel/root-helper/kernel/facilities.ts'
import type { ObservedLink } from '@panel/shared/tunnel/observed.ts'
import {
  KERNEL_STUBS,
  isMulticast,
  isTapKind,
  LINK_KINDS,
  type LinkConfig,
  type LinkState,
  type TunnelAddress,
} from '@panel/shared/tunnel/model.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import { NO_STATISTICS } from './fake-interfaces.ts'

/** `state` null stands for a kind that is not ours. */
export interface FakeLink {
  index: number
  kind: string
  state: LinkState | null
  unmodelled: string[]
}

export function found(interface_name: string, { index, kind, state, unmodelled }: FakeLink): FoundLink {
  return { interface_name, link: state && structuredClone(state), observed: observed(index, kind, state), unmodelled }
}

function observed(index: number, kind: string, state: LinkState | null): ObservedLink {
  return {
    kind,
    index,
    mtu: state?.config.mtu ?? 1500,
    is_up: state?.is_up ?? false,
    is_lower_up: state?.is_up ?? false,
    oper_state: state?.is_up ? 'UNKNOWN' : 'DOWN',
    flags: [
      ...['POINTOPOINT', 'NOARP'],
      ...(state && isMulticast(state.config) ? ['MULTICAST'] : []),
      ...(state?.is_up ? ['UP', 'LOWER_UP'] : []),
    ],
    local_endpoint: state?.config.local_endpoint ?? '',
    remote_endpoint: state?.config.remote_endpoint ?? '',
    addresses: (state?.config.addresses ?? []).map((a) => `${a.address}/${a.prefix_length}`),
    statistics: NO_STATISTICS,
  }
}

export const hasAddress =
  (address: string) =>
  ({ state }: FakeLink): boolean =>
    state?.config.addresses.some((one) => one.address === address) ?? false

/** A refusal, or what the kernel makes of a request. */
export type Stubborn = KernelError | ((config: LinkConfig) => LinkConfig)

interface AmongLinks {
  readonly held: ReadonlyMap<string, FakeLink>
  readonly stubborn: Stubborn | undefined
}

/** The configuration of a link after its outer header was changed to `wanted` in place; throws as the kernel does. */
export function changedHeader(
  name: string,
  { kind, tx_queue_length, is_multicast = isTapKind(kind), addresses }: LinkConfig,
  wanted: LinkConfig,
  { held, stubborn }: AmongLinks,
): LinkConfig {
  const refuse = (code: string, why: string): never => {
    throw new KernelError(code, `Cannot change ${name}: ${why}`)
  }
  if (kind !== wanted.kind) refuse('EOPNOTSUPP', 'Operation not supported')
  if (wanted.is_path_mtu_discovery && wanted.is_ignore_df) refuse('EINVAL', 'Invalid argument')
  for (const [other, { state }] of held)
    if (other !== name && state && isBetweenSameEnds(state.config, wanted)) refuse('EEXIST', 'File exists')
  if (stubborn instanceof KernelError) throw stubborn
  const taken = stubborn ? stubborn(wanted) : wanted
  return canonicalConfig({ ...taken, tx_queue_length, is_multicast, addresses })
}

export const isOurs = (name: string, link: FakeLink): boolean =>
  (LINK_KINDS as readonly string[]).includes(link.kind) && !(KERNEL_STUBS as readonly string[]).includes(name)

export const sameAddress = (a: TunnelAddress, b: TunnelAddress): boolean =>
  JSON.stringify(canonicalAddress(a)) === JSON.stringify(canonicalAddress(b))

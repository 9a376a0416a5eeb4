// A link of the fake host, and how the fake kernel shows it.
import type { FoundLink } from '@panel/root-helper/kernel/facilities.ts'
import type { ObservedLink } from '@panel/shared/tunnel/observed.ts'
import type { LinkState } from '@panel/shared/tunnel/model.ts'
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
    flags: state?.is_up ? ['POINTOPOINT', 'NOARP', 'UP', 'LOWER_UP'] : ['POINTOPOINT', 'NOARP'],
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

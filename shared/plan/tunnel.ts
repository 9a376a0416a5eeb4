// planTunnel: from what is found under a name to what is wanted there, in the fewest steps the kernel allows. Pure.
import type { LinkConfig, LinkState, SavedLink, TunnelAddress, TunnelState } from '../model/tunnel.ts'
import { sameState } from './change.ts'
import type { TunnelStep } from './step.ts'

export type Operation = 'none' | 'create' | 'update' | 'recreate' | 'delete'

export interface TunnelPlan {
  readonly operation: Operation
  readonly steps: readonly TunnelStep[]
  /** Names of the fields that only a new link can take. */
  readonly recreate_reasons: readonly string[]
}

/** What a link takes while it lives (decisions.md, T14); all else is given at birth. */
const IN_PLACE: ReadonlySet<keyof LinkConfig> = new Set(['mtu', 'tx_queue_length', 'addresses'])

/** Both states are canonical. A found state is what a probe said, so a half-done change is as good a start as any. */
export function planTunnel(found: TunnelState | null, wanted: TunnelState | null): TunnelPlan {
  const interface_name = (wanted ?? found)?.interface_name
  if (interface_name === undefined) return { operation: 'none', steps: [], recreate_reasons: [] }
  const recreate_reasons = reasonsToRecreate(found?.link ?? null, wanted?.link ?? null)
  const steps = [
    ...forgetSteps(found?.saved ?? null, wanted?.saved ?? null),
    ...linkSteps(found?.link ?? null, wanted?.link ?? null, recreate_reasons.length > 0),
    ...saveSteps(found?.saved ?? null, wanted?.saved ?? null),
  ].map((step) => ({ ...step, interface_name }))
  return { operation: operationOf(found, wanted, steps, recreate_reasons), steps, recreate_reasons }
}

/** A step before it is told whose it is. */
type Step = TunnelStep extends infer S ? (S extends TunnelStep ? Omit<S, 'interface_name'> : never) : never

function operationOf(found: TunnelState | null, wanted: TunnelState | null, steps: readonly unknown[], reasons: readonly string[]): Operation {
  if (steps.length === 0) return 'none'
  if (!wanted) return 'delete'
  if (!found) return 'create'
  return reasons.length > 0 ? 'recreate' : 'update'
}

function reasonsToRecreate(found: LinkState | null, wanted: LinkState | null): string[] {
  if (!found || !wanted) return []
  const fields = Object.keys(wanted.config) as (keyof LinkConfig)[]
  return fields.filter((field) => !IN_PLACE.has(field) && !sameState(found.config[field], wanted.config[field]))
}

function linkSteps(found: LinkState | null, wanted: LinkState | null, recreate: boolean): Step[] {
  if (!wanted) return found ? [{ kind: 'link_delete' }] : []
  if (!found) return birth(wanted)
  return recreate ? [{ kind: 'link_delete' }, ...birth(wanted)] : inPlace(found, wanted)
}

function birth({ is_up, config }: LinkState): Step[] {
  return [{ kind: 'link_create', config }, ...config.addresses.map(add), ...(is_up ? [{ kind: 'link_up' } as const] : [])]
}

const add = (address: TunnelAddress): Step => ({ kind: 'address_add', address })
const remove = (address: TunnelAddress): Step => ({ kind: 'address_remove', address })

function inPlace(found: LinkState, wanted: LinkState): Step[] {
  const goesDown = found.is_up && !wanted.is_up
  const kept = goesDown ? found.config.addresses.filter((a) => !a.address.includes(':')) : found.config.addresses
  return [
    ...(goesDown ? [{ kind: 'link_down' } as const] : []),
    ...without(kept, wanted.config.addresses).map(remove),
    ...(found.config.mtu === wanted.config.mtu ? [] : [{ kind: 'link_set_mtu', mtu: wanted.config.mtu } as const]),
    ...(found.config.tx_queue_length === wanted.config.tx_queue_length ? [] : [{ kind: 'link_set_txqueuelen', tx_queue_length: wanted.config.tx_queue_length } as const]),
    // Going down, the kernel drops a link's IPv6 addresses (addrconf_ifdown, net/ipv6/addrconf.c), so those are added again.
    ...without(wanted.config.addresses, kept).map(add),
    ...(!found.is_up && wanted.is_up ? [{ kind: 'link_up' } as const] : []),
  ]
}

const without = (all: readonly TunnelAddress[], taken: readonly TunnelAddress[]): TunnelAddress[] =>
  all.filter((a) => !taken.some((b) => sameState(a, b)))

// What boot makes is withdrawn before the link is touched and promised after it stands: a crash between the two leaves less, never a lie.
function forgetSteps(found: SavedLink | null, wanted: SavedLink | null): Step[] {
  if (!found) return []
  const kept = wanted?.by === found.by ? wanted : null
  const disable: Step[] = found.is_enabled && !kept?.is_enabled ? [{ kind: 'systemd_disable' }] : []
  return [...disable, ...(found.config && !kept?.config ? [{ kind: 'file_remove', by: found.by } as const] : [])]
}

function saveSteps(found: SavedLink | null, wanted: SavedLink | null): Step[] {
  if (!wanted) return []
  const { by, is_enabled, config } = wanted
  const same = found?.by === by ? found : null
  const write: Step[] = !config || sameState(same?.config, config) ? [] : [{ kind: 'file_write', by, config }]
  return [...write, ...(is_enabled && !same?.is_enabled ? [{ kind: 'systemd_enable' } as const] : [])]
}

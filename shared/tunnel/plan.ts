// planTunnel: from what is found under a name to what is wanted there, in the fewest steps the kernel allows. Pure.
import {
  isMulticast,
  type LinkConfig,
  type LinkState,
  type RouteThrough,
  type TunnelAddress,
  type TunnelState,
} from './model.ts'
import { sameState } from '../change/change.ts'
import { fieldsToRecreate, outerChanges, type Manner } from './in-place.ts'
import { forgetSteps, isLetGo, saveSteps } from './plan-saved.ts'
import type { NamelessStep as Step, TunnelStep } from './step.ts'

export type Operation = 'none' | 'create' | 'update' | 'recreate' | 'delete'

export interface TunnelPlan {
  readonly operation: Operation
  readonly steps: readonly TunnelStep[]
  /** Names of the fields that only a new link can take, or LET_GO. */
  readonly recreate_reasons: readonly string[]
}

/** The reason where no field is one: systemd-networkd lets go of the link. */
export const LET_GO = 'networkd_network'

/** Both states are canonical. `found` comes from a probe, so a half-done change is as good a start as any. */
export function planTunnel(
  found: TunnelState | null,
  wanted: TunnelState | null,
  manner: Manner = 'in_place',
): TunnelPlan {
  const interface_name = (wanted ?? found)?.interface_name
  if (interface_name === undefined) return { operation: 'none', steps: [], recreate_reasons: [] }
  const recreate_reasons = found && wanted ? reasonsToRecreate(found, wanted, manner) : []
  const isBorn = wanted !== null && wanted.link !== null && (!found?.link || recreate_reasons.length > 0)
  const onLink = linkSteps(found?.link ?? null, wanted?.link ?? null, recreate_reasons.length > 0)
  const steps = [
    ...(found?.answers && !wanted?.answers ? [{ kind: 'answers_stop' } as const] : []),
    ...forgetSteps(found?.saved ?? null, wanted?.saved ?? null, isBorn),
    ...onLink,
    ...saveSteps(found?.saved ?? null, wanted?.saved ?? null, isBorn),
    ...answersSteps(found, wanted, onLink.length > 0),
  ].map((step) => ({ ...step, interface_name }))
  return { operation: planOperation(found, wanted, steps, recreate_reasons), steps, recreate_reasons }
}

/** The kernel takes with a link, or with its addresses, what answers through it need. */
function answersSteps(found: TunnelState | null, wanted: TunnelState | null, isLinkChanged: boolean): Step[] {
  if (!wanted?.answers) return []
  return isLinkChanged || found?.answers?.is_whole !== true ? [{ kind: 'answers_start' }] : []
}

function planOperation(
  found: TunnelState | null,
  wanted: TunnelState | null,
  steps: readonly unknown[],
  reasons: readonly string[],
): Operation {
  if (steps.length === 0) return 'none'
  if (!wanted) return 'delete'
  if (!found) return 'create'
  return reasons.length > 0 ? 'recreate' : 'update'
}

function reasonsToRecreate(found: TunnelState, wanted: TunnelState, manner: Manner): string[] {
  const [was, shall] = [found.link?.config, wanted.link?.config]
  if (!was || !shall) return []
  return [...fieldsToRecreate(was, shall, manner), ...(isLetGo(found.saved, wanted.saved) ? [LET_GO] : [])]
}

function linkSteps(found: LinkState | null, wanted: LinkState | null, recreate: boolean): Step[] {
  if (!wanted) return found ? [{ kind: 'link_delete' }] : []
  if (!found) return creation(wanted)
  return recreate ? [{ kind: 'link_delete' }, ...creation(wanted)] : inPlace(found, wanted)
}

function creation({ is_up, config, routes = [] }: LinkState): Step[] {
  return [
    { kind: 'link_create', config },
    ...config.addresses.map(add),
    ...(is_up ? [{ kind: 'link_up' } as const, ...routes.map(route)] : []),
  ]
}

const add = (address: TunnelAddress): Step => ({ kind: 'address_add', address })
const route = (one: RouteThrough): Step => ({ kind: 'route_add', route: one })
const remove = (address: TunnelAddress): Step => ({ kind: 'address_remove', address })

function inPlace(found: LinkState, wanted: LinkState): Step[] {
  const goesDown = found.is_up && !wanted.is_up
  const kept = goesDown ? found.config.addresses.filter((a) => !a.address.includes(':')) : found.config.addresses
  return [
    ...(goesDown ? [{ kind: 'link_down' } as const] : []),
    ...without(kept, wanted.config.addresses).map(remove),
    ...headerSteps(found.config, wanted.config),
    ...(found.config.tx_queue_length === wanted.config.tx_queue_length
      ? []
      : [{ kind: 'link_set_txqueuelen', tx_queue_length: wanted.config.tx_queue_length } as const]),
    ...(isMulticast(found.config) === isMulticast(wanted.config)
      ? []
      : [{ kind: 'link_set_multicast', is_multicast: isMulticast(wanted.config) } as const]),
    // Going down, the kernel drops a link's IPv6 addresses (addrconf_ifdown, net/ipv6/addrconf.c), so those are added
    // again.
    ...without(wanted.config.addresses, kept).map(add),
    ...(!found.is_up && wanted.is_up ? [{ kind: 'link_up' } as const] : []),
    ...(wanted.is_up ? missing(wanted.routes, found.routes).map(route) : []),
  ]
}

/** The kernel computes the MTU again with the header, so that step has the MTU in it. */
function headerSteps(found: LinkConfig, config: LinkConfig): Step[] {
  const fields = outerChanges(found, config)
  if (fields.length > 0) return [{ kind: 'link_set', config, fields }]
  return found.mtu === config.mtu ? [] : [{ kind: 'link_set_mtu', mtu: config.mtu }]
}

const missing = (wanted: readonly RouteThrough[] = [], found: readonly RouteThrough[] = []): RouteThrough[] =>
  wanted.filter((one) => !found.some((other) => sameState(one, other)))

const without = (all: readonly TunnelAddress[], taken: readonly TunnelAddress[]): TunnelAddress[] =>
  all.filter((a) => !taken.some((b) => sameState(a, b)))

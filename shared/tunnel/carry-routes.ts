// A change that makes a link again takes along the foreign routes through it, which the kernel drops with the link.
// Pure.
import { contains, parseCidr, parseIp } from '../address/ip.ts'
import { sameState, type Change } from '../change/change.ts'
import { isTapKind, type LinkState, type RouteThrough, type TunnelState } from './model.ts'
import { addressNetworks } from './networks.ts'
import type { Manner } from './in-place.ts'
import { planTunnels, type TunnelStates } from './plans.ts'

export type RoutesThrough = ReadonlyMap<string, readonly RouteThrough[]>

/** The protocols of routes that are added once, by hand or by a script. Routing daemons add theirs again. */
const LASTING = ['static', 'boot']

const canCarry = ({ protocol, unmodelled }: RouteThrough): boolean =>
  LASTING.includes(protocol) && unmodelled.length === 0

/**
 * The same change with the routes that it takes along: to put back in `before` all that can be, and in `after`, under
 * each name whose link is made again, those that its addresses still allow.
 */
export function carryRoutes(
  change: Change<TunnelStates>,
  through: RoutesThrough,
  manner: Manner = 'in_place',
): Change<TunnelStates> {
  const { before, after } = change
  const made = linksMade(change, manner)
  const carried = (name: string): RouteThrough[] => (through.get(name) ?? []).filter(canCarry)
  return {
    before: before && before.map((state) => withRoutes(state, carried(state.interface_name))),
    after:
      after &&
      after.map((state) => {
        const was = made.has(state.interface_name) ? predecessor(state, before ?? [], after) : null
        return was?.link ? withRoutes(state, allowed(carried(was.interface_name), was.link, state.link)) : state
      }),
  }
}

const linksMade = ({ before, after }: Change<TunnelStates>, manner: Manner): Set<string> =>
  new Set(
    planTunnels(before, after, manner).steps.flatMap((step) =>
      step.kind === 'link_create' ? [step.interface_name] : [],
    ),
  )

/** A tunnel that gets another name is the only one that leaves. */
function predecessor(
  { interface_name }: TunnelState,
  before: TunnelStates,
  after: TunnelStates,
): TunnelState | undefined {
  const same = before.find((state) => state.interface_name === interface_name)
  return same ?? before.find((state) => !after.some((other) => other.interface_name === state.interface_name))
}

/** Those with a gateway come last: it may be reached by one of the others. */
function withRoutes(state: TunnelState, routes: readonly RouteThrough[]): TunnelState {
  if (!state.link) return state
  const sorted = [...routes].sort((one, other) => Number(one.gateway !== '') - Number(other.gateway !== ''))
  return { ...state, link: { ...state.link, routes: sorted } }
}

/** A link that is down has no routes, and one of another address takes none that names the old one. */
function allowed(routes: readonly RouteThrough[], was: LinkState, shall: LinkState | null): RouteThrough[] {
  if (!shall?.is_up) return []
  const own = (link: LinkState, address: string): boolean =>
    link.config.addresses.some((one) => one.address === address)
  const reaches = (link: LinkState, gateway: string): boolean =>
    addressNetworks(link.config.addresses).some((network) => {
      const hop = parseIp(gateway)
      return hop !== null && contains(network, hop)
    })
  return routes.filter(
    ({ source, gateway, destination, is_onlink }) =>
      (source === '' || own(shall, source) || !own(was, source)) &&
      (gateway === '' || is_onlink || reaches(shall, gateway) || !reaches(was, gateway)) &&
      // Duplicate address detection takes its time there, and until then the kernel refuses the source.
      !(source.includes(':') && isTapKind(shall.config.kind)) &&
      !(parseCidr(destination)?.base.family === 6 && shall.config.mtu < IPV6_MTU_MIN),
  )
}

/** RFC 8200, 5: with less the kernel has no IPv6 on the link. */
const IPV6_MTU_MIN = 1280

/** Whether the kernel may drop routes on the way there, or on the way back. */
export const dropsRoutes = ({ before, after }: Change<TunnelStates>): boolean =>
  [planTunnels(before, after), planTunnels(after, before)].some(({ steps }) =>
    steps.some(({ kind }) => DROPPING.includes(kind)),
  )
/** After a header that the kernel does not change in place, the link is recreated. */
const DROPPING: readonly string[] = ['link_delete', 'link_down', 'link_set', 'address_remove']

/** Through links that a change deletes, and that cannot be put back or whose addresses do not allow it any more. */
export function lostRoutes(carried: Change<TunnelStates>, through: RoutesThrough): RouteThrough[] {
  const kept = (carried.after ?? []).flatMap(({ link }) => link?.routes ?? [])
  return [...through.values()].flat().filter((one) => !kept.some((other) => sameState(one, other)))
}

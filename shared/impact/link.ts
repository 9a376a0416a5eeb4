// What the changes of one tunnel do to its link, and to the ways that lead through it. Pure.
import { contains, formatCidr, parseIp, type Cidr } from '../address/ip.ts'
import { sameState, type Change } from '../change/change.ts'
import type { LinkState, RouteThrough, TunnelState } from '../tunnel/model.ts'
import { concernsFarEnd, outerChanges } from '../tunnel/in-place.ts'
import { addressNetworks } from '../tunnel/networks.ts'
import type { TunnelStep } from '../tunnel/step.ts'
import { planChange } from '../tunnel/plans.ts'

/** The effects on a link, from the mildest on. With another `header` packets go nowhere until the far end follows. */
export type LinkEffect = 'none' | 'made' | 'in_place' | 'header' | 'addresses' | 'bounced' | 'remade' | 'gone'
/** Those under which the kernel drops routes, and packets for a while. */
export const INTERRUPTED: readonly LinkEffect[] = ['addresses', 'bounced', 'remade', 'gone']

/** Changes of one kind take about as long; "" is none of the link. */
export const kindOf = (change: Change<TunnelState>): string =>
  [...new Set(planChange(change).steps.map(({ kind }) => kind))]
    .filter((kind) => kind.startsWith('link_') || kind === 'address_remove')
    .join(' ')

export interface RouteFate {
  readonly route: RouteThrough
  readonly fate: 'comes_back' | 'lost'
}

export interface LinkImpact {
  /** Under which it is on the host before the change. */
  readonly interface_name: string
  readonly effect: LinkEffect
  /** Nothing passes until the far end has followed. */
  readonly isForBothEnds: boolean
  readonly was: LinkState | null
  readonly shall: LinkState | null
  /** The networks of its own addresses that are interrupted. */
  readonly networks: readonly string[]
  /** The routes to the networks of its own addresses, and foreign ones; what stays untouched is not among them. */
  readonly routes: readonly RouteFate[]
  /** Whether packets to an address that went by this network still do afterwards; null where that is not known. */
  readonly isReached: (address: string, network: string | null) => boolean | null
}

/**
 * The impact on a link; `changes` each begin where the one before it ends. `through`: the foreign routes that the
 * kernel has now.
 */
export function linkImpact(changes: readonly Change<TunnelState>[], through: readonly RouteThrough[]): LinkImpact {
  const [first, last] = [changes[0], changes.at(-1)]
  const [was, shall] = [first?.before?.link ?? null, last?.after?.link ?? null]
  const steps = changes.flatMap((change) => planChange(change).steps)
  const effect = effectOf(was, shall, steps)
  const header = was && shall && effect === 'header' ? outerChanges(was.config, shall.config) : []
  const routes = routeFates(effect, was, shall, through)
  const networks = shall?.is_up ? addressNetworks(shall.config.addresses) : []
  const lost = new Set(routes.flatMap(({ route, fate }) => (fate === 'lost' ? [route.destination] : [])))
  return {
    interface_name: (first?.before ?? first?.after)?.interface_name ?? '',
    effect,
    isForBothEnds: header.some(concernsFarEnd),
    was,
    shall,
    networks: interruptedNetworks(effect, was, shall),
    routes,
    isReached: (address, network) => {
      if (!shall?.is_up) return false
      if (isWithin(networks, address)) return true
      return network === null ? null : !lost.has(network) && !isOwn(was, network)
    },
  }
}

const IN_PLACE = ['link_set_mtu', 'link_set_txqueuelen', 'link_set_multicast', 'address_add'] as const

function effectOf(was: LinkState | null, shall: LinkState | null, steps: readonly TunnelStep[]): LinkEffect {
  const has = (kind: TunnelStep['kind']): boolean => steps.some((step) => step.kind === kind)
  if (!was?.is_up) return shall?.is_up ? 'made' : 'none'
  if (!shall?.is_up) return 'gone'
  if (has('link_delete')) return 'remade'
  if (has('link_down')) return 'bounced'
  if (has('address_remove')) return 'addresses'
  if (has('link_set')) return 'header'
  return IN_PLACE.some(has) ? 'in_place' : 'none'
}

/** An address that stays keeps its own; whatever else is done to the link interrupts all. */
function interruptedNetworks(effect: LinkEffect, was: LinkState | null, shall: LinkState | null): string[] {
  if (!INTERRUPTED.includes(effect)) return []
  const [own, kept] = [was, shall].map((link) => addressNetworks(link?.config.addresses ?? []).map(formatCidr))
  return (own ?? []).filter((one) => effect !== 'addresses' || !kept?.includes(one))
}

function routeFates(
  effect: LinkEffect,
  was: LinkState | null,
  shall: LinkState | null,
  through: readonly RouteThrough[],
): RouteFate[] {
  if (!was || !INTERRUPTED.includes(effect)) return []
  const kept = effect === 'gone' ? [] : addressNetworks(shall?.config.addresses ?? []).map(formatCidr)
  const own = effect === 'gone' || effect === 'addresses' ? [] : addressNetworks(was.config.addresses).map(formatCidr)
  const isCarried = (route: RouteThrough): boolean =>
    effect === 'remade' && (shall?.routes ?? []).some((one) => sameState(one, route))
  const going = through.filter((route) => effect !== 'addresses' || goesWithAddresses(route, was, shall))
  return [
    ...own.filter((one) => kept.includes(one)).map((one) => ({ route: ownRoute(one), fate: 'comes_back' as const })),
    ...going.map((route) => ({ route, fate: isCarried(route) ? ('comes_back' as const) : ('lost' as const) })),
  ]
}

/** A route goes with the address that it names as source, and with the network of its gateway. */
function goesWithAddresses({ source, gateway }: RouteThrough, was: LinkState, shall: LinkState | null): boolean {
  const left = (shall?.config.addresses ?? []).map(({ address }) => address)
  if (source !== '' && !left.includes(source) && was.config.addresses.some(({ address }) => address === source))
    return true
  return gateway !== '' && !isWithin(addressNetworks(shall?.config.addresses ?? []), gateway)
}

const isOwn = (was: LinkState | null, network: string): boolean =>
  addressNetworks(was?.config.addresses ?? []).some((one) => formatCidr(one) === network)

function isWithin(networks: readonly Cidr[], address: string): boolean {
  const ip = parseIp(address)
  return ip !== null && networks.some((one) => contains(one, ip))
}

/** RT_TABLE_MAIN in linux/rtnetlink.h. */
const MAIN_TABLE = 254

const ownRoute = (destination: string): RouteThrough => ({
  destination,
  gateway: '',
  source: '',
  table: MAIN_TABLE,
  protocol: 'kernel',
  metric: 0,
  is_link_scope: true,
  is_onlink: false,
  unmodelled: [],
})

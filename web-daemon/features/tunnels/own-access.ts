// Keeps an operator from cutting the branch he sits on: a change that takes away the way of the answers to his own
// connection, or leads them elsewhere, is refused until he accepts it (reference.md, DELETE /tunnels/{id}; decisions.md,
// T8, R22). The way is that of the kernel's routing table, so that a client behind the far end is known too.
import { contains, formatCidr, parseCidr, parseIp, type Cidr, type Ip } from '@panel/shared/address/ip.ts'
import type { TunnelAddress, TunnelState } from '@panel/shared/tunnel/model.ts'
import type { RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { addressNetworks } from '@panel/shared/tunnel/networks.ts'
import { planChange } from '@panel/shared/tunnel/plans.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export const ACCEPTING_FLAG = 'i_understand_i_may_lose_access'

interface Asking {
  /** The address of the connection; "" without one. */
  readonly client_ip: string
  readonly accepts: boolean
}

interface Guarded {
  readonly interface_name: string
  readonly addresses: readonly TunnelAddress[]
}

/** Refuses a change under which the answers to the client would not find their way any more. */
export async function guardOwnAccess(
  { request }: Pick<ReadContext, 'request'>,
  guarded: Guarded,
  change: Change<TunnelState>,
  { client_ip, accepts }: Asking,
): Promise<void> {
  const client = parseIp(client_ip)
  const effect = effectOf(guarded, change)
  if (!client || accepts || !mayCut(effect, client)) return
  const found = await nullIfHelperAway(request('route.lookup', { addresses: [client_ip] }))
  const cut = cutOf(guarded.interface_name, effect, client, found?.routes[0] ?? null)
  if (cut) throw wouldCut(guarded.interface_name, client_ip, cut)
}

/** What a change does to the ways that lead over the tunnel. */
export interface Effect {
  /** The link goes, is made again or is taken down, and every route with it. */
  readonly isDown: boolean
  readonly lost: readonly TunnelAddress[]
  readonly gained: readonly Cidr[]
}

export function effectOf({ addresses }: Pick<Guarded, 'addresses'>, change: Change<TunnelState>): Effect {
  const { steps } = planChange(change)
  const isDown = steps.some(({ kind }) => kind === 'link_delete' || kind === 'link_down')
  const removed = steps.flatMap((step) => (step.kind === 'address_remove' ? [step.address] : []))
  const lost = isDown ? [...addresses, ...liveAddresses(change.before)] : removed
  return { isDown, lost, gained: gainedNetworks(change) }
}

/** Without a look at the routing table. */
const mayCut = ({ isDown, lost, gained }: Effect, client: Ip): boolean =>
  isDown || lost.length > 0 || gained.some((one) => contains(one, client))

export interface Cut {
  readonly how: 'through_tunnel' | 'route_captured'
  readonly network: Cidr
}

/** `route` is the entry by which the kernel answers the client now; null where none is known. */
export function cutOf(interface_name: string, effect: Effect, client: Ip, route: RoutingEntry | null): Cut | null {
  const network = route && parseCidr(route.destination)
  const isThrough = route?.device === interface_name
  const inside = addressNetworks(effect.lost).find((one) => contains(one, client))
  if (inside) return { how: 'through_tunnel', network: inside }
  if (isThrough && network && isRouteLost(effect, route)) return { how: 'through_tunnel', network }
  const longest = network?.prefix_length ?? -1
  const captor = isThrough ? undefined : effect.gained.find((one) => contains(one, client))
  return captor && captor.prefix_length > longest ? { how: 'route_captured', network: captor } : null
}

/** A route goes with the link, with the address that it names as source, and with the network of its gateway. */
function isRouteLost({ isDown, lost }: Effect, { source, gateway }: RoutingEntry): boolean {
  const hop = parseIp(gateway)
  return (
    isDown ||
    lost.some(({ address }) => address === source) ||
    (hop !== null && addressNetworks(lost).some((one) => contains(one, hop)))
  )
}

/** A link that is down has no routes. */
function gainedNetworks({ before, after }: Change<TunnelState>): Cidr[] {
  const had = new Set(addressNetworks(before?.link?.is_up ? liveAddresses(before) : []).map(formatCidr))
  return addressNetworks(after?.link?.is_up ? liveAddresses(after) : []).filter((one) => !had.has(formatCidr(one)))
}

const liveAddresses = (state: TunnelState | null): readonly TunnelAddress[] => state?.link?.config.addresses ?? []

function wouldCut(interface_name: string, client_ip: string, { how, network }: Cut): Refusal {
  const said = { client_ip, name: interface_name, network: formatCidr(network) }
  return new Refusal(
    'WOULD_CUT_OWN_ACCESS',
    how === 'through_tunnel' ? message('tunnel.own_access', said) : message('tunnel.own_access_captured', said),
    {
      field: ACCEPTING_FLAG,
      details: { interface_name, client_ip, network: formatCidr(network), how, flag: ACCEPTING_FLAG },
    },
  )
}

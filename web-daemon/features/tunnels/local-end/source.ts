// The address that a tunnel takes from the route to its far end (decisions.md, T49).
import { addressIn, canonicalIp, contains, enclosingNetwork, parseIp } from '@panel/shared/address/ip.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { ROUTE_LOOKUPS_MAX, type Reader } from '@panel/shared/rpc/methods.ts'
import type { HostInterface, RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import { addressOf } from '../../../platform/network/interface-address.ts'

/** What of a tunnel decides about the route of its outer packets. */
export interface Outer {
  /** Null: there is no such link yet. */
  readonly interface_name: string | null
  readonly remote_endpoint: string
  readonly bind_device: string | null
  readonly fwmark: number | null
  /** The address in use, which stays as long as it can. */
  readonly inUse: string | null
}

export interface Host {
  readonly request: Reader
  readonly interfaces: readonly HostInterface[]
  readonly tunnels: readonly Pick<Outer & { interface_name: string }, 'interface_name' | 'remote_endpoint'>[]
}

export type Source = { readonly address: string; readonly why: null } | { readonly why: Message }

/** One for each tunnel. */
export async function sourcesOf(host: Host, tunnels: readonly Outer[]): Promise<Source[]> {
  const sources: Source[] = []
  for (let at = 0; at < tunnels.length; at += ROUTE_LOOKUPS_MAX) {
    const part = tunnels.slice(at, at + ROUTE_LOOKUPS_MAX)
    const routes = await routesTo(
      host,
      part.map(({ remote_endpoint }) => remote_endpoint),
    )
    for (const [i, tunnel] of part.entries()) sources.push(await sourceBy(host, tunnel, routes[i] ?? null))
  }
  return sources
}

const routesTo = async ({ request }: Host, addresses: readonly string[]): Promise<(RoutingEntry | null)[]> =>
  (await request('route.lookup', { addresses: [...addresses] })).routes

async function sourceBy(host: Host, tunnel: Outer, route: RoutingEntry | null): Promise<Source> {
  const { remote_endpoint: address, bind_device, fwmark } = tunnel
  // The kernel looks the outer packets up by the mark, and by the device alone where they are bound to one.
  if (bind_device === null && fwmark !== null) return { why: message('tunnel.route_marked', { address }) }
  const device = bind_device ?? route?.device
  if (device === undefined) return { why: message('tunnel.route_missing', { address }) }
  if (await leadsThrough(host, device, tunnel.interface_name))
    return { why: message('tunnel.route_through_itself', { address, device }) }
  if (route?.device === device && route.source !== '') return { address: canonicalIp(route.source), why: null }
  if (bind_device === null && route?.has_several_hops) return { why: message('tunnel.route_several_hops', { address }) }
  return addressFrom(host, { device, gateway: route?.device === device ? route.gateway : '' }, tunnel)
}

/** Whether packets that leave by a device go into the link, as outer packets of other tunnels if need be. */
async function leadsThrough(host: Host, device: string, interface_name: string | null): Promise<boolean> {
  const passed = new Set<string>()
  let next: string | undefined = device
  while (next !== undefined && interface_name !== null && !passed.has(next)) {
    if (next === interface_name) return true
    passed.add(next)
    const carrier = host.tunnels.find((one) => one.interface_name === next)
    next = carrier && (await routesTo(host, [carrier.remote_endpoint]))[0]?.device
  }
  return false
}

/** Chooses like the kernel: an address in the network of the gateway goes before others. */
function addressFrom(
  { interfaces }: Host,
  { device, gateway }: Pick<RoutingEntry, 'device' | 'gateway'>,
  { remote_endpoint, inUse }: Outer,
): Source {
  const family = parseIp(remote_endpoint)?.family === 6 ? 6 : 4
  const all = interfaces.find(({ name }) => name === device)?.addresses ?? []
  const addresses = [...all.filter((one) => isBeside(one, gateway)), ...all]
  const address = addressOf({ addresses }, family, inUse)
  if (address !== null) return { address, why: null }
  return {
    why: message('tunnel.route_no_address', { address: remote_endpoint, device, family: `IPv${family}` }),
  }
}

function isBeside(cidr: string, gateway: string): boolean {
  const [ip, next] = [parseIp(addressIn(cidr)), parseIp(gateway)]
  return ip?.family === next?.family && ip && next
    ? contains(enclosingNetwork(ip, Number(cidr.split('/')[1])), next)
    : false
}

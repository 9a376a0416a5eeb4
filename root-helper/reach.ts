// What a tunnel may draw to itself, and what it may be called: root decides by what the kernel says at that moment.
// Only what is new is looked at, so that a tunnel keeps what it has.
import { formatCidr, formatIp, parseIp, type Cidr } from '@panel/shared/address/ip.ts'
import { isMulticast, isReserved, isUnspecified } from '@panel/shared/address/special.ts'
import { keptIn, whyNoTunnelAddress, whyNoTunnelNetwork, type Kept } from '@panel/shared/tunnel/address-rules.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { NetdevConfig, TunnelAddress, TunnelState } from '@panel/shared/tunnel/model.ts'
import { whyNoTunnelName } from '@panel/shared/tunnel/names.ts'
import { addressNetworks } from '@panel/shared/tunnel/networks.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { TunnelStates } from '@panel/shared/tunnel/plans.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Kernel } from './kernel/facilities.ts'
import { RefusedError } from './refused.ts'

type Host = Pick<Kernel, 'links' | 'ownAccess'>

/** `found` is what exists under each name of the change. */
export async function allowReach(
  host: Host,
  found: readonly TunnelFound[],
  wanted: TunnelStates | null,
): Promise<void> {
  const before = found.map(({ state }) => state).filter((state) => state !== null)
  for (const { interface_name } of wanted ?? [])
    if (!before.some((state) => state.interface_name === interface_name)) await allowNewName(host, interface_name)
  const ends = (wanted ?? []).flatMap(endsIn)
  const knownEnds = before.flatMap(endsIn)
  for (const config of ends) if (!knownEnds.some((other) => sameEnds(config, other))) allowEnds(config)
  // Files count as what a link has had while it is there: one that is down has lost its IPv6 addresses.
  const had = before.filter(({ link }) => link !== null).flatMap(allAddresses)
  const known = before.flatMap(allAddresses)
  const live = (wanted ?? []).flatMap(liveAddresses)
  const saved = (wanted ?? []).flatMap(savedAddresses).filter(isNoneOf(known))
  allowForm([...live.filter(isNoneOf(known)), ...saved])
  // A file alone may be older than who is to be reached now.
  const taking = [...live.filter(isNoneOf(had)), ...saved]
  if (taking.length > 0)
    allowTaking(
      addressNetworks(taking),
      await keptOn(
        host,
        found.map(({ interface_name }) => interface_name),
      ),
    )
}

async function allowNewName({ links }: Host, name: string): Promise<void> {
  const reason = whyNoTunnelName(name)
  if (reason !== null) throw new RefusedError('protected_interface', ofSomething(name, reason))
  const holder = await links.nameHolder(name)
  if (holder !== null && holder !== name)
    throw new RefusedError('protected_interface', message('root.name_taken', { name, holder }))
}

export const ofSomething = (subject: string, why: Message): Message => message('root.of_something', { subject, why })

const configsIn = ({ link, saved }: TunnelState) => [link?.config, saved?.systemd_unit?.config].filter((one) => !!one)

const liveAddresses = ({ link }: TunnelState): readonly TunnelAddress[] => link?.config.addresses ?? []
const savedAddresses = ({ saved }: TunnelState): readonly TunnelAddress[] => [
  ...(saved?.systemd_unit?.config?.addresses ?? []),
  ...(saved?.networkd_network?.config.addresses ?? []),
]
const allAddresses = (state: TunnelState): readonly TunnelAddress[] => [
  ...liveAddresses(state),
  ...savedAddresses(state),
]
const isNoneOf =
  (known: readonly TunnelAddress[]) =>
  (address: TunnelAddress): boolean =>
    !known.some((other) => sameState(address, other))

function endsIn(state: TunnelState): NetdevConfig[] {
  const netdev = state.saved?.networkd_netdev?.config
  return [...configsIn(state), ...(netdev ? [netdev] : [])]
}

const sameEnds = (a: NetdevConfig, b: NetdevConfig): boolean =>
  a.local_endpoint === b.local_endpoint && a.remote_endpoint === b.remote_endpoint

function allowEnds({ local_endpoint, remote_endpoint }: NetdevConfig): void {
  for (const text of [local_endpoint, remote_endpoint]) {
    const ip = parseIp(text)
    if (ip && (isUnspecified(ip) || isMulticast(ip) || isReserved(ip)))
      throw new RefusedError('protected_address', message('root.no_endpoint', { address: text }))
  }
  if (local_endpoint === remote_endpoint)
    throw new RefusedError('protected_address', message('root.to_itself', { address: local_endpoint }))
}

function allowForm(addresses: readonly TunnelAddress[]): void {
  for (const one of addresses)
    for (const text of [one.address, one.peer_address]) {
      const ip = parseIp(text)
      const reason = ip && whyNoTunnelAddress(ip)
      if (reason) throw new RefusedError('protected_address', ofSomething(text, reason))
    }
  for (const network of addressNetworks(addresses)) {
    const reason = whyNoTunnelNetwork(network)
    if (reason !== null) throw new RefusedError('protected_address', ofSomething(formatCidr(network), reason))
  }
}

export function allowTaking(networks: readonly Cidr[], kept: readonly Kept[]): void {
  for (const network of networks) {
    const lost = keptIn(network, kept)
    if (lost)
      throw new RefusedError(
        'protected_address',
        message('root.holds', { network: formatCidr(network), address: formatIp(lost.ip), what: lost.what }),
      )
  }
}

/**
 * What the links of a change may not take: addresses of other interfaces, next hops, name servers, and the addresses of operators who
 * are connected to such an address. Clients that came through a tunnel use the tunnel's own address, and its return
 * does not cut them off.
 */
export async function keptOn(host: Host, names: readonly string[]): Promise<Kept[]> {
  const own = new Set(names)
  const [interfaces, hops, clients, resolvers] = await Promise.all([
    host.links.interfaces(),
    host.links.nextHops(),
    host.ownAccess.clients(),
    host.ownAccess.resolvers(),
  ])
  const others = interfaces
    .filter(({ name }) => !own.has(name))
    .flatMap(({ name, addresses }) =>
      addresses.flatMap((text) => kept(text, message('tunnel.kept_own', { device: name }))),
    )
  const held = new Set(others.map(({ ip }) => formatIp(ip)))
  return [
    ...others,
    ...hops
      .filter(({ device }) => !own.has(device))
      .flatMap(({ gateway, device }) => kept(gateway, message('tunnel.kept_gateway', { device }))),
    ...resolvers.flatMap((address) => kept(address, message('tunnel.kept_resolver'))),
    ...clients
      .filter(({ came_to }) => held.has(came_to))
      .flatMap(({ address }) => kept(address, message('tunnel.kept_client'))),
  ]
}

function kept(text: string, what: Message): Kept[] {
  const ip = parseIp(text.split('/')[0] ?? '')
  return ip ? [{ ip, what }] : []
}

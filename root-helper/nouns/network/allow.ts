// What a network may draw to itself, and over which links: root decides by what the host holds at that moment. Only what
// is new is looked at, so that a network keeps what it has.
import { bitsOf, contains, formatIp, parseCidr, parseIp, type Cidr } from '@panel/shared/address/ip.ts'
import { networkSums, whyNoNetwork, whyNoOwnAddress, whySum, type Allowed } from '@panel/shared/limits/judge.ts'
import { message, verbatim } from '@panel/shared/messages/message.ts'
import { carrying } from '@panel/shared/network/canonical.ts'
import { NETWORKS_MAX, type NetworkState, type NetworkStates } from '@panel/shared/network/model.ts'
import { whyNoTunnelAddress, type Kept } from '@panel/shared/tunnel/address-rules.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { allowedNow, within } from '../../limits.ts'
import { allowTaking, keptOn, ofSomething } from '../../reach.ts'
import { RefusedError } from '../../refused.ts'
import { allowNoMarks } from '../tunnel/allow-answers.ts'
import { addressesOfTunnels } from '../tunnel/limits.ts'
import { probeTunnels } from '../tunnel/probe.ts'

/** `had` is what is kept under the destinations of the change. */
export async function allowNetworks(
  kernel: Kernel,
  had: NetworkStates | null,
  wanted: NetworkStates | null,
): Promise<void> {
  const trouble = kernel.networks.trouble() ?? kernel.answers.trouble()
  if (trouble !== null) throw new RefusedError('state_unusable', verbatim(trouble))
  const before = (state: NetworkState): NetworkState | null =>
    had?.find(({ destination }) => destination === state.destination) ?? null
  const added = (wanted ?? []).map((state) => addedBy(before(state), state))
  if (added.length === 0) return
  const allowed = allowedNow(kernel)
  await allowDestinations(kernel, allowed, had ?? [], wanted ?? [], added)
  await allowOwnAddresses(kernel, allowed, added, new Set((had ?? []).map(({ destination }) => destination)))
  await allowPaths(kernel, added)
  const why = await kernel.networks.inTheWay(added.map(({ state }) => state))
  if (why) throw new RefusedError('protected_address', why)
}

interface Added {
  readonly state: NetworkState
  readonly network: Cidr | null
  /** It draws nothing yet. */
  readonly isNew: boolean
  readonly own_addresses: readonly string[]
  readonly paths: readonly string[]
  readonly source: string | null
}

function addedBy(before: NetworkState | null, state: NetworkState): Added {
  const had = carrying(before?.paths ?? []).map(({ interface_name }) => interface_name)
  const isCarried = carrying(state.paths).length > 0
  return {
    state,
    network: parseCidr(state.destination),
    isNew: before === null || (isCarried && had.length === 0),
    own_addresses: state.own_addresses.filter((one) => !before?.own_addresses.includes(one)),
    paths: carrying(state.paths).flatMap(({ interface_name }) =>
      had.includes(interface_name) ? [] : [interface_name],
    ),
    source: state.source === before?.source ? null : state.source,
  }
}

async function allowDestinations(
  kernel: Kernel,
  allowed: Allowed,
  had: NetworkStates,
  wanted: NetworkStates,
  added: readonly Added[],
): Promise<void> {
  const fresh = added.filter(({ isNew }) => isNew)
  if (fresh.length === 0) return
  const tunnels = [...(await addressesOfTunnels(kernel)).values()]
  const changed = new Set([...had, ...wanted].map(({ destination }) => destination))
  const others = kernel.networks.kept().filter(({ destination }) => !changed.has(destination))
  if (others.length + wanted.length > NETWORKS_MAX)
    throw new RefusedError('beyond_limits', message('root.too_many_networks', { most: NETWORKS_MAX }))
  const sums = (of: NetworkStates) => networkSums(allowed.limits, tunnels, [...others, ...of])
  for (const { network } of fresh) within(network && whyNoNetwork(allowed, network))
  within(whySum(allowed, sums(had), sums(wanted)))
  const ends = await farEnds(kernel)
  for (const { state, network } of fresh) {
    if (!network) continue
    const paths = state.paths.map(({ interface_name }) => interface_name)
    const kept = [...(await keptOn(kernel, paths)), ...ends]
    const own = new Set([...kernel.networks.kept(), ...wanted].flatMap(({ own_addresses }) => own_addresses))
    const others = kept.filter(({ ip }) => contains(network, ip) && !own.has(formatIp(ip)))
    allowTaking([network], await takenBy(kernel, network, others))
  }
}

/** What is reached by a longer prefix goes on being reached by it. */
async function takenBy({ links }: Kernel, network: Cidr, kept: readonly Kept[]): Promise<Kept[]> {
  const found = await links.routesTo(kept.map(({ ip }) => formatIp(ip)))
  return kept.filter((_, at) => {
    const length = parseCidr(found[at]?.route?.destination ?? '')?.prefix_length
    return length === undefined || length <= network.prefix_length
  })
}

/** A tunnel whose far end it holds would carry itself. */
async function farEnds({ links }: Kernel): Promise<Kept[]> {
  return (await links.listUncounted(null)).flatMap(({ interface_name, link }) => {
    const ip = parseIp(link?.config.remote_endpoint ?? '')
    return ip ? [{ ip, what: message('tunnel.kept_far_end', { device: interface_name }) }] : []
  })
}

/** `changed` may leave an address to another network. */
async function allowOwnAddresses(
  kernel: Kernel,
  allowed: Allowed,
  added: readonly Added[],
  changed: ReadonlySet<string>,
): Promise<void> {
  const fresh = added.filter(({ own_addresses }) => own_addresses.length > 0)
  const kept = kernel.networks.kept()
  const others = kept.filter(({ destination }) => !changed.has(destination))
  for (const { state, own_addresses } of fresh)
    for (const address of own_addresses) {
      const ip = parseIp(address)
      const why = ip && whyNoTunnelAddress(ip)
      if (why) throw new RefusedError('protected_address', ofSomething(address, why))
      within(ip && whyNoOwnAddress(allowed, { base: ip, prefix_length: bitsOf(ip.family) }))
      const all = [...others, ...added.map((one) => one.state)]
      const holder = all.find((one) => one.destination !== state.destination && one.own_addresses.includes(address))
      if (holder)
        throw new RefusedError(
          'protected_address',
          message('root.own_address_twice', { address, network: holder.destination }),
        )
    }
  await allowSources(kernel, added)
  const [first] = fresh
  if (!first) return
  const refusal = await kernel.answers.refusal()
  if (refusal) throw new RefusedError('unsupported', refusal)
  if (kept.every(({ own_addresses }) => own_addresses.length === 0)) await allowNoMarks(kernel, first.state.destination)
}

async function allowSources({ links }: Kernel, added: readonly Added[]): Promise<void> {
  if (added.every(({ source }) => source === null)) return
  const here = new Set((await links.interfaces()).flatMap(({ addresses }) => addresses.map((one) => one.split('/')[0])))
  for (const { source, state } of added)
    if (source !== null && !here.has(source) && !state.own_addresses.includes(source))
      throw new RefusedError('protected_address', message('limits.snat', { address: source }))
}

/** Over tunnels of the panel that are up. One that carries nothing may be missing. */
async function allowPaths(kernel: Kernel, added: readonly Added[]): Promise<void> {
  const all = added.flatMap(({ state }) => state.paths.map(({ interface_name }) => interface_name))
  const fresh = new Set(added.flatMap(({ paths }) => paths))
  for (const { interface_name: name, observed, is_ours, state } of await probeTunnels(kernel, [...new Set(all)])) {
    if (observed && !is_ours) throw new RefusedError('protected_interface', message('root.not_ours', { name }))
    if (fresh.has(name) && !state?.link?.is_up)
      throw new RefusedError('stale_state', message('root.path_not_up', { name }))
  }
}

// What a change of tunnels adds, against the limits of this host. A tunnel keeps what it has.
import { parseIp } from '@panel/shared/address/ip.ts'
import {
  drawnBy,
  networkSums,
  whyListened,
  whyNoFarEnd,
  whyNoMark,
  whyNoName,
  whySum,
  type Allowed,
} from '@panel/shared/limits/judge.ts'
import type { NetdevConfig, TunnelAddress, TunnelState } from '@panel/shared/tunnel/model.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { TunnelStates } from '@panel/shared/tunnel/plans.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { allowedNow, within } from '../../limits.ts'
import { log } from '../../log.ts'
import { seeAllTunnels } from './probe.ts'

/** `found` is what exists under each name of the change. */
export async function allowTunnelLimits(
  kernel: Kernel,
  found: readonly TunnelFound[],
  wanted: TunnelStates | null,
): Promise<void> {
  const [before, after] = [found.flatMap(({ state }) => state ?? []), [...(wanted ?? [])]]
  const added = addedBy(before, after)
  if (Object.values(added).every((some) => some.length === 0)) return
  const allowed = allowedNow(kernel)
  for (const name of added.names) within(whyNoName(allowed, name))
  for (const mark of added.marks) within(whyNoMark(allowed, mark))
  for (const text of added.far_ends) {
    const ip = parseIp(text)
    within(ip && whyNoFarEnd(allowed, ip))
  }
  if (added.names.length + added.addresses.length === 0) return
  await allowSums(kernel, allowed, before, after)
  if (added.own_addresses.length === 0) return
  const { rules, boot_rules } = await kernel.rulesets.read()
  within(whyListened(allowed, [...rules, ...boot_rules], added.own_addresses))
}

function addedBy(before: readonly TunnelState[], after: readonly TunnelState[]) {
  const added = (of: (state: TunnelState) => readonly string[]): string[] => {
    const had = new Set(before.flatMap(of))
    return [...new Set(after.flatMap(of))].filter((one) => !had.has(one))
  }
  return {
    names: added(({ interface_name }) => [interface_name]),
    marks: added((state) => configsOf(state).flatMap(({ fwmark }) => (fwmark === null ? [] : [`${fwmark}`]))).map(
      Number,
    ),
    far_ends: added((state) => configsOf(state).map(({ remote_endpoint }) => remote_endpoint)),
    own_addresses: added((state) => addressesOf(state).map(({ address }) => address)),
    addresses: added((state) => addressesOf(state).map((address) => JSON.stringify(Object.values(address)))),
  }
}

const configsOf = ({ link, saved }: TunnelState): NetdevConfig[] =>
  [link?.config, saved?.systemd_unit?.config, saved?.networkd_netdev?.config].flatMap((config) => config ?? [])

const addressesOf = ({ link, saved }: Pick<TunnelState, 'link' | 'saved'>): TunnelAddress[] =>
  [link?.config, saved?.systemd_unit?.config, saved?.networkd_network?.config].flatMap(
    (config) => config?.addresses ?? [],
  )

/** The addresses of the panel's tunnels, by their names. */
export async function addressesOfTunnels(kernel: Kernel): Promise<Map<string, TunnelAddress[]>> {
  const ours = (await seeAllTunnels(kernel)).filter(
    ({ is_ours, state }) => is_ours || Object.values(state?.saved ?? {}).some((file) => file !== null),
  )
  return new Map(ours.map(({ interface_name, state }) => [interface_name, state ? addressesOf(state) : []]))
}

async function allowSums(
  kernel: Kernel,
  allowed: Allowed,
  was: readonly TunnelState[],
  after: readonly TunnelState[],
): Promise<void> {
  const tunnels = await addressesOfTunnels(kernel)
  const networks = kernel.networks.kept()
  const sums = () => ({ ...networkSums(allowed.limits, tunnels.values(), networks), tunnels: tunnels.size })
  const before = sums()
  for (const { interface_name } of was) tunnels.delete(interface_name)
  const changed = new Map(after.map((state) => [state.interface_name, addressesOf(state)]))
  for (const [name, addresses] of changed) tunnels.set(name, addresses)
  within(whySum(allowed, before, sums()))
  for (const drawn of drawnBy(allowed.limits, changed)) log('warning', 'A tunnel draws public addresses', drawn)
}

// What a draft needs to know of the host: its interfaces, its routing table and what it can do. Read live, never
// cached.
import { bitsOf, enclosingNetwork, parseCidr, parseIp, type Cidr, type Ip } from '@panel/shared/address/ip.ts'
import type { HelperFacts, HostFound } from '@panel/shared/host/model.ts'
import type { HostInterface, RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { LimitsFound } from '@panel/shared/limits/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'

export interface HostFacts {
  readonly interfaces: readonly HostInterface[]
  readonly helper: HelperFacts
  /** The interfaces' addresses, each with the network it stands in. */
  readonly held: readonly HeldAddress[]
  readonly routes: readonly ParsedRoute[]
  /** Which kinds of tunnel the kernel can make; null where that was not requested, since it loads modules. */
  readonly link_kinds: HostFound['link_kinds']
  /** Null where nothing of the host is known. */
  readonly limits: LimitsFound | null
}

export interface HeldAddress {
  readonly device: string
  readonly ip: Ip
  readonly network: Cidr
}

export interface ParsedRoute {
  readonly entry: RoutingEntry
  readonly network: Cidr
}

export async function hostFacts(request: Reader, withLinkKinds = false): Promise<HostFacts> {
  const { interfaces, routing_table, helper, link_kinds, limits } = await request('host.probe', {
    parts: ['helper', 'interfaces', 'routing_table', 'limits', ...(withLinkKinds ? (['link_kinds'] as const) : [])],
  })
  if (!interfaces || !routing_table || !helper || !limits)
    throw new Error('The helper left out a part of the host that was requested')
  return { ...factsOf(interfaces, routing_table, helper), link_kinds, limits }
}

/** A host of which nothing is known: nothing is there, and nothing can be kept. */
export const NO_FACTS: HostFacts = {
  interfaces: [],
  held: [],
  routes: [],
  link_kinds: null,
  limits: null,
  helper: { savers: [], kernel_release: '', unit_dir: '', networkd_dir: '', sysctl_dir: '', version: '', pid: 1 },
}

/** Addresses are read once here: on a host with a thousand tunnels there are thousands. */
export function factsOf(
  interfaces: readonly HostInterface[],
  routing_table: readonly RoutingEntry[],
  helper: HelperFacts,
): HostFacts {
  const held = interfaces.flatMap(({ name, addresses }) => addresses.flatMap((text) => heldOf(name, text)))
  return { interfaces, helper, held, routes: parseRoutes(routing_table), link_kinds: null, limits: null }
}

/** The host as it would be without one of its interfaces. */
export const factsWithout = (facts: HostFacts, device: string): HostFacts => ({
  ...facts,
  interfaces: facts.interfaces.filter(({ name }) => name !== device),
  held: facts.held.filter((one) => one.device !== device),
  routes: facts.routes.filter(({ entry }) => entry.device !== device),
})

function heldOf(device: string, text: string): HeldAddress[] {
  const [address = '', length] = text.split('/')
  const ip = parseIp(address)
  return ip ? [{ device, ip, network: enclosingNetwork(ip, Number(length ?? bitsOf(ip.family))) }] : []
}

/** The tables that every packet is looked up in: local, main and default (linux/rtnetlink.h, RT_TABLE_*). */
const COMMON_TABLES: ReadonlySet<number> = new Set([253, 254, 255])

const parseRoutes = (routing_table: readonly RoutingEntry[]): ParsedRoute[] =>
  routing_table.flatMap((entry) => {
    const network = COMMON_TABLES.has(entry.table) ? parseCidr(entry.destination) : null
    return network ? [{ entry, network }] : []
  })

/** Half of all addresses by one entry is a default route in two parts, as VPN clients make it. */
const WIDEST_OF_INTEREST = 2

/** Whether it leads to a particular network, rather than to everything. */
export const isParticular = ({ entry, network }: ParsedRoute): boolean =>
  !entry.is_default && network.prefix_length >= WIDEST_OF_INTEREST

export const particularRoutes = ({ routes }: HostFacts): ParsedRoute[] => routes.filter(isParticular)

// What the helper needs of a kernel, one interface per facility. One contract suite holds the real ones and the tests'
// fakes to the same behaviour.
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { Icmp } from './icmp/port.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import type { AdvertisedInterface, ForwardingFound, ForwardingState, Switch } from '@panel/shared/forwarding/model.ts'
import type {
  FoundRoute,
  HostInterface,
  ObservedLink,
  RoutingEntry,
  LinkSnapshot,
} from '@panel/shared/tunnel/observed.ts'
import type { RouteThrough } from '@panel/shared/tunnel/model.ts'
import type { NetworkFound, NetworksFound, NetworkState } from '@panel/shared/network/model.ts'
import type { Limits } from '@panel/shared/limits/model.ts'
import type { Uplink } from '@panel/shared/ruleset/found.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { Connections, LinkSource, RuleBackends, Rulesets } from './relay-facilities.ts'
import type { LinkConfig, LinkKind, LinkState, TunnelAddress } from '@panel/shared/tunnel/model.ts'

/** A link under a name: `link` is null where it is not of our kinds. */
export interface SeenLink {
  readonly interface_name: string
  readonly link: LinkState | null
  readonly observed: LinkSnapshot['observed']
  readonly unmodelled: readonly string[]
}

/** A link together with its counters. */
export interface FoundLink extends SeenLink {
  readonly observed: ObservedLink
}

/** Which links are the panel's, by their indexes; root changes and deletes no other. */
export interface OwnLinks {
  /**
   * Null of a link that the helper neither made nor adopted nor released: then a file of ours under its name decides.
   */
  isOwn(index: number): boolean | null
  /** On the disk before it returns, as with release. */
  keep(index: number): Promise<void>
  release(index: number): Promise<void>
  /** The link is gone; written with the next that is kept. */
  gone(index: number): void
  /** The same of every link but these. */
  only(indexes: ReadonlySet<number>): void
  /** Why it is not known which links are the panel's; null where it is. */
  trouble(): string | null
}

/**
 * Links and their addresses (rtnetlink). Each change throws a KernelError where the kernel refuses it, and of a link
 * that is not the panel's.
 */
/** Sysctls of an interface, by the family and the name under conf. */
export type LinkSettings = readonly {
  readonly family: 'ipv4' | 'ipv6'
  readonly key: string
  readonly value: string
}[]

export interface Links {
  /** Links of our kinds (never the kernel's stubs), or those of the given names whatever their kind. */
  list(names: readonly string[] | null): Promise<FoundLink[]>
  /** Lists links without counters. Returns the previous object of a link that has not changed. */
  listUncounted(names: readonly string[] | null): Promise<SeenLink[]>
  /** The live side of the given names, whatever their kind, without counters. */
  observe(names: readonly string[]): Promise<LinkSnapshot[]>
  /** Makes the link with everything in `config` but the addresses; it is left down, and is the panel's. */
  create(interface_name: string, config: LinkConfig): Promise<void>
  /** Changes everything in `config` but kind, queue length, multicast and addresses of a link that exists. */
  change(interface_name: string, config: LinkConfig): Promise<void>
  delete(interface_name: string): Promise<void>
  setMtu(interface_name: string, mtu: number): Promise<void>
  setTxQueueLength(interface_name: string, tx_queue_length: number): Promise<void>
  setMulticast(interface_name: string, is_multicast: boolean): Promise<void>
  setUp(interface_name: string, is_up: boolean): Promise<void>
  addAddress(interface_name: string, address: TunnelAddress): Promise<void>
  removeAddress(interface_name: string, address: TunnelAddress): Promise<void>
  /** Routes that other programs made through the link; empty if there is no such link. */
  routesThrough(interface_name: string): Promise<RouteThrough[]>
  /** Leaves one that is there already. */
  addRoute(interface_name: string, route: RouteThrough): Promise<void>
  /** The sysctls of the link that differ from those that a new one begins with; empty if there is no such link. */
  settings(interface_name: string): Promise<LinkSettings>
  changeSettings(interface_name: string, settings: LinkSettings): Promise<void>
  /** Whether this kernel can make links of the kind, found out without making one. */
  supports(kind: LinkKind): Promise<{ supported: boolean; detail: string }>
  interfaces(): Promise<HostInterface[]>
  routingTable(): Promise<RoutingEntry[]>
  /** For each address where the kernel sends to it. */
  routesTo(addresses: readonly string[]): Promise<FoundRoute[]>
  /** The next hops of all routes; several for a route that has several. */
  nextHops(): Promise<NextHop[]>
  /** For each tunnel and family that has exactly one, the address by which the kernel sends through it. */
  sources(): Promise<LinkSource[]>
  /** Every device, but loopback, that is a tunnel or has an address. */
  devices(): Promise<string[]>
  /** The link that has the name, be it an alternative one; null where there is none. */
  nameHolder(name: string): Promise<string | null>
}

export interface NextHop {
  readonly gateway: string
  readonly device: string
}

/** Files of ours in one folder. Contents are text; names are plain file names of our own patterns, never paths. */
export interface SavedFiles {
  /** Null where there is no such file. */
  read(name: string): Promise<string | null>
  /** Names of the files that match our own pattern. */
  list(): Promise<readonly string[]>
  /** Written whole or not at all: temporary file, fsync, rename, fsync of the folder. */
  write(name: string, content: string): Promise<void>
  remove(name: string): Promise<void>
  /** Whether there are drop-ins beside the file, which change what it says. */
  isOverridden(name: string): Promise<boolean>
  /** All that isOverridden is true of. */
  listOverridden(): Promise<string[]>
}

/**
 * Units of systemd. A keepalive that is enabled is started, and one that is disabled is stopped, in a systemd that
 * reads the folder.
 */
export interface UnitFiles extends SavedFiles {
  isEnabled(name: string): Promise<boolean>
  /** All that isEnabled is true of. */
  listEnabled(): Promise<readonly string[]>
  /** Those of the given keepalives that a systemd that reads the folder does not run, and is not about to. */
  listStopped(names: readonly string[]): Promise<string[]>
  setEnabled(name: string, enabled: boolean): Promise<void>
}

/** Changes of links and addresses by any program, and changes of nftables by other programs. */
export interface KernelEvents {
  /** Returns the function that ends it. Throws a KernelError where the kernel refuses. */
  watch(onEvent: (event: HostEvent) => void): () => void
  /** Links, addresses and default routes alone; for the helper itself. */
  watchLinks(onChange: (event: HostEvent) => void): () => void
  /** For ten minutes from now on, changes of nftables name the programs that made them. */
  nameWriters(): void
}

/** Files of systemd-networkd, which enables whatever lies in its folder. */
export interface NetworkdFiles extends SavedFiles {
  /** Has a running networkd that reads the folder read it again before long, for the sake of one link. */
  reloadFor(interface_name: string): Promise<void>
  /** Returns when networkd has read its files for that link: at once, unless a reload is still waiting. */
  settled(interface_name: string): Promise<void>
}

/** A TCP port that a process listens on for the operator, or is configured to. */
export interface OwnPort {
  readonly port: number
  readonly owner: 'sshd' | 'panel'
}

/** How the operator gets into this host: root never takes that away. */
export interface OwnAccess {
  ports(): Promise<OwnPort[]>
  /** Those that sshd and the panel are configured for, which is found out sooner than who listens. */
  configured(): Promise<OwnPort[]>
  /** Those who are connected to such a port now. */
  clients(): Promise<OwnClient[]>
  /** The name servers of this host. */
  resolvers(): Promise<string[]>
}

/** `came_to` is the address of this host that the connection was made to. */
export interface OwnClient {
  readonly address: string
  readonly came_to: string
}

/** The switches of the kernel that the panel knows, and one file of ours that sets them at boot. */
export interface Forwarding {
  facts(): Promise<
    Pick<ForwardingFound, 'missing' | 'sysctl_path' | 'conntrack'> & Pick<ForwardingState, 'live' | 'conntrack_max'>
  >
  set(name: Switch, is_on: boolean): Promise<void>
  setConntrackMax(value: number): Promise<void>
  /** Interfaces that have IPv6 from router advertisements which the kernel takes, and the named ones that are there. */
  advertised(
    interface_names: readonly string[],
  ): Promise<(Omit<AdvertisedInterface, 'previous'> & { accept_ra: number })[]>
  setAcceptRa(interface_name: string, value: number): Promise<void>
  /** Null where there is no such file. */
  readFile(): Promise<string | null>
  writeFile(content: string): Promise<void>
  removeFile(): Promise<void>
}

/** The netfilter objects of other software: they are read, and there is no way to change them. */
export interface Netfilter {
  foreign(): Promise<ForeignFound>
}

/**
 * Tunnels through which what came in for their own addresses is answered, whatever the routing tables say, and the same
 * of own addresses of networks. The kernel holds it for links that are up, and it goes with them; `follow` is due
 * whenever links or addresses change.
 */
export interface Answers {
  names(): string[]
  /** Each of these tunnels, and whether the kernel holds all that its link calls for. */
  found(): Promise<readonly { readonly interface_name: string; readonly is_whole: boolean }[]>
  /** Holds from now on, and when the link comes back. Does what is missing if it holds already. */
  start(interface_name: string): Promise<void>
  stop(interface_name: string): Promise<void>
  /** Tunnels that are gone for good. */
  forget(interface_names: readonly string[]): Promise<void>
  /** Gives the kernel what is missing, and takes away what is due no more. */
  follow(): Promise<void>
  /** Interfaces that rules name and by which they are answered; none unless the kernel holds all that it takes. */
  uplinks(): Promise<readonly Uplink[]>
  /** Whether the kernel holds all that is called for by the networks' own addresses, too. */
  isWhole(): Promise<boolean>
  /** Tunnels, networks with own addresses, and interfaces that rules name: what may have a mark. */
  marked(): string[]
  /** Why this host cannot do it; null where it can. */
  refusal(): Promise<Message | null>
  /** Why it is not known which tunnels, networks and rules these are; null where it is. */
  trouble(): string | null
}

/**
 * Networks that lie behind tunnels: a route of each, and own addresses on the loopback interface. The kernel takes routes
 * away with their links; `follow` is due whenever links or addresses change.
 */
export interface Networks {
  /** What was last kept, and comes back. */
  kept(): NetworkState[]
  /** Those of the given destinations that are kept, or all of them, with what they lack but for answers. */
  found(destinations: readonly string[]): Promise<NetworkFound[]>
  /** Those of these destinations and own addresses that are ours in the kernel, and that nothing kept speaks of. */
  strays(destinations: readonly string[], addresses: readonly string[]): Promise<string[]>
  /** On the disk before it returns, as with `forget`. */
  keep(states: readonly NetworkState[]): Promise<void>
  forget(destination: string): Promise<void>
  setRoutes(states: readonly NetworkState[]): Promise<void>
  removeRoute(destination: string): Promise<void>
  /** Leaves one that is there already and ours. */
  addAddress(address: string): Promise<void>
  removeAddress(address: string): Promise<void>
  /** The foreign route or address that is the same as one of the networks; null if there is none. */
  inTheWay(states: readonly NetworkState[]): Promise<Message | null>
  follow(): Promise<void>
  hashPolicy(): Promise<NetworksFound['hash_policy']>
  /** Why it is not known which networks these are; null where it is. */
  trouble(): string | null
}

/** What root allows on this host. */
export interface HostLimits {
  /** Reads the file again; with a `fault` in it the limits are the defaults. */
  read(): { readonly path: string; readonly limits: Limits; readonly fault: Message | null }
}

export interface Kernel {
  limits: HostLimits
  links: Links
  ownLinks: OwnLinks
  answers: Answers
  networks: Networks
  events: KernelEvents
  units: UnitFiles
  networkd: NetworkdFiles
  rulesets: Rulesets
  ruleBackends: RuleBackends
  netfilter: Netfilter
  ownAccess: OwnAccess
  connections: Connections
  forwarding: Forwarding
  icmp: Icmp
}

// A kernel in memory, for reaching places that a real one is hard to bring to; test/contract holds it to what the real
// one does.
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { nothingForeign, type ForeignFound } from '@panel/shared/foreign/model.ts'
import { RULESET_CHANGED, type HostEvent } from '@panel/shared/events/model.ts'
import { withoutCounters, type HostInterface, type RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import { DEFAULT_LIMITS, type Limits } from '@panel/shared/limits/model.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { Listener } from '@panel/shared/host/listener.ts'
import { type LinkConfig, type FileKind, type LinkState, type TunnelAddress } from '@panel/shared/tunnel/model.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import { isSavedFile, NETWORKD_KINDS, UNIT_KINDS } from '@panel/shared/tunnel/saved-file.ts'
import type {
  FoundLink,
  HostLimits,
  Kernel,
  KernelEvents,
  Links,
  Netfilter,
  NetworkdFiles,
  OwnAccess,
  OwnClient,
  OwnPort,
  SavedFiles,
  SeenLink,
  UnitFiles,
} from '@panel/root-helper/kernel/facilities.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { madeOnce } from '@panel/shared/made-once.ts'
import { ownLinksIn } from '@panel/root-helper/kernel/files/own-links.ts'
import { FakeAnswers } from './fake-answers.ts'
import { FakeNetworks } from './fake-networks.ts'
import { fakeInterface } from './fake-interfaces.ts'
import { changedHeader, found, hasAddress, isOurs, sameAddress, type FakeLink, type Stubborn } from './fake-links.ts'
import { fakeRoute, FakeRoutesThrough, routesTo } from './fake-routes.ts'
import { fakeSources } from './fake-sources.ts'
import { FakeIcmp } from './fake-icmp.ts'
import { memoryFolder } from './memory-folder.ts'
import { FakeForwarding } from './fake-forwarding.ts'
import { FakeConnections, FakeRuleBackends, FakeRulesets } from './fake-ruleset.ts'

export class FakeKernel implements Kernel {
  readonly held = new Map<string, FakeLink>()
  readonly #uncounted = madeOnce<SeenLink>()
  readonly ownLinks = ownLinksIn(memoryFolder(), 'this-boot')
  readonly answers = new FakeAnswers(
    (what) => this.#change(what),
    () => this.networks.withOwnAddresses(),
  )
  readonly networks = new FakeNetworks(
    (what) => this.#change(what),
    (name) => this.held.get(name)?.state?.is_up !== false,
    (address) => [...this.held.values()].some(hasAddress(address)),
  )
  readonly files = new Map<string, string>()
  readonly enabled = new Set<string>()
  /** Enabled units that were stopped by hand. */
  readonly stopped = new Set<string>()
  /** Every requested change, in order: what a test of "nothing was changed" looks at. */
  readonly changes: string[] = []
  /** The interfaces for which networkd had to read its files again. */
  readonly reloads: string[] = []
  readonly rulesets = new FakeRulesets(
    (what) => this.#change(what),
    () => this.#tell(RULESET_CHANGED),
  )
  readonly ruleBackends = new FakeRuleBackends(this.rulesets, (what) => this.#change(what))
  readonly connections = new FakeConnections((what) => this.#change(what))
  readonly forwarding = new FakeForwarding((what) => this.#change(what))
  readonly icmp = new FakeIcmp()
  /** What other software has in netfilter. */
  foreign: ForeignFound = nothingForeign('')
  readonly netfilter: Netfilter = { foreign: async () => structuredClone(this.foreign) }
  supportsGre = true
  /** Why the helper can change nothing; null where it can. */
  stateTrouble: string | null = null
  /** Why no file of ours could be written on the host. */
  foldersTrouble: string | null = null
  hostInterfaces: HostInterface[] = [
    fakeInterface('lo', 1, 'loopback', ['127.0.0.1/8']),
    fakeInterface('eth0', 2, 'physical', ['192.0.2.1/24', '2001:db8::1/64']),
  ]
  hostRoutes: RoutingEntry[] = ['0.0.0.0/0', '192.0.2.0/24', '::/0'].map((to) => fakeRoute(to, 'eth0'))
  /** The sysctls of links that differ from those of a new one. */
  readonly sysctls = new Map<string, Awaited<ReturnType<Links['settings']>>>()
  /** Through the links of these names. */
  readonly routesOfOthers = new FakeRoutesThrough()
  /** Alternative names, and whose they are. */
  readonly altNames = new Map<string, string>()
  hostListeners: Listener[] = []
  /** Who is connected to sshd or the panel. */
  hostClients: OwnClient[] = []
  readonly ownAccess: OwnAccess = {
    ports: async () => [
      ...this.hostListeners.filter(({ is_sshd }) => is_sshd).map(({ port }) => ({ port, owner: 'sshd' as const })),
      ...this.configuredPorts,
    ],
    configured: async () => this.configuredPorts,
    clients: async () => this.hostClients,
    resolvers: async () => this.hostResolvers,
  }
  hostResolvers: string[] = []
  configuredPorts: OwnPort[] = []
  /** What limits.conf says, and what is wrong with it. */
  hostLimits: Limits = DEFAULT_LIMITS
  limitsFault: Message | null = null
  readonly limits: HostLimits = {
    read: () => ({ path: '/etc/tunnel-panel/limits.conf', limits: this.hostLimits, fault: this.limitsFault }),
  }
  #nextIndex = 10
  /** Who listens to events now. */
  readonly listeners = new Set<(event: HostEvent) => void>()

  /**
   * All that can be changed, as text: equal text is an unchanged host. Indexes are left out, since recreating a link
   * gives it another.
   */
  picture(): string {
    const links = [...this.held].map(([name, link]) => [name, link.kind, link.state, link.unmodelled]).sort()
    return JSON.stringify({
      links,
      routes: this.routesOfOthers.picture(),
      files: [...this.files].sort(),
      enabled: [...this.enabled].sort(),
      answers: this.answers.names().sort(),
      networks: this.networks.picture(),
      rules: this.rulesets.picture(),
      handedOver: this.ruleBackends.picture(),
      forwarding: this.forwarding.picture(),
    })
  }

  /** Puts a link there behind the panel's back. */
  plant(name: string, link: Partial<FakeLink>): void {
    this.held.set(name, {
      index: this.#nextIndex++,
      kind: link.state?.config.kind ?? 'vxlan',
      state: null,
      unmodelled: [],
      ...link,
    })
    this.#tellOfLink(name)
  }

  /** How often the names of writers of the ruleset were requested. */
  writersNamed = 0

  readonly events: KernelEvents = {
    nameWriters: () => void (this.writersNamed += 1),
    watchLinks: () => () => undefined,
    watch: (tell) => {
      this.listeners.add(tell)
      return () => void this.listeners.delete(tell)
    },
  }

  readonly links: Links = {
    list: async (names) => this.#found(names),
    listUncounted: async (names) =>
      this.#found(names).map(({ observed, ...found }) => {
        const link = { ...found, observed: withoutCounters(observed) }
        return this.#uncounted(found.interface_name, [JSON.stringify(link)], () => link)
      }),
    observe: async (names) =>
      [...this.held]
        .filter(([name]) => names.includes(name))
        .map(([name, link]) => ({ interface_name: name, observed: withoutCounters(found(name, link).observed) })),
    create: (name, config) => this.#create(name, config),
    change: async (name, config) => this.#changeHeader(name, config),
    delete: async (name) => {
      this.#ours(name)
      this.#change(`delete ${name}`)
      this.#tellOfLink(name, true)
      this.ownLinks.gone(this.#indexOf(name))
      this.held.delete(name)
      this.routesOfOthers.delete(name)
      this.sysctls.delete(name)
    },
    setMtu: async (name, mtu) => this.#set(name, { mtu }),
    setTxQueueLength: async (name, tx_queue_length) => this.#set(name, { tx_queue_length }),
    setMulticast: async (name, is_multicast) => this.#set(name, { is_multicast }),
    setUp: async (name, is_up) => this.#setUp(name, is_up),
    addAddress: async (name, address) => this.#addAddress(name, address),
    removeAddress: async (name, address) => this.#removeAddress(name, address),
    routesThrough: async (name) => this.routesOfOthers.get(name) ?? [],
    addRoute: async (name, route) => {
      this.#ours(name)
      if (this.routesOfOthers.add(name, route)) this.#change(`route ${name} ${route.destination}`)
    },
    settings: async (name) => this.sysctls.get(name) ?? [],
    changeSettings: async (name, settings) => {
      this.#ours(name)
      this.#change(`sysctls ${name}`)
      this.sysctls.set(name, settings)
    },
    supports: async () =>
      this.supportsGre ? { supported: true, detail: '' } : { supported: false, detail: 'Unknown device type' },
    interfaces: async () => [
      ...this.hostInterfaces,
      ...[...this.held].map(([name, link]) => ({
        ...fakeInterface(name, link.index, 'tunnel', found(name, link).observed.addresses),
        kind: link.kind,
      })),
    ],
    routingTable: async () => this.hostRoutes,
    devices: async () => [],
    routesTo: async (addresses) => routesTo(this.hostRoutes, addresses, await this.links.interfaces()),
    sources: async () => [...this.held].filter(([name, link]) => isOurs(name, link)).flatMap(fakeSources),
    nextHops: async () => this.hostRoutes.filter(({ gateway }) => gateway !== ''),
    nameHolder: async (name) => this.altNames.get(name) ?? (this.held.has(name) ? name : null),
  }

  readonly units: UnitFiles = {
    ...this.#filesOf(UNIT_KINDS),
    isEnabled: async (name) => this.enabled.has(ours(name, UNIT_KINDS)),
    listEnabled: async () => [...this.enabled],
    listStopped: async (names) => names.filter((name) => this.stopped.has(ours(name, UNIT_KINDS))),
    setEnabled: async (name, enabled) => {
      this.#change(`${enabled ? 'enable' : 'disable'} ${ours(name, UNIT_KINDS)}`)
      this.stopped.delete(name)
      if (enabled) this.enabled.add(name)
      else this.enabled.delete(name)
    },
  }

  readonly networkd: NetworkdFiles = {
    ...this.#filesOf(NETWORKD_KINDS),
    reloadFor: async (name) => void this.reloads.push(name),
    settled: async () => undefined,
  }

  #filesOf(kinds: readonly FileKind[]): SavedFiles {
    return {
      read: async (name) => this.files.get(ours(name, kinds)) ?? null,
      list: async () => [...this.files.keys()].filter((name) => isSavedFile(name, kinds)),
      write: async (name, content) => {
        this.#change(`write ${ours(name, kinds)}`)
        this.files.set(name, content)
      },
      remove: async (name) => {
        this.#change(`remove ${ours(name, kinds)}`)
        this.files.delete(name)
      },
      isOverridden: async (name) => [...this.files.keys()].some((other) => other.startsWith(`${name}.d/`)),
      listOverridden: async () => [...this.files.keys()].flatMap((path) => /^(.+)\.d\//.exec(path)?.[1] ?? []),
    }
  }

  async #create(name: string, config: LinkConfig): Promise<void> {
    if (this.held.has(name)) throw new KernelError('EEXIST', `Cannot create ${name}: File exists`)
    if (!this.supportsGre) throw new KernelError('EOPNOTSUPP', `Cannot create ${name}: Unknown device type`)
    if ([...this.held.values()].some((link) => link.state && isBetweenSameEnds(link.state.config, config)))
      throw new KernelError('EEXIST', `Cannot create ${name}: File exists`)
    const index = this.#nextIndex++
    await this.ownLinks.keep(index)
    this.#change(`create ${name}`)
    const state = { is_up: false, config: canonicalConfig({ ...config, addresses: [] }) }
    this.held.set(name, { index, kind: config.kind, state, unmodelled: [] })
    this.#tellOfLink(name)
  }

  /** Links whose outer header the kernel does not change in place, or changes otherwise than requested. */
  readonly stubborn = new Map<string, Stubborn>()

  #changeHeader(name: string, config: LinkConfig): void {
    const link = this.#ours(name)
    link.config = changedHeader(name, link.config, config, { held: this.held, stubborn: this.stubborn.get(name) })
    this.#change(`change ${name}`)
    this.#tellOfLink(name)
  }

  #set(name: string, fields: Partial<LinkConfig>): void {
    const link = this.#ours(name)
    this.#change(`set ${name} ${JSON.stringify(fields)}`)
    link.config = canonicalConfig({ ...link.config, ...fields })
    this.#tellOfLink(name)
  }

  #setUp(name: string, is_up: boolean): void {
    const link = this.#ours(name)
    this.#change(`${is_up ? 'up' : 'down'} ${name}`)
    // A link that goes down loses its IPv6 addresses (addrconf_ifdown), as the contract suite shows of the real one.
    if (link.is_up && !is_up)
      link.config = { ...link.config, addresses: link.config.addresses.filter((a) => !a.address.includes(':')) }
    if (link.is_up && !is_up) this.routesOfOthers.delete(name)
    link.is_up = is_up
    this.#tellOfLink(name)
  }

  #addAddress(name: string, address: TunnelAddress): void {
    const link = this.#ours(name)
    if (link.config.addresses.some((a) => sameAddress(a, address)))
      throw new KernelError('EEXIST', `Cannot add ${address.address} to ${name}: File exists`)
    this.#change(`address ${name} ${address.address}`)
    link.config = canonicalConfig({ ...link.config, addresses: [...link.config.addresses, address] })
    this.#tell({ subject: 'address', interface_name: '', index: this.#indexOf(name), is_removal: false })
  }

  #removeAddress(name: string, address: TunnelAddress): void {
    const link = this.#ours(name)
    if (!link.config.addresses.some((a) => sameAddress(a, address)))
      throw new KernelError(
        'EADDRNOTAVAIL',
        `Cannot remove ${address.address} from ${name}: Cannot assign requested address`,
      )
    this.#change(`address-remove ${name} ${address.address}`)
    link.config = { ...link.config, addresses: link.config.addresses.filter((a) => !sameAddress(a, address)) }
    this.#tell({ subject: 'address', interface_name: '', index: this.#indexOf(name), is_removal: true })
  }

  #ours(name: string): LinkState {
    const link = this.held.get(name)
    if (!link) throw new KernelError('ENODEV', `There is no ${name}: No such device`)
    if (!link.state || this.ownLinks.isOwn(link.index) !== true)
      throw new KernelError('EPERM', `${name} is not a tunnel of ours`)
    return link.state
  }

  #indexOf = (name: string): number => this.held.get(name)?.index ?? 0

  #tellOfLink(interface_name: string, is_removal = false): void {
    this.#tell({ subject: 'link', interface_name, index: this.#indexOf(interface_name), is_removal })
  }

  #tell(event: HostEvent): void {
    for (const listener of this.listeners) listener(event)
  }

  #found(names: readonly string[] | null): FoundLink[] {
    return [...this.held]
      .filter(([name, link]) => (names ? names.includes(name) : isOurs(name, link)))
      .map(([name, link]) => found(name, link))
  }

  #change(what: string): void {
    this.changes.push(what)
  }
}

function ours(name: string, kinds: readonly FileKind[]): string {
  if (!isSavedFile(name, kinds)) throw new Error(`${name} is not a name of our files`)
  return name
}

// Any kernel, with a fault at its n-th change. It lives in the tests, so a production helper has no such door.
import type {
  Answers,
  Forwarding,
  HostLimits,
  Kernel,
  KernelEvents,
  Links,
  Netfilter,
  NetworkdFiles,
  Networks,
  OwnAccess,
  OwnLinks,
  UnitFiles,
} from '@panel/root-helper/kernel/facilities.ts'
import type { Connections, RuleBackends, Rulesets } from '@panel/root-helper/kernel/relay-facilities.ts'
import type { Icmp } from '@panel/root-helper/kernel/icmp/port.ts'

/**
 * refuses: the change is not made, and throws. half: it is made, and throws. lies: it is not made, and says it was.
 * dies: the process is killed before the change. dies-after: it is killed when the change is made.
 */
export type Fault = 'refuses' | 'half' | 'lies' | 'dies' | 'dies-after'

/** Which fault, if any, the change with this number has; the first is 1. */
export type FaultAt = (request: number) => Fault | null

const LINK_CHANGES = [
  'create',
  'change',
  'delete',
  'setMtu',
  'setTxQueueLength',
  'setMulticast',
  'setUp',
  'addAddress',
  'removeAddress',
  'addRoute',
  'changeSettings',
] as const
const RULESET_CHANGES = ['submit', 'saveForBoot', 'removeCounters', 'clear'] as const
const FORWARDING_CHANGES = ['set', 'setConntrackMax', 'setAcceptRa', 'writeFile', 'removeFile'] as const
const NETWORK_CHANGES = ['keep', 'forget', 'setRoutes', 'removeRoute', 'addAddress', 'removeAddress'] as const
const FILE_CHANGES = ['write', 'remove', 'setEnabled'] as const

export class FaultyKernel implements Kernel {
  readonly limits: HostLimits
  readonly links: Links
  readonly ownLinks: OwnLinks
  readonly answers: Answers
  readonly networks: Networks
  readonly units: UnitFiles
  readonly networkd: NetworkdFiles
  readonly events: KernelEvents
  readonly rulesets: Rulesets
  readonly ruleBackends: RuleBackends
  readonly netfilter: Netfilter
  readonly ownAccess: OwnAccess
  readonly connections: Connections
  readonly forwarding: Forwarding
  readonly icmp: Icmp
  /** The number of changes so far. */
  requests = 0
  readonly #faultAt: FaultAt

  constructor(kernel: Kernel, faultAt: FaultAt) {
    this.#faultAt = faultAt
    this.limits = kernel.limits
    this.links = this.#wrap(kernel.links, LINK_CHANGES)
    this.ownLinks = kernel.ownLinks
    this.answers = this.#wrap(kernel.answers, ['start', 'stop'])
    this.networks = this.#wrap(kernel.networks, NETWORK_CHANGES)
    this.units = this.#wrap(kernel.units, FILE_CHANGES)
    this.networkd = this.#wrap(kernel.networkd, FILE_CHANGES)
    this.events = kernel.events
    this.netfilter = kernel.netfilter
    this.icmp = kernel.icmp
    this.ownAccess = kernel.ownAccess
    this.connections = this.#wrap(kernel.connections, ['drop'])
    this.rulesets = this.#wrap(kernel.rulesets, RULESET_CHANGES)
    this.ruleBackends = {
      get active() {
        return kernel.ruleBackends.active
      },
      get isNamed() {
        return kernel.ruleBackends.isNamed
      },
      choose: () => kernel.ruleBackends.choose(),
      look: () => kernel.ruleBackends.look(),
      notMoved: (why) => kernel.ruleBackends.notMoved(why),
      started: () => kernel.ruleBackends.started(),
      recorded: () => kernel.ruleBackends.recorded(),
      record: (backend) => this.#change(() => kernel.ruleBackends.record(backend)).then(() => undefined),
      open: async (backend) => {
        const opened = await kernel.ruleBackends.open(backend)
        return typeof opened === 'string' ? opened : this.#wrap(opened, RULESET_CHANGES)
      },
    }
    this.forwarding = this.#wrap(kernel.forwarding, FORWARDING_CHANGES)
  }

  #wrap<T extends object>(facility: T, changes: readonly string[]): T {
    return new Proxy(facility, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as unknown
        if (typeof method !== 'function') return method
        const call = method.bind(target) as (...args: unknown[]) => Promise<unknown>
        return changes.includes(String(name)) ? (...args: unknown[]) => this.#change(() => call(...args)) : call
      },
    })
  }

  async #change(make: () => Promise<unknown>): Promise<unknown> {
    this.requests += 1
    const fault = this.#faultAt(this.requests)
    if (fault === null) return make()
    // Every change that answers anything answers with a list.
    if (fault === 'lies') return []
    if (fault === 'dies') process.kill(process.pid, 'SIGKILL')
    if (fault === 'half' || fault === 'dies-after') await make()
    if (fault === 'dies-after') process.kill(process.pid, 'SIGKILL')
    throw new Error(`Injected fault at change ${this.requests}`)
  }
}

/** The n-th change fails, and only that one. */
export const onlyAt =
  (n: number, fault: Fault): FaultAt =>
  (request) =>
    request === n ? fault : null
/** Lets every change fail from the n-th on, undoing included. */
export const from =
  (n: number, fault: Fault): FaultAt =>
  (request) =>
    request >= n ? fault : null

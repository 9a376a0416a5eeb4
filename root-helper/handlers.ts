// What root does for each line of METHODS; a method without a handler does not compile.
import type { FastPathFound } from '@panel/shared/ruleset/fast-path.ts'
import { LINK_KINDS } from '@panel/shared/tunnel/model.ts'
import { asStates } from '@panel/shared/tunnel/plans.ts'
import type { Item, MethodsThat, Params, Result, StreamName } from '@panel/shared/rpc/methods.ts'
import type { HelperFacts, Tools } from '@panel/shared/host/model.ts'
import type { Listener } from '@panel/shared/host/listener.ts'
import { eventSubscriber } from './events/subscribe.ts'
import { settingSwitches } from './nouns/forwarding/start.ts'
import { forwardingSubject, hostChange, probeForwarding } from './nouns/forwarding/subject.ts'
import { WINDOW_CHANGED } from '@panel/shared/events/model.ts'
import type { Kernel, KernelEvents } from './kernel/facilities.ts'
import type { JournalFile } from './kernel/files/journal.ts'
import { KernelError } from './kernel-error.ts'
import type { Turns } from './one-at-a-time.ts'
import { pathHandlers } from './path/handlers.ts'
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'
import { CounterReader } from './nouns/ruleset/counters.ts'
import { countFlows, countThrough, findConnections, countArrived, findUnmarked } from './nouns/ruleset/connections.ts'
import { probeRuleset } from './nouns/ruleset/probe.ts'
import { applyRuleset, forgetRules, readSources, verifyRuleset } from './nouns/ruleset/handlers.ts'
import { countOlder, endOlderOf } from './nouns/ruleset/older.ts'
import { allowingIn } from './nouns/ruleset/limits.ts'
import { Transaction } from './transaction.ts'
import { digestTunnels } from './nouns/tunnel/digest.ts'
import { adoptLink, releaseLink } from './nouns/tunnel/ownership.ts'
import { findLimits, findUsed } from './nouns/limits.ts'
import { findOurs } from './nouns/ours.ts'
import { probeNetworks } from './nouns/network/probe.ts'
import { networkSubject } from './nouns/network/subject.ts'
import { CarriedSysctls } from './nouns/tunnel/carried-sysctls.ts'
import { probeTunnels } from './nouns/tunnel/probe.ts'
import { routesThrough } from './nouns/tunnel/routes.ts'
import { tunnelSubject } from './nouns/tunnel/subject.ts'
import type { Windows } from './window/window.ts'

export type Handlers = { readonly [M in MethodsThat<'read' | 'write'>]: (params: Params<M>) => Promise<Result<M>> } & {
  readonly [M in StreamName]: (params: Params<M>, signal: AbortSignal) => AsyncGenerator<Item<M>, Result<M>, void>
}

/** The dependencies of the helper; the tests pass a fake kernel. */
export interface HelperDeps {
  readonly kernel: Kernel
  /**
   * The journal of one change. Changes that come as requests use the windows' journal instead, which keeps them until
   * they are confirmed.
   */
  readonly journal: JournalFile
  readonly windows: Windows
  /** Runs one change after the other, whatever their nouns. */
  readonly inTurn: Turns['inTurn']
  readonly hold: Turns['hold']
  readonly helperFacts: () => Promise<HelperFacts>
  readonly findTools: () => Promise<Tools>
  readonly findListeners: () => Promise<Listener[]>
  /** Why no change, or none of one noun, can begin; null where one can. */
  readonly stateTrouble: () => Promise<string | null>
}

export function handlersFor(deps: HelperDeps): Handlers {
  const subscribe = eventSubscriber(withWindows(deps))
  return {
    ...tunnelHandlers(deps),
    ...rulesetHandlers(deps),
    ...networkHandlers(deps),
    ...forwardingHandlers(deps),
    ...windowHandlers(deps.windows),
    'netfilter.probe': () => deps.kernel.netfilter.foreign(),
    'route.through': async ({ interface_names }) => ({
      links: [...(await routesThrough(deps.kernel.links, interface_names))].map(([interface_name, routes]) => ({
        interface_name,
        routes: [...routes],
      })),
    }),
    'connections.through': (params) => countThrough(deps.kernel, params),
    'connections.older': (params) => countOlder(deps.kernel, params),
    'route.lookup': async ({ addresses }) => {
      const found = await deps.kernel.links.routesTo(addresses)
      return { routes: found.map(({ route }) => route), kinds: found.map(({ kind }) => kind) }
    },
    'host.probe': ({ parts }) => probeHost(deps, parts),
    'events.subscribe': (_, signal) => subscribe(signal),
    ...pathHandlers(deps.kernel.icmp),
  }
}

type HandlersOf<Prefix extends string> = Pick<Handlers, Extract<keyof Handlers, `${Prefix}.${string}`>>

function tunnelHandlers({ kernel, windows, inTurn }: HelperDeps): HandlersOf<'tunnel' | 'link'> {
  const sysctls = new CarriedSysctls(kernel)
  const tunnels = new Transaction(tunnelSubject(kernel, sysctls), windows.journal)
  return {
    'link.probe': async ({ interface_names }) => ({ links: await kernel.links.observe(interface_names) }),
    'tunnel.probe': async ({ interface_names }) => ({ tunnels: await probeTunnels(kernel, interface_names) }),
    'tunnel.digest': ({ known }) => digestTunnels(kernel, known, sysctls),
    'tunnel.verify': (change) => tunnels.verify(asStates(change)),
    'tunnel.apply': (change) => inTurn(() => tunnels.apply(asStates(change))),
    'tunnel.adopt': (params) => inTurn(() => adoptLink(kernel, windows.journal, params).then(() => ({}))),
    'tunnel.release': (params) => inTurn(() => releaseLink(kernel, windows.journal, params).then(() => ({}))),
  }
}

function rulesetHandlers({ kernel, windows: { journal }, inTurn }: HelperDeps): HandlersOf<'ruleset'> {
  const counters = new CounterReader(kernel)
  const counted = <R extends { last_counters: readonly RelayCounters[] }>(result: R): R => {
    counters.forget(result.last_counters.map(({ route_rule_id }) => route_rule_id))
    return result
  }
  return {
    'ruleset.probe': (params) => probeRuleset(kernel, params),
    'ruleset.verify': (change) => verifyRuleset(kernel.rulesets, journal, change),
    'ruleset.apply': (change) =>
      inTurn(() =>
        settingSwitches(kernel.forwarding, () =>
          applyRuleset(kernel.rulesets, journal, change, {
            allowAdded: allowingIn(kernel),
            submitted: endOlderOf(kernel),
          }).then(counted),
        ),
      ),
    'ruleset.forget': (params) => inTurn(() => forgetRules(kernel.rulesets, journal, params).then(counted)),
    'ruleset.protect': ({ wanted }) => inTurn(() => kernel.rulesets.protect(wanted)),
    'ruleset.writers': async () => {
      kernel.events.nameWriters()
      return {}
    },
    'ruleset.sources': (params) => readSources(kernel.rulesets, params),
    'ruleset.counters': (params) => counters.read(params),
    'ruleset.connections': (params) => findConnections(kernel.connections, params),
    'ruleset.arrived': (params) => countArrived(kernel, params),
    'ruleset.unmarked': (params) => findUnmarked(kernel, params),
    'ruleset.flows': () => countFlows(kernel.connections),
    'ruleset.disconnect': ({ route_rule_ids, destinations, kept }) =>
      inTurn(async () => ({ dropped: await kernel.connections.drop(route_rule_ids, destinations, kept) })),
  }
}

function networkHandlers({ kernel, windows, inTurn }: HelperDeps): HandlersOf<'network'> {
  const networks = new Transaction(networkSubject(kernel), windows.journal)
  return {
    'network.probe': (params) => probeNetworks(kernel, params),
    'network.verify': (change) => networks.verify(change),
    'network.apply': (change) => inTurn(() => networks.apply(change)),
  }
}

function forwardingHandlers({ kernel, windows, inTurn }: HelperDeps): HandlersOf<'forwarding'> {
  const forwarding = new Transaction(forwardingSubject(kernel.forwarding), windows.journal)
  return {
    'forwarding.probe': () => probeForwarding(kernel.forwarding),
    'forwarding.verify': async (change) => forwarding.verify(await hostChange(kernel.forwarding, change)),
    'forwarding.apply': (change) => inTurn(async () => forwarding.apply(await hostChange(kernel.forwarding, change))),
  }
}

const windowHandlers = (windows: Windows): HandlersOf<'window'> => ({
  'window.probe': async () => windows.probe(),
  'window.way_back': windows.wayBack,
  'window.open': windows.open,
  'window.extend': windows.extend,
  'window.confirm': windows.confirm,
  'window.cancel': windows.cancel,
  'window.forget': windows.forget,
})

/** Events of the kernel, and of windows beside them. */
const withWindows = ({ kernel, windows }: HelperDeps): KernelEvents => ({
  watch(onEvent) {
    const endKernel = kernel.events.watch(onEvent)
    const endWindows = windows.watch(() => onEvent(WINDOW_CHANGED))
    return () => {
      endKernel()
      endWindows()
    }
  },
  watchLinks: (onChange) => kernel.events.watchLinks(onChange),
  nameWriters: () => kernel.events.nameWriters(),
})

/**
 * Reads the state of the fast path. A program that fails leaves it unknown, and no rule is put onto the fast path
 * meanwhile.
 */
async function fastPathNow({ rulesets }: Pick<Kernel, 'rulesets'>): Promise<FastPathFound> {
  try {
    return await rulesets.fastPath()
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    return { is_able: false, detail: error.message.slice(0, 300) }
  }
}

async function probeHost(deps: HelperDeps, parts: Params<'host.probe'>['parts']): Promise<Result<'host.probe'>> {
  const { kernel, helperFacts, findTools, findListeners, stateTrouble } = deps
  return {
    helper: parts.includes('helper') ? await helperFacts() : null,
    rule_backend: parts.includes('rule_backend')
      ? {
          ...kernel.ruleBackends.active,
          protection: await kernel.rulesets.protection(),
          fast_path: await fastPathNow(kernel),
        }
      : null,
    link_kinds: parts.includes('link_kinds')
      ? await Promise.all(LINK_KINDS.map(async (kind) => ({ kind, ...(await kernel.links.supports(kind)) })))
      : null,
    tools: parts.includes('tools') ? await findTools() : null,
    interfaces: parts.includes('interfaces') ? await kernel.links.interfaces() : null,
    routing_table: parts.includes('routing_table') ? await kernel.links.routingTable() : null,
    listeners: parts.includes('listeners') ? await findListeners() : null,
    state: parts.includes('state') ? { trouble: (await stateTrouble()) ?? '' } : null,
    ours: parts.includes('ours') ? await findOurs(deps) : null,
    limits: parts.includes('limits') ? await findLimits(kernel) : null,
    limits_used: parts.includes('limits_used') ? await findUsed(kernel) : null,
  }
}

// What root does for each line of METHODS; a method without a handler does not compile.
import { LINK_KINDS } from '@panel/shared/tunnel/model.ts'
import type { ForwardingState } from '@panel/shared/forwarding/model.ts'
import type { RulesetState } from '@panel/shared/ruleset/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { failuresOf } from '@panel/shared/change/check.ts'
import { statesOf, type TunnelStates } from '@panel/shared/tunnel/plans.ts'
import type { Item, MethodsThat, Params, Result, StreamName } from '@panel/shared/rpc/methods.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { HelperFacts, Tools } from '@panel/shared/host/model.ts'
import type { RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import type { Listener } from '@panel/shared/host/listener.ts'
import { subscriptionsTo } from './events/subscribe.ts'
import { forwardingSubject, probeForwarding } from './nouns/forwarding/subject.ts'
import type { Kernel } from './kernel/facilities.ts'
import type { CutShort, JournalFile } from './kernel/files/journal.ts'
import { log } from './log.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { pathHandlers } from './path/handlers.ts'
import { RefusedError } from './refused.ts'
import { countFlows, findConnections } from './nouns/ruleset/connections.ts'
import { applyRuleset, forgetRules, probeRuleset, readCounters, verifyRuleset } from './nouns/ruleset/handlers.ts'
import { rulesetSubject } from './nouns/ruleset/subject.ts'
import { Transaction } from './transaction.ts'
import { digestTunnels } from './nouns/tunnel/digest.ts'
import { probeTunnels } from './nouns/tunnel/probe.ts'
import { tunnelSubject } from './nouns/tunnel/subject.ts'

export type Handlers = { readonly [M in MethodsThat<'read' | 'write'>]: (params: Params<M>) => Promise<Result<M>> } & {
  readonly [M in StreamName]: (params: Params<M>, signal: AbortSignal) => AsyncGenerator<Item<M>, Result<M>, void>
}

/** What the helper is made of; the tests make one of a fake kernel. */
export interface Parts {
  readonly kernel: Kernel
  readonly journal: JournalFile
  readonly helperFacts: () => Promise<HelperFacts>
  readonly ruleBackend: RuleBackendFound
  readonly findTools: () => Promise<Tools>
  readonly findListeners: () => Promise<Listener[]>
}

export function handlersFor(parts: Parts): Handlers {
  const { kernel, journal } = parts
  const subject = tunnelSubject(kernel)
  const tunnels = new Transaction(subject, journal)
  const forwarding = forwardingSubject(kernel.forwarding)
  const switches = new Transaction(forwarding, journal)
  const inTurn = oneAtATime(64)
  const subscribe = subscriptionsTo(kernel.events)
  return {
    'link.probe': async ({ interface_names }) => ({ links: await kernel.links.observe(interface_names) }),
    'tunnel.probe': async ({ interface_names }) => ({ tunnels: await probeTunnels(kernel, interface_names) }),
    'tunnel.digest': async () => ({ tunnels: await digestTunnels(kernel) }),
    'tunnel.verify': async (asked) => {
      const change = statesOf(asked)
      const checks = subject.check(change, subject.canonical(change.after), (await subject.probe(change)).state)
      return { ok: failuresOf(checks).length === 0, checks }
    },
    'tunnel.apply': (change) => inTurn(() => tunnels.apply(statesOf(change))),
    'ruleset.probe': (asked) => probeRuleset(kernel.rulesets, asked),
    'ruleset.verify': (change) => verifyRuleset(kernel.rulesets, change),
    'ruleset.apply': (change) => inTurn(() => applyRuleset(kernel.rulesets, journal, change)),
    'ruleset.forget': (asked) => inTurn(() => forgetRules(kernel.rulesets, asked)),
    'ruleset.counters': (asked) => readCounters(kernel.rulesets, asked),
    'ruleset.connections': (asked) => findConnections(kernel.connections, asked),
    'ruleset.flows': () => countFlows(kernel.connections),
    'ruleset.disconnect': ({ route_rule_ids, destinations }) =>
      inTurn(async () => ({ dropped: await kernel.connections.drop(route_rule_ids, destinations) })),
    'forwarding.probe': () => probeForwarding(kernel.forwarding),
    'forwarding.verify': async (change) => {
      const checks = forwarding.check(
        change,
        forwarding.canonical(change.after),
        (await forwarding.probe(change)).state,
      )
      return { ok: failuresOf(checks).length === 0, checks }
    },
    'forwarding.apply': (change) => inTurn(() => switches.apply(change)),
    'netfilter.probe': () => kernel.netfilter.foreign(),
    'host.probe': ({ parts: asked }) => probeHost(parts, asked),
    'events.subscribe': (_, signal) => subscribe(signal),
    ...pathHandlers(kernel.icmp),
  }
}

async function probeHost(
  { kernel, helperFacts, ruleBackend, findTools, findListeners }: Parts,
  asked: Params<'host.probe'>['parts'],
): Promise<Result<'host.probe'>> {
  return {
    helper: asked.includes('helper') ? await helperFacts() : null,
    rule_backend: asked.includes('rule_backend') ? ruleBackend : null,
    link_kinds: asked.includes('link_kinds')
      ? await Promise.all(LINK_KINDS.map(async (kind) => ({ kind, ...(await kernel.links.supports(kind)) })))
      : null,
    tools: asked.includes('tools') ? await findTools() : null,
    interfaces: asked.includes('interfaces') ? await kernel.links.interfaces() : null,
    routing_table: asked.includes('routing_table') ? await kernel.links.routingTable() : null,
    listeners: asked.includes('listeners') ? await findListeners() : null,
  }
}

/** Puts back the change that a helper before this one was killed in. Nothing is served before this is done. */
export async function recover({ kernel, journal }: Parts): Promise<void> {
  const cut = await journal.read()
  if (!cut) return
  const { outcome, failure, steps } = await undoing(kernel, journal, cut)('The helper was stopped in the middle of it')
  log(
    outcome === 'restored' ? 'warning' : 'error',
    `A change was cut short, and is ${outcome === 'restored' ? 'put back' : 'stuck'}`,
    { noun: cut.noun, steps, failure },
  )
}

function undoing(kernel: Kernel, journal: JournalFile, { noun, change }: CutShort): (why: string) => Promise<Outcome> {
  const rules = rulesetSubject(kernel.rulesets, (last) => log('info', 'Counters of rules were taken away', { last }))
  switch (noun) {
    case 'tunnel':
      return (why) => new Transaction(tunnelSubject(kernel), journal).undo(change as Change<TunnelStates>, why)
    case 'ruleset':
      return (why) => new Transaction(rules, journal).undo(change as Change<RulesetState>, why)
    case 'forwarding':
      return (why) =>
        new Transaction(forwardingSubject(kernel.forwarding), journal).undo(change as Change<ForwardingState>, why)
    default:
      throw new RefusedError('malformed', `The journal speaks of ${noun}, which this helper does not know`)
  }
}

/** Relaying begins before the web daemon does, and without it. What hinders it is no reason not to serve. */
export async function restoreRules({ kernel }: Parts): Promise<void> {
  try {
    const rules = await kernel.rulesets.restore()
    if (rules !== null) log('info', 'The relay rules last accepted are back in the kernel', { rules })
  } catch (error) {
    log('error', 'The relay rules last accepted could not be brought back', {
      detail: error instanceof Error ? error.message : String(error),
    })
  }
}

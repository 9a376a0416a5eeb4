// The health of rules, by criteria in a fixed order of importance (decisions.md, S7).
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { RouteHealthView, TunnelOnPath } from '@panel/shared/api/routes/answers.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { checkMessage, failedChecks } from '@panel/shared/change/check.ts'
import { checkRuleset } from '@panel/shared/ruleset/facts.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { markWritersIn, type MarkWriter } from '@panel/shared/foreign/mark-writers.ts'
import { takenBy, type RelayBlock } from '@panel/shared/foreign/relay-block.ts'
import type { ForwardingSwitches } from '@panel/shared/forwarding/model.ts'
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import { ruleNamed, tunnelNamed } from '@panel/shared/messages/named.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { ReadContext } from '../../platform/context.ts'
import {
  blockMessage,
  describeTaker,
  describeWriter,
  foreignBlocks,
  foreignRules,
  remediesOf,
} from '../forwarding/foreign.ts'
import { observe } from '../tunnels/view.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import { fastPathView } from '../routes/fast-path.ts'
import { readKernelRules, type KernelRules } from '../routes/kernel-rules.ts'
import { familyOf, ruleOf, type DestinationRecord, type RouteRecord } from '../routes/record.ts'
import { readPaths, type Paths } from '../routes/path/path.ts'
import { shownState } from '../failover/shown-state.ts'
import { reasonsOfDown } from '../failover/store.ts'
import { takersOf } from '../failover/takers.ts'
import { carriedOutAlike, readCarriedOut } from './carried-out.ts'
import { closed, ofDestinations, type Verdict } from './destinations.ts'
import { findShadows } from './shadows.ts'

/** Any ends: where the rule's packets come from and go to is left to the analysis. */
const ANYWHERE = { own_addresses: [], in_interface: null, out_interface: null }

interface AlreadyRead {
  readonly rules?: KernelRules
  readonly paths?: Paths
  readonly foreign?: ForeignFound
  /** For those who do not look at `carried_out_as`, which is null then. */
  readonly withoutSources?: true
}

export async function readHealth(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  records: readonly RouteRecord[],
  read: AlreadyRead = {},
): Promise<RouteHealthView[]> {
  if (records.length === 0) return []
  const paths = read.paths ?? (await readPaths({ db, request }, records, { withDevices: true }))
  const { hopsOf, tunnelsOf, nameOf } = paths
  const namesOf = (record: RouteRecord): string[] => tunnelsOf(record).flatMap((id) => nameOf(id) ?? [])
  const ids = records.map(({ route_rule_id }) => route_rule_id)
  const [held, forwarding, beside, observed, shadows, reasons, carriedOut] = await Promise.all([
    read.rules ?? nullIfHelperAway(readKernelRules(request, ids)),
    nullIfHelperAway(request('forwarding.probe', {})),
    readBeside(request, paths, read.foreign),
    observe(request, [...new Set(records.flatMap(namesOf))]),
    findShadows(db, ids),
    reasonsOfDown(db, ids),
    readCarriedOut(request, read.withoutSources ? [] : records, paths),
  ])
  return records.map((record) => {
    const tunnels = tunnelsOn(record, paths, observed)
    const rule = held?.rules.get(record.route_rule_id)
    const tunnel = tunnels.find(({ is_up, is_known }) => is_known && !is_up) ?? tunnels[0] ?? null
    return healthView(record, {
      held,
      forwarding: forwarding?.state.live ?? null,
      beside: beside(record),
      tunnel,
      destinations: destinationsOf(record, tunnels, hopsOf(record), (one) => carriedOut(rule, one)),
      carried_out_as: carriedOutAlike(rule, carriedOut),
      reasonOf: (id) => reasons.get(id) ?? null,
      deletedTunnel: tunnelsOf(record).find((id) => nameOf(id) === undefined) ?? null,
      shadows: shadows.get(record.route_rule_id) ?? [],
    })
  })
}

/** Those that its packets go over and that are still there. */
const tunnelsOn = (
  record: RouteRecord,
  { tunnelsOf, nameOf }: Paths,
  observed: Awaited<ReturnType<typeof observe>>,
): TunnelOnPath[] =>
  tunnelsOf(record).flatMap((tunnel_id) => {
    const interface_name = nameOf(tunnel_id)
    if (interface_name === undefined) return []
    const { is_up, oper_state, is_known } = observed(interface_name)
    return [{ tunnel_id, interface_name, is_up, oper_state, is_known }]
  })

function destinationsOf(
  record: RouteRecord,
  tunnels: readonly TunnelOnPath[],
  hops: readonly (number | null)[],
  carriedOut: (destination: DestinationRecord) => string | null,
): RouteHealthView['destinations'] {
  const takers = takersOf(record)
  return record.destinations
    .filter(({ is_enabled }) => is_enabled)
    .map((one, at) => ({
      address: one.address,
      port: one.port,
      tunnel: tunnels.find(({ tunnel_id }) => tunnel_id === hops[at]) ?? null,
      takes_connections: takers.includes(one),
      state: shownState(one),
      carried_out_as: carriedOut(one),
    }))
}

interface ObservedRoute {
  /** Null if the helper is away. */
  readonly held: KernelRules | null
  readonly forwarding: ForwardingSwitches | null
  /** What rules of other software do to it; null where they do nothing. */
  readonly beside: Beside | null
  /** That of its path; of several one that is down. */
  readonly tunnel: TunnelOnPath | null
  readonly destinations: RouteHealthView['destinations']
  readonly carried_out_as: string | null
  /** Which the rule names. */
  readonly deletedTunnel: number | null
  readonly shadows: readonly RouteRecord[]
  /** Why a destination is down. */
  readonly reasonOf: (route_destination_id: number) => Message | null
}

function healthView(record: RouteRecord, observedTunnel: ObservedRoute): RouteHealthView {
  const { route_rule_id } = record
  const { held, tunnel, destinations, carried_out_as } = observedTunnel
  const installed = held?.is_readable ? held.rules.has(route_rule_id) : null
  const { state, sentence } = verdict(record, observedTunnel)
  return {
    state,
    detail: sentence.message,
    detail_message: sentence,
    route_rule_id,
    installed,
    tunnel,
    destinations,
    carried_out_as,
    fast_path: fastPathView(record),
  }
}

function verdict(
  record: RouteRecord,
  { held, forwarding, shadows, beside, reasonOf, ...path }: ObservedRoute,
): Verdict {
  const { apply_status_id: status, last_apply_error_message: error } = record
  if (!record.is_enabled) return { state: 'disabled', sentence: message('health.disabled') }
  if (status === APPLY_STATUSES.Inconsistent)
    return {
      state: 'inconsistent',
      sentence: message('health.inconsistent', { why: error.message === '' ? message('health.reapply') : error }),
    }
  if (status === APPLY_STATUSES.Failed)
    return { state: 'failed', sentence: error.message === '' ? message('health.restored') : error }
  if (status === APPLY_STATUSES.Pending) return { state: 'pending', sentence: message('health.pending') }
  if (!held?.is_readable)
    return {
      state: 'pending',
      sentence: message('health.unreadable', {
        why: held?.detail ? fromRoot(held.detail) : message('health.helper_silent'),
      }),
    }
  return (
    inKernel(record, held) ??
    besideStrays(held) ??
    (beside?.is_certain ? { state: 'impaired', sentence: beside.text } : null) ??
    whileForwarding(record, forwarding) ??
    ofDestinations(record, reasonOf) ??
    overTunnel(path) ?? {
      state: 'healthy',
      sentence: beside ? message('health.as_stored_beside', { text: beside.text }) : asStored(shadows),
    }
  )
}

interface Beside {
  readonly text: Message
  readonly is_certain: boolean
}

/** What rules of other software do to a rule; nothing where nobody could read them. */
async function readBeside(
  request: Reader,
  paths: Paths,
  read?: ForeignFound,
): Promise<(record: RouteRecord) => Beside | null> {
  const foreign = read ?? (await nullIfHelperAway(foreignRules(request)))
  if (!foreign || foreign.chains.length === 0) return () => null
  const blocksOf = await nullIfHelperAway(foreignBlocks(request, foreign))
  const writersOf = markWritersIn(foreign)
  return (record) => {
    const rule = ruleOf(record)
    if (!rule) return null
    const blocks = (blocksOf?.(rule, outInterface(record, paths)) ?? []).filter(({ is_certain }) => is_certain)
    const [block] = blocks
    if (block) return { text: blocked(block, blocks), is_certain: true }
    const [taker] = takenBy(rule, foreign)
    if (taker) return { text: describeTaker(taker), is_certain: taker.is_certain }
    return takesMark(writersOf(rule, ANYWHERE)[0])
  }
}

const blocked = (block: RelayBlock, all: readonly RelayBlock[]): Message =>
  message(BLOCKED, { block: blockMessage(block), remedies: remediesOf(all) })

/** The sentence of a rule whose packets other software certainly drops. */
export const BLOCKED = 'health.blocked'

/** Through which everything leaves; null if there are several, or it is not known. A mark may lead elsewhere. */
function outInterface(record: RouteRecord, { hopsOf, nameOf, deviceTo }: Paths): string | null {
  const addresses = record.destinations.filter(({ is_enabled }) => is_enabled).map(({ address }) => address)
  const hops = hopsOf(record)
  const devices = addresses.map((address, at) => {
    const hop = hops[at] ?? null
    return hop === null ? (record.fwmark === null ? deviceTo(address) : null) : (nameOf(hop) ?? null)
  })
  const [device = null, ...others] = new Set(devices)
  return others.length === 0 ? device : null
}

const takesMark = (writer: MarkWriter | undefined): Beside | null =>
  writer?.is_after && writer.is_certain ? { text: describeWriter(writer), is_certain: true } : null

const asStored = (shadows: readonly RouteRecord[]): Message =>
  shadows.length === 0 ? message('health.as_stored') : message('health.shadowed', { rules: shadows.map(ruleNamed) })

function inKernel(record: RouteRecord, held: KernelRules): Verdict | null {
  const { route_rule_id: id } = record
  const actual = held.rules.get(id)
  const desired = ruleOf(record)
  if (!actual && !desired) return closed(record)
  if (actual && sameState(actual, desired)) return null
  const damaged = held.damaged.find(({ route_rule_id }) => route_rule_id === id)
  if (!actual)
    return {
      state: 'failed',
      sentence: damaged ? message('health.in_part', { why: fromRoot(damaged.detail) }) : message('health.missing'),
    }
  const [first] = failedChecks(checkRuleset([id], desired && [desired], [actual]))
  return {
    state: 'failed',
    sentence: message('health.otherwise', { why: first ? checkMessage(first) : '' }),
  }
}

/** The verdict if there are foreign pieces in the panel's table, which may drop what the rule relays. */
function besideStrays({ unmanaged: [first, ...more] }: KernelRules): Verdict | null {
  if (first === undefined) return null
  return {
    state: 'impaired',
    sentence:
      more.length === 0
        ? message('health.stray', { what: first })
        : message('health.strays', { what: first, count: more.length }),
  }
}

function whileForwarding(record: RouteRecord, forwarding: ForwardingSwitches | null): Verdict | null {
  const family = familyOf(record)
  if (!forwarding || forwarding[`ipv${family}`]) return null
  return {
    state: 'impaired',
    sentence: message('health.forwarding_off', { family: `IPv${family}` }),
  }
}

function overTunnel({ tunnel, deletedTunnel }: Pick<ObservedRoute, 'tunnel' | 'deletedTunnel'>): Verdict | null {
  if (deletedTunnel !== null)
    return {
      state: 'impaired',
      sentence: message('health.tunnel_gone', { tunnel_id: deletedTunnel }),
    }
  if (!tunnel?.is_known || tunnel.is_up) return null
  return {
    state: 'impaired',
    sentence: message('health.tunnel_down', { tunnel: tunnelNamed(tunnel) }),
  }
}

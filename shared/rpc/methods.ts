// Everything that root can be requested to do, on one screen. Each line is one privilege; the golden table in the tests
// shows every change of it.
import { integer, nullable, strict, stringEnum, Type, type Static, type TSchema } from '../schema.ts'
import { HostEvent, MAX_BATCH } from '../events/model.ts'
import { NetworksFound, NetworkStates } from '../network/model.ts'
import { HOST_PARTS, HostFound } from '../host/model.ts'
import { ForeignFound } from '../foreign/model.ts'
import { ForwardingFound, ForwardingState } from '../forwarding/model.ts'
import { LinkSnapshot, ROUTE_KINDS, RoutingEntry, TunnelFound } from '../tunnel/observed.ts'
import {
  MtuParams,
  MtuResult,
  MtuStep,
  PingItem,
  PingParams,
  PingResult,
  TargetId,
  TraceHop,
  TraceParams,
  TraceResult,
  WATCH_TARGETS_MAX,
  WatchItem,
  WatchTarget,
} from '../path/model.ts'
import {
  CONNECTIONS_MAX,
  ConnectionsFound,
  FlowsFound,
  ArrivedFound,
  OlderFound,
  THROUGH_NETWORKS_MAX,
  ThroughFound,
  UnmarkedFound,
} from '../ruleset/connection.ts'
import {
  RelayCounters,
  RelayDestination,
  RelayRule,
  ROUTE_RULE_ID_MAX,
  RuleId,
  RULES_PER_CHANGE_MAX,
  RulesetState,
} from '../ruleset/model.ts'
import { CountersFound, RulesetFound, SourcesFound } from '../ruleset/found.ts'
import { Protection } from '../ruleset/protection.ts'
import { CidrText, InterfaceName, IpText, LinkState, TunnelState } from '../tunnel/model.ts'
import { changeSchema } from '../change/change.ts'
import { Check } from '../change/check.ts'
import { RouteThrough } from '../tunnel/model.ts'
import { DigestsFound } from './digest.ts'
import { Revision } from '../revision.ts'
import { Outcome } from './outcome.ts'
import { WindowFound, WindowOpen, WindowParams, WindowTime, WindowWayBack } from '../window/model.ts'

/** A stream has items before its result; what concerns the connection alone is `control`. */
type Effect = 'read' | 'write' | 'stream' | 'control'

const method = <E extends Exclude<Effect, 'stream'>, P extends TSchema, R extends TSchema>(
  effect: E,
  params: P,
  result: R,
) => ({ effect, params, result })
const stream = <P extends TSchema, I extends TSchema, R extends TSchema>(params: P, item: I, result: R) => ({
  effect: 'stream' as const,
  params,
  item,
  result,
})

/** How many links one request names. */
export const NAMES_MAX = 2000
const Names = strict({ interface_names: Type.Array(InterfaceName, { maxItems: NAMES_MAX }) })
const TunnelChange = changeSchema(TunnelState)
/** How many routes one request looks up. */
export const ROUTE_LOOKUPS_MAX = 1000
/** A stream is identified by the id of its request, a whole number. */
const StreamId = integer(0, Number.MAX_SAFE_INTEGER)
const RulesetChange = changeSchema(RulesetState)
const Networks = Type.Array(CidrText, { minItems: 1, maxItems: THROUGH_NETWORKS_MAX })
const NetworksChange = changeSchema(NetworkStates)
const ForwardingChange = changeSchema(ForwardingState)
const Verified = strict({ ok: Type.Boolean(), checks: Type.Array(Check) })
const UdpListener = Type.Pick(RelayRule, ['bind_address', 'bind_port', 'bind_port_range_end'], {
  additionalProperties: false,
})
const RuleIds = Type.Array(RuleId, { maxItems: RULES_PER_CHANGE_MAX })
const WatchTargets = Type.Array(WatchTarget, { maxItems: WATCH_TARGETS_MAX })
/**
 * The given rules, or all where the list is empty, from an id on. An answer that would be too long for a line ends
 * earlier, with `next_id`.
 */
const Rules = strict({ route_rule_ids: RuleIds, from_id: integer(0, ROUTE_RULE_ID_MAX) })

export const METHODS = {
  /**
   * The live side of the given links, of whatever kind; a name without a link is left out. Reads no file, so a list of
   * many is quick.
   */
  'link.probe': method('read', Names, strict({ links: Type.Array(LinkSnapshot) })),
  /**
   * For each address the route by which the kernel sends to it, whatever table its rules choose; null where it has
   * none, or one of another kind than to another host. A whole routing table can be too long to send.
   */
  'route.lookup': method(
    'read',
    strict({ addresses: Type.Array(IpText, { maxItems: ROUTE_LOOKUPS_MAX }) }),
    strict({
      routes: Type.Array(nullable(RoutingEntry), { maxItems: ROUTE_LOOKUPS_MAX }),
      kinds: Type.Array(stringEnum(ROUTE_KINDS), { maxItems: ROUTE_LOOKUPS_MAX }),
    }),
  ),
  /** The foreign routes through the given links; none of a link that is not there. */
  'route.through': method(
    'read',
    strict({ interface_names: Type.Array(InterfaceName, { minItems: 1, maxItems: 2 }) }),
    strict({ links: Type.Array(strict({ interface_name: InterfaceName, routes: Type.Array(RouteThrough) })) }),
  ),
  /** The links and files of the given names; of all tunnels where the list is empty. */
  'tunnel.probe': method('read', Names, strict({ tunnels: Type.Array(TunnelFound) })),
  /** A digest of the state of every tunnel; not sent again where nothing has changed since the revision `known`. */
  'tunnel.digest': method('read', strict({ known: Type.Optional(Revision) }), DigestsFound),
  /** The checks of `after` against what the host holds now. */
  'tunnel.verify': method('read', TunnelChange, Verified),
  /** Refused unless the host holds `before`, and every link under the names is the panel's. One at a time. */
  'tunnel.apply': method('write', TunnelChange, Outcome),
  /** Makes the link the panel's to change and to delete. Refused unless it is unchanged since it was read. */
  'tunnel.adopt': method('write', strict({ interface_name: InterfaceName, link: LinkState }), strict({})),
  /** Gives the link up; does nothing if there is none. */
  'tunnel.release': method('write', strict({ interface_name: InterfaceName }), strict({})),
  /**
   * Our table: the rules that it holds, foreign pieces, and what no rule explains; no rules where all are requested and
   * nothing has changed since the revision `known`. May start nft.
   */
  'ruleset.probe': method('read', strict({ ...Rules.properties, known: Type.Optional(Revision) }), RulesetFound),
  'ruleset.verify': method('read', RulesetChange, Verified),
  /**
   * The rules under the ids of the change, in one transaction; others are left as they are. `last_counters`: of rules
   * that went.
   */
  'ruleset.apply': method(
    'write',
    RulesetChange,
    strict({ ...Outcome.properties, last_counters: Type.Array(RelayCounters) }),
  ),
  /** Takes away what is left of rules that are `damaged`, in the table and for the next boot. */
  'ruleset.forget': method(
    'write',
    strict({ route_rule_ids: RuleIds }),
    strict({ last_counters: Type.Array(RelayCounters) }),
  ),
  /** Keeps others from taking the rules away by accident, as far as this host can; remembered by the helper. */
  'ruleset.protect': method('write', strict({ wanted: Type.Boolean() }), Protection),
  /**
   * For ten minutes from now on, events of the ruleset name the programs that changed it, as far as the kernel does.
   */
  'ruleset.writers': method('read', strict({}), strict({})),
  /**
   * The links among the given ones over which the table gives masqueraded packets a certain source, with that address.
   * Over any other link the kernel masquerades by itself.
   */
  'ruleset.sources': method('read', Names, SourcesFound),
  /**
   * Without the counters that are as they were in the answers up to the revision `known`: each request names that of the
   * answer before it.
   */
  'ruleset.counters': method('read', strict({ ...Rules.properties, known: Type.Optional(Revision) }), CountersFound),
  /** The flows that rules own, the busiest sources, and how many there are; `limit` 0 only counts. */
  'ruleset.connections': method(
    'read',
    strict({ route_rule_ids: RuleIds, limit: integer(0, CONNECTIONS_MAX) }),
    ConnectionsFound,
  ),
  /** How many flows each rule owns, and how many have begun. Meant for one caller that polls. */
  'ruleset.flows': method('read', strict({}), FlowsFound),
  /** How many connections of a rule have begun, counted ahead of all that filters them. */
  'ruleset.arrived': method('read', strict({ route_rule_id: RuleId }), ArrivedFound),
  /** The flows of a rule in force whose mark other software has overwritten: every flow of the host is looked at. */
  'ruleset.unmarked': method('read', strict({ route_rule_id: RuleId }), UnmarkedFound),
  /** How many flows that no rule owns have an end in the given networks: every flow of the host is looked at. */
  'connections.through': method('read', strict({ networks: Networks }), ThroughFound),
  /** How many UDP flows are older than rules that are to listen so, and end once those are in force. */
  'connections.older': method(
    'read',
    strict({ listeners: Type.Array(UdpListener, { maxItems: RULES_PER_CHANGE_MAX }) }),
    OlderFound,
  ),
  /**
   * Ends the flows of the given rules to the given destinations, or to any where the list is empty, but for those to
   * `kept`.
   */
  'ruleset.disconnect': method(
    'write',
    strict({
      route_rule_ids: RuleIds,
      destinations: Type.Array(Type.Pick(RelayDestination, ['address', 'port'], { additionalProperties: false }), {
        maxItems: 64,
      }),
      kept: Type.Optional(
        Type.Array(
          Type.Pick(RelayDestination, ['address', 'port', 'port_range_end'], { additionalProperties: false }),
          {
            maxItems: 64,
          },
        ),
      ),
    }),
    strict({ dropped: Type.Integer({ minimum: 0 }) }),
  ),
  'forwarding.probe': method('read', strict({}), ForwardingFound),
  'forwarding.verify': method('read', ForwardingChange, Verified),
  /** Neither state may be null: a host always forwards or does not. */
  'forwarding.apply': method('write', ForwardingChange, Outcome),
  /** The networks to the given destinations that root keeps, as the kernel holds them; all of them if none is given. */
  'network.probe': method('read', strict({ destinations: Type.Optional(Networks) }), NetworksFound),
  'network.verify': method('read', NetworksChange, Verified),
  /** Refused unless the host holds `before`. Each path is a tunnel of the panel, and own addresses stand on loopback. */
  'network.apply': method('write', NetworksChange, Outcome),
  /** The window in which changes are kept until they are confirmed, and how the last one ended. */
  'window.probe': method('read', strict({}), WindowFound),
  /** The state to which cancelling it would take the host. */
  'window.way_back': method(
    'read',
    strict({ ...WindowParams.properties, from_id: integer(0, ROUTE_RULE_ID_MAX) }),
    WindowWayBack,
  ),
  /**
   * Opens a window: every change joins it, and is taken back unless it is confirmed within so many seconds of the last
   * one. Refused if another one is open.
   */
  'window.open': method('write', WindowOpen, WindowFound),
  /** So many seconds from now; never more than an hour after the last change. */
  'window.extend': method('write', WindowTime, WindowFound),
  /** What was changed stays. */
  'window.confirm': method('write', WindowParams, WindowFound),
  /** Takes everything back now, and says how that ended. */
  'window.cancel': method('write', WindowParams, WindowFound),
  /** Changes begin again after a window that was taken back, or that is stuck. */
  'window.forget': method('write', WindowParams, WindowFound),
  /** What other software has in netfilter, as far as relayed packets meet it. Starts nft. */
  'netfilter.probe': method('read', strict({}), ForeignFound),
  'host.probe': method(
    'read',
    strict({ parts: Type.Array(stringEnum(HOST_PARTS), { maxItems: HOST_PARTS.length }) }),
    HostFound,
  ),
  /**
   * Changes of links and addresses by any program, and changes of nftables by other programs. The first item is "lost":
   * earlier events are not reported. Ends when cancelled.
   */
  'events.subscribe': stream(
    strict({}),
    strict({ events: Type.Array(HostEvent, { minItems: 1, maxItems: MAX_BATCH }) }),
    strict({}),
  ),
  /**
   * Sends echo requests to each target until cancelled, and reports the outcomes in batches of a tenth of a second. All
   * watches share one bound.
   */
  'path.watch': stream(strict({ targets: WatchTargets }), WatchItem, strict({})),
  /**
   * Changes a watch that runs: targets come, change or go without an effect on the rest. Nothing of the host changes.
   */
  'path.watch_change': method(
    'read',
    strict({
      watch_id: WatchItem.properties.watch_id,
      put: WatchTargets,
      gone: Type.Array(TargetId, { maxItems: WATCH_TARGETS_MAX }),
    }),
    strict({ was_running: Type.Boolean() }),
  ),
  /** Each packet as it is decided. Cancelled, it ends with what it has come to. */
  'path.ping': stream(PingParams, PingItem, PingResult),
  /** The largest packet that arrives whole, by halving, with Don't-Fragment set. */
  'path.mtu': stream(MtuParams, MtuStep, MtuResult),
  /** Each hop as it is known, in order. */
  'path.trace': stream(TraceParams, TraceHop, TraceResult),
  /** Ends a stream of the same connection. Its own answer comes too, with what it has come to. */
  'stream.cancel': method('control', strict({ id: StreamId }), strict({ was_running: Type.Boolean() })),
} as const

export type MethodName = keyof typeof METHODS
export type MethodsThat<E extends Effect> = {
  [M in MethodName]: (typeof METHODS)[M]['effect'] extends E ? M : never
}[MethodName]
export type Params<M extends MethodName> = Static<(typeof METHODS)[M]['params']>
export type Result<M extends MethodName> = Static<(typeof METHODS)[M]['result']>
export type StreamName = MethodsThat<'stream'>
export type Item<M extends StreamName> = Static<(typeof METHODS)[M]['item']>

/** The notification that carries an item: `{"id": <of the stream's request>, "item": …}`. */
export const STREAM_ITEM = 'stream.item'

/** What a caller holds who may only look, and one who may also change. */
export type Call<M extends MethodName> = <N extends M>(method: N, params: Params<N>) => Promise<Result<N>>
/** Never set: without it TypeScript takes the one for the other, for it compares generic functions loosely. */
export type Reader = Call<MethodsThat<'read'>> & { readonly may_write?: boolean }
export type Writer = Call<MethodsThat<'read' | 'write'>> & { readonly may_write?: true }

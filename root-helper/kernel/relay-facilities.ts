// What the helper needs of a kernel for relay rules: our table in whatever backend, which backend that is, and the
// connections that are tracked for it.
import type { Cidr } from '@panel/shared/address/ip.ts'
import type { FlowsFound, RelayConnection } from '@panel/shared/ruleset/connection.ts'
import type { RelayCounters, RelayDestination, RelayRule } from '@panel/shared/ruleset/model.ts'
import type { RuleBackend, RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import type { FastPathFound } from '@panel/shared/ruleset/fast-path.ts'
import type { FastCounters, RulesetFound } from '@panel/shared/ruleset/found.ts'
import type { Protection } from '@panel/shared/ruleset/protection.ts'

/** An address by which the kernel sends through a link. */
export interface LinkSource {
  readonly interface_name: string
  readonly address: string
}

/** The rules that boot brings back; none, and why, where their file is damaged. */
export interface HeldForBoot {
  readonly boot_rules: readonly RelayRule[]
  readonly boot_trouble: string | null
}

/**
 * All of our table, not cut into pages, and the rules that boot brings back. `trouble`: why no change of it begins, ""
 * if one can.
 */
export interface HeldRuleset
  extends Omit<RulesetFound, 'next_id' | 'revision' | 'is_unchanged' | 'uplinks'>, HeldForBoot {
  readonly trouble?: string
}

/** Our table in netfilter, and the file of the rules that boot brings back; no other table is ever touched. */
export interface Rulesets {
  read(): Promise<HeldRuleset>
  /**
   * One transaction of the kernel: rules of the ids in `gone` leave with all pieces of them, those in `put` come or are
   * replaced. Other rules stay as they are, damaged or missing ones too. Counters of rules that leave stand still from
   * then on. Where it throws, nothing has changed.
   */
  submit(gone: readonly number[], put: readonly RelayRule[]): Promise<void>
  /**
   * Changes nothing. Throws a KernelError where the kernel would refuse the submission of `there`, or that of `back`
   * after it, as far as the backend can say.
   */
  rehearse(there: RuleSwap, back: RuleSwap): Promise<void>
  /** The same in the file of the rules that boot brings back. */
  saveForBoot(gone: readonly number[], put: readonly RelayRule[]): Promise<void>
  /** Deletes the counters of rules that have left the kernel, and returns their last values. */
  removeCounters(route_rule_ids: readonly number[]): Promise<RelayCounters[]>
  /** In the order of their ids. */
  counters(): Promise<{ epoch: string; counters: RelayCounters[] }>
  /** Gives the tables of an earlier release what this one has beside the rules; where nothing lacks, nothing changes. */
  bringUpToDate(): Promise<void>
  /** How many connections of a rule have begun here since it is in the kernel, whatever became of them. */
  arrived(route_rule_id: number): Promise<number>
  /** Takes everything of ours out of the kernel; the file stays. */
  clear(): Promise<void>
  /**
   * What is masqueraded over these tunnels is given their addresses as its source, as long as the host has them, so
   * that its connections outlive a restart of the tunnel. No rule changes with that.
   */
  followSources(sources: readonly LinkSource[]): Promise<void>
  /** Those that the kernel gives now, in whatever order; none where the backend gives none, or holds nothing. */
  sources(): Promise<readonly LinkSource[]>
  /** Devices whose packets may be of relayed flows: from now on they can be on the fast path. Changes no rule. */
  followDevices(names: readonly string[]): Promise<void>
  /** Whether rules can be on the fast path here. */
  fastPath(): Promise<FastPathFound>
  /** Whether others can take the rules away by accident. */
  protection(): Promise<Protection>
  /**
   * Turns protection on or off for now and for each later start of the helper, as far as this host can. Changes no
   * rule.
   */
  protect(isWanted: boolean): Promise<Protection>
}

/** Rules that leave by their ids, and rules that come or are replaced. */
export interface RuleSwap {
  readonly gone: readonly number[]
  readonly put: readonly RelayRule[]
}

/** Other backends that hold something of ours; `unread` says where nobody could look, "" if everywhere was looked. */
export interface Leftovers {
  readonly found: readonly RuleBackend[]
  readonly unread: string
}

/**
 * Which backend holds the relay rules: two of them would relay twice. Rules leave a backend only if the operator has
 * named another one.
 */
export interface RuleBackends {
  /** While its `trouble` is not "", no change of rules begins, or what a start has to do is not done yet. */
  readonly active: RuleBackendFound
  /** Whether the operator has named the active one. */
  readonly isNamed: boolean
  /** The backend that the rules were last handed over to; null if none is on record. */
  recorded(): RuleBackend | null
  record(backend: RuleBackend): Promise<void>
  /** A string says why the backend does not work on this host. */
  open(backend: RuleBackend): Promise<Rulesets | string>
  /** Chooses the active backend, unless it is chosen. Returns why it cannot be used yet, or null. */
  choose(): Promise<string | null>
  /** Looks for what other backends hold; what is found is trouble of the active one. */
  look(): Promise<Leftovers>
  /** What a start has to do with the rules is done, or has failed for a reason of its own. */
  started(): void
  /** Until the next look, the trouble says why the rules could not be moved from the other backends. */
  notMoved(why: string): void
}

/** Connection tracking entries with a mark of ours. */
export interface Connections {
  /**
   * The open ones of the given rules, or of all where the list is empty. Throws a KernelError where the table cannot be
   * read.
   */
  list(route_rule_ids: readonly number[]): Promise<RelayConnection[]>
  /** The marks of the flows that the rule translates and that bear none of ours, one of each flow. */
  unmarked(rule: RelayRule): Promise<number[]>
  /** How many open flows that no rule owns come from or go to the networks. */
  through(networks: readonly Cidr[]): Promise<number>
  /** What flows on the fast path carry; null where there has been none since the last boot. */
  fast(): Promise<FastCounters | null>
  /** Counts the open flows of every rule, and those that are new since the last count. */
  count(): Promise<Pick<FlowsFound, 'epoch' | 'flows'>>
  /**
   * Ends the open flows of the given rules to the given destinations, or to any where the list is empty, but for those to
   * `kept`; returns how many.
   */
  drop(
    route_rule_ids: readonly number[],
    destinations: readonly Pick<RelayDestination, 'address' | 'port'>[],
    kept?: readonly KeptDestination[],
  ): Promise<number>
  /** Counts, or ends and counts, the UDP flows to the listeners that none of the rules `inForce` owns. */
  older(
    listeners: readonly Pick<RelayRule, 'bind_address' | 'bind_port' | 'bind_port_range_end'>[],
    inForce: ReadonlySet<number>,
    isEnding: boolean,
  ): Promise<number>
}

export type KeptDestination = Pick<RelayDestination, 'address' | 'port' | 'port_range_end'>

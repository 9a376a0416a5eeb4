// Our chains in one family of iptables as data: what rules are laid out to, what a listing is read to, and what two of
// them differ in is a change.
import type { Family } from '../../address/ip.ts'

/** In the order of loading: counting before relaying. */
export const TABLES = ['mangle', 'nat'] as const
export type TableName = (typeof TABLES)[number]

/**
 * Every chain of ours begins so, and nothing else is ever named in a text of ours but the built-in chains that lead to
 * them.
 */
export const OURS = 'PANEL-'
/**
 * Two lines for each rule: towards the destination, and back from it. It is no part of a change, so that nothing
 * counted is lost.
 */
export const COUNT_CHAIN = /^PANEL-C-([0-9]+)$/

/** Every masqueraded flow comes here, and on to the next where it leaves by no tunnel that has a source. */
export const MASQUERADE_CHAIN = 'PANEL-MASQ'
/** The chain whose lines are not among those of a table here (sources.ts). */
export const SOURCE_CHAIN = 'PANEL-SOURCE'

/** Lines as iptables-save prints them, without the name of their chain. */
export interface ChainTable {
  /** The lines that lead to our chains, by built-in chain. */
  readonly hooks: Map<string, string[]>
  readonly chains: Map<string, string[]>
}

export type FamilyTables = Readonly<Record<TableName, ChainTable>>

export const emptyTables = (): FamilyTables => ({
  mangle: { hooks: new Map(), chains: new Map() },
  nat: { hooks: new Map(), chains: new Map() },
})

export const isPresent = (tables: FamilyTables): boolean =>
  TABLES.some((name) => tables[name].chains.size + tables[name].hooks.size > 0)

export const RELAY_FAMILIES: readonly Family[] = [4, 6]

// Our nft table as data: what a ruleset is compiled to, what a listing is read to, and what two of them differ in is a
// change.

export const TABLE_NAME = 'panel'
export const TABLE = `inet ${TABLE_NAME}`
/** Holds no rule (root-helper/kernel/nft/hold-table.ts). */
export const HOLD_NAME = 'panel_hold'
/**
 * Two for each rule: towards the destination, and back from it. Two more where it is on the fast path: of what
 * connection tracking counts too.
 */
export const COUNTER_NAME = /^(?:rule|twice)_([0-9]+)_([rt]x)$/

/**
 * `elements` are keys with their values, "" in a set; null where they are no part of the rules: the kernel fills the
 * set, or the helper does, with what the host has.
 */
export interface TableSet {
  readonly kind: 'set' | 'map' | 'flowtable'
  readonly declaration: string
  readonly isInterval: boolean
  readonly elements: Map<string, string> | null
}

/** `declaration` is "" where no hook of the kernel leads to the chain. */
export interface TableChain {
  readonly declaration: string
  readonly rules: string[]
}

export interface Table {
  readonly counters: Set<string>
  readonly sets: Map<string, TableSet>
  readonly chains: Map<string, TableChain>
}

export const emptyTable = (): Table => ({ counters: new Set(), sets: new Map(), chains: new Map() })

/** Each element of such a set counts the packets that match it. */
export const COUNTED = 'counter;'

export function newSet(
  kind: 'set' | 'map',
  type: string,
  flags: readonly ('interval' | 'dynamic' | 'mirrored' | 'counted')[] = [],
): TableSet {
  const declared = flags.filter((flag) => flag !== 'mirrored' && flag !== 'counted')
  const declaration = [
    `type ${type};`,
    ...(declared.length > 0 ? [`flags ${declared.join(', ')};`] : []),
    ...(flags.includes('counted') ? [COUNTED] : []),
  ].join(' ')
  return {
    kind,
    declaration,
    isInterval: flags.includes('interval'),
    elements: flags.includes('dynamic') || flags.includes('mirrored') ? null : new Map(),
  }
}

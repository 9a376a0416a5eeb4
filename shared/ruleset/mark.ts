// The ct mark that identifies the rule of a flow: the nibble 0x5, 20 bits of rule id, 8 bits of destination slot. The
// nibble is 0xd in a flow of the fast path, which connection tracking counts and no counter of ours (fast-path.ts).
const NIBBLE = 0x5
const FAST_NIBBLE = 0xd

export const SLOTS_MAX = 256
/** The bits of a mark, except for the slot. */
export const RULE_MASK = 0xffff_ff00

export const ruleMark = (route_rule_id: number, slot = 0, isFast = false): number =>
  (isFast ? FAST_NIBBLE : NIBBLE) * 2 ** 28 + route_rule_id * 2 ** 8 + slot

/** What its rule gives a new flow. */
export const flowMark = (rule: { route_rule_id: number; is_fast_path?: boolean }, slot = 0): number =>
  ruleMark(rule.route_rule_id, slot, rule.is_fast_path === true)

/** A flow has the same nibble all its life, so what counts it never changes. */
export const isFastMark = (mark: number): boolean => Math.floor(mark / 2 ** 28) === FAST_NIBBLE

/** Null where the mark is not one of ours. */
export function readMark(mark: number): { route_rule_id: number; slot: number } | null {
  if (!Number.isInteger(mark) || ![NIBBLE, FAST_NIBBLE].includes(Math.floor(mark / 2 ** 28))) return null
  return { route_rule_id: Math.floor(mark / 2 ** 8) % 2 ** 20, slot: mark % 2 ** 8 }
}

/** A mark in nft's notation. */
export const hex = (mark: number): string => `0x${mark.toString(16).padStart(8, '0')}`

// The ct mark that identifies the rule of a flow: the nibble 0x5, 20 bits of rule id, 8 bits of destination slot.
const NIBBLE = 0x5

export const SLOTS_MAX = 256
/** Of a mark, all but the slot. */
export const RULE_MASK = 0xffff_ff00

export const ruleMark = (route_rule_id: number, slot = 0): number => NIBBLE * 2 ** 28 + route_rule_id * 2 ** 8 + slot

/** Null where the mark is not one of ours. */
export function readMark(mark: number): { route_rule_id: number; slot: number } | null {
  if (!Number.isInteger(mark) || Math.floor(mark / 2 ** 28) !== NIBBLE) return null
  return { route_rule_id: Math.floor(mark / 2 ** 8) % 2 ** 20, slot: mark % 2 ** 8 }
}

/** As nft prints a mark. */
export const hex = (mark: number): string => `0x${mark.toString(16).padStart(8, '0')}`

// Foreign rules that write the mark by which a relayed connection is known to be one of ours.
import { TRANSLATION, meets, relayPackets, stagesIn, type Packet, type Surroundings } from './relay-packet.ts'
import type { ForeignChain, ForeignFound, ForeignRule } from './model.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { Walker } from './walker.ts'

/**
 * `is_after`: it also writes what the panel has marked, so the connection is neither masqueraded nor counted any more;
 * otherwise the panel writes over it. `is_certain`: every connection of the rule meets it.
 */
export interface MarkWriter {
  readonly table: string
  readonly chain: string
  readonly text: string
  readonly is_after: boolean
  readonly is_certain: boolean
}

const isWriting = ({ effects }: ForeignRule): boolean => effects.includes('connection_mark')

/** `foreign` is gone through once for all the rules that are looked at. */
export function markWritersIn(foreign: ForeignFound): (rule: RelayRule, around: Surroundings) => MarkWriter[] {
  if (!foreign.rules.some(isWriting)) return () => []
  const walker = new Walker(foreign)
  const stages = stagesIn(foreign.chains)
  return (rule, around) => writersMet(walker, foreign, relayPackets(rule, around, stages))
}

/** Those that take the panel's mark away come first, and of those the certain ones. */
function writersMet(walker: Walker, foreign: ForeignFound, packets: readonly Packet[]): MarkWriter[] {
  const found = new Map<ForeignRule, MarkWriter>()
  for (const packet of packets.filter(({ isNew }) => isNew))
    for (const chain of foreign.chains) {
      const met = meets(chain, packet)
      if (met === 'no') continue
      for (const { rule: writer, isCertain } of walker.through(chain, packet).effects) {
        if (!isWriting(writer)) continue
        const { table, chain: name, text } = writer
        const is_certain = isCertain && met === 'yes' && foreign.is_whole
        const now = { table, chain: name, text, is_after: isAfter(chain, writer), is_certain }
        const before = found.get(writer)
        if (!before || rank(now) > rank(before)) found.set(writer, now)
      }
    }
  return [...found.values()].sort((a, b) => rank(b) - rank(a))
}

/**
 * What comes before the translation still writes over our mark with every later packet, unless it heeds new ones alone.
 */
const isAfter = ({ hook, priority }: ForeignChain, { branches }: ForeignRule): boolean =>
  hook !== 'prerouting' || priority > TRANSLATION || !branches.every(({ conditions }) => conditions.some(isOfNew))

const isOfNew = ({ field, is_not, values }: ForeignRule['branches'][number]['conditions'][number]): boolean =>
  field === 'ct' && !is_not && values.every((value) => value === 'new')

const rank = ({ is_after, is_certain }: MarkWriter): number => 2 * Number(is_after) + Number(is_certain)

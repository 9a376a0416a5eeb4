// Foreign rules that keep what a relay rule relays from being tracked, in one direction or in both, or have it tracked
// where the other direction is not found. Nothing of it is translated then.
import type { Message } from '@panel/shared/messages/message.ts'
import type { ForeignChain, ForeignFound, ForeignRule } from './model.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { meets, relayPackets, stagesIn, tracking, type Packet, type Surroundings } from './relay-packet.ts'
import { withExtent, type Extent, type Met } from './extent.ts'
import { remedyFor } from './relay-remedy.ts'
import { Walker, type Effect } from './walker.ts'

/** `is_certain`: no connection of the rule is tracked as it has to be. The remedy lets the packet pass that rule. */
export interface Untracker {
  readonly table: string
  readonly chain: string
  readonly text: string
  readonly is_certain: boolean
  readonly is_reply: boolean
  readonly extent: Extent
  readonly remedy: Message
}

export const untrackedBy = (rule: RelayRule, foreign: ForeignFound, around: Surroundings): Untracker[] =>
  untrackersIn(foreign)(rule, around)

const isUntracking = ({ effects }: ForeignRule): boolean =>
  effects.some((one) => one === 'notrack' || one === 'synproxy' || one === 'zone')

/** `foreign` is gone through once for all the rules that are looked at. The certain ones come first. */
export function untrackersIn(foreign: ForeignFound): (rule: RelayRule, around: Surroundings) => Untracker[] {
  const untracking = foreign.rules.filter(isUntracking)
  if (untracking.length === 0) return () => []
  const walker = new Walker(foreign)
  const isProxied = untracking.some(({ effects }) => effects.includes('synproxy'))
  const chains = foreign.chains.filter(
    (chain) => (isProxied || tracking(chain) !== 'yes') && untracking.some(({ table }) => table === chain.table),
  )
  const stages = stagesIn(chains)
  return (rule, around) => {
    const all = relayPackets(rule, around, stages).flatMap((packet) => effectsMet(walker, chains, packet))
    const certain = new Map<string, Untracking>()
    const doubts = new Map<string, Untracking>()
    for (const met of all) {
      if (isBothWays(met, all)) continue
      const is_certain = isCertain(met, all) && foreign.is_whole
      const [{ table, chain, text }, list] = [met.rule, is_certain ? certain : doubts]
      const key = `${table} ${chain} ${text}`
      const remedy = remedyFor(met.packet, met.chain, foreign)
      const one = { table, chain, text, is_certain, is_reply: met.packet.isReply, remedy }
      const untracking = list.get(key) ?? { found: one, packets: [] }
      untracking.packets.push(met.packet)
      list.set(key, untracking)
    }
    const unsure = [...doubts].filter(([key]) => !certain.has(key)).map(([, one]) => one)
    return [...withExtent(rule, [...certain.values()]), ...withExtent(rule, unsure)]
  }
}

type Untracking = Met<Omit<Untracker, 'extent'>>

interface Affected extends Effect {
  readonly packet: Packet
  readonly chain: ForeignChain
}

function effectsMet(walker: Walker, chains: readonly ForeignChain[], packet: Packet): Affected[] {
  return chains.flatMap((chain) => {
    const met = meets(chain, packet)
    if (met === 'no') return []
    return walker
      .through(chain, packet)
      .effects.filter((effect) => isUntracking(effect.rule) && !effect.isForSome && isInTime(effect.rule, chain))
      .map((effect) => ({ ...effect, isCertain: effect.isCertain && met === 'yes', packet, chain }))
  })
}

/** Once a packet is tracked, it stays so. */
const isInTime = ({ effects }: ForeignRule, chain: ForeignChain): boolean =>
  effects.includes('synproxy') || tracking(chain) !== 'yes'

/** A zone is no harm to packets whose other direction is in it too. */
const isBothWays = (met: Affected, all: readonly Affected[]): boolean =>
  isZone(met) && met.isCertain && others(met, all).some((one) => one.rule === met.rule && one.isCertain)

function isCertain(met: Affected, all: readonly Affected[]): boolean {
  if (!met.isCertain || met.rule.effects.includes('synproxy') || tracking(met.chain) === 'maybe') return false
  return !isZone(met) || others(met, all).length === 0
}

const isZone = ({ rule: { effects } }: Affected): boolean => effects.includes('zone') && !effects.includes('notrack')
const others = ({ packet }: Affected, all: readonly Affected[]): Affected[] =>
  all.filter((one) => isZone(one) && one.packet.isReply !== packet.isReply)

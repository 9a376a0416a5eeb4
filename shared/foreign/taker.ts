// Foreign rules that translate what a relay rule listens for.
import { meets, relayPackets, TRANSLATION } from './relay-packet.ts'
import type { ForeignBranch, ForeignChain, ForeignFound, ForeignRule } from './model.ts'
import type { Match } from './ranges.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { branchMatch } from './walker.ts'

/** `is_certain`: it stands before the panel's table, and takes all that a rule listens for. */
export type Taker = Pick<ForeignRule, 'table' | 'chain' | 'manager' | 'text'> & { readonly is_certain: boolean }

const isTaking = ({ verdict, conditions }: ForeignBranch): boolean =>
  verdict === 'translate' && conditions.some(({ field }) => field === 'destination_port')

/** Foreign rules that translate what a rule listens for before the panel's table may; the certain ones first. */
export function takenBy(rule: RelayRule, foreign: ForeignFound): Taker[] {
  // This is evaluated for each of thousands of rules, and most hosts translate nothing else.
  const taking = foreign.rules.filter(({ branches }) => branches.some(isTaking))
  if (taking.length === 0) return []
  const packets = relayPackets(rule, { own_addresses: [], in_interface: null, out_interface: null }).filter(
    ({ stage, isNew }) => stage === 'arriving' && isNew,
  )
  const chains = foreign.chains.filter(({ hook, priority }) => hook === 'prerouting' && priority <= TRANSLATION)
  const matchesOf = (one: ForeignRule, chain: ForeignChain): Match[] =>
    packets.flatMap((packet) =>
      meets(chain, packet) === 'no'
        ? ['no']
        : one.branches.filter(isTaking).map((branch) => branchMatch(one, branch, packet, chain)),
    )
  return taking
    .flatMap((one) => {
      const near = chains.filter(({ table }) => table === one.table)
      if (!near.some((chain) => matchesOf(one, chain).some((match) => match !== 'no'))) return []
      const isSure = (chain: ForeignChain): boolean =>
        chain.chain === one.chain &&
        chain.priority < TRANSLATION &&
        matchesOf(one, chain).every((match) => match === 'yes')
      const { table, chain, manager, text } = one
      return [{ table, chain, manager, text, is_certain: near.some(isSure) }]
    })
    .sort((a, b) => Number(b.is_certain) - Number(a.is_certain))
}

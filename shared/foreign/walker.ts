// Takes packets through the chains of other software. What decides for certain ends the way of a packet; beside what
// may decide, it also goes on.
import { compileCondition, isNarrow, type Knowledge } from './conditions.ts'
import type { ForeignBranch, ForeignChain, ForeignCondition, ForeignFound, ForeignRule } from './model.ts'
import { PacketKinds } from './packet-kinds.ts'
import type { Match } from './ranges.ts'
import type { Packet } from './relay-packet.ts'

/** "on": to the next rule. "back": to the chain that led here. */
type Ending = 'pass' | 'drop' | 'on' | 'back'
const ANY_ENDING: readonly Ending[] = ['pass', 'drop', 'on']

/**
 * `text` is a rule, or the policy of the chain. `is_for_some`: it matches few clients, and whether it does depends on
 * the client alone.
 */
export interface Blame {
  readonly table: string
  readonly chain: string
  readonly text: string
  readonly is_policy: boolean
  readonly is_for_some: boolean
}

/** A rule that does more to a packet than its verdict. `isCertain`: to each such packet. */
export interface Effect {
  readonly rule: ForeignRule
  readonly isCertain: boolean
  /** Only to the packets of few clients. */
  readonly isForSome: boolean
}

interface Walk {
  readonly endings: ReadonlySet<Ending>
  readonly blame: Blame | null
  readonly effects: readonly Effect[]
}

/** A chain of jumps is at most so long in the kernel. */
const JUMPS_MAX = 16

export class Walker {
  readonly #rules = new Map<string, CompiledRule[]>()
  readonly #kinds: PacketKinds
  readonly #walks = new Map<ForeignChain, Map<string, Walk>>()
  #last: { readonly packet: Packet; readonly kind: string } | null = null

  constructor({ rules }: ForeignFound) {
    this.#kinds = new PacketKinds(rules)
    const known = { isMarkSet: rules.some(({ effects }) => effects.includes('packet_mark')) }
    for (const rule of rules) {
      const branches = rule.branches.map((branch) => ({
        branch,
        tests: compiled(branch, known),
      }))
      const chain = this.#rules.get(keyOf(rule))
      if (chain) chain.push({ rule, branches })
      else this.#rules.set(keyOf(rule), [{ rule, branches }])
    }
  }

  /** What becomes of the packet in a base chain. */
  through(chain: ForeignChain, packet: Packet): Walk {
    // A packet is taken through one chain after another.
    if (this.#last?.packet !== packet) this.#last = { packet, kind: this.#kinds.of(packet) }
    let walks = this.#walks.get(chain)
    if (!walks) this.#walks.set(chain, (walks = new Map()))
    const known = walks.get(this.#last.kind)
    if (known) return known
    const walk = this.#fromBase(chain, packet)
    walks.set(this.#last.kind, walk)
    return walk
  }

  #fromBase(chain: ForeignChain, packet: Packet): Walk {
    const { endings, blame, effects } = this.#walk(keyOf(chain), { packet, chain, walked: new Map(), ...AT_BASE })
    const ended = new Set([...endings].filter((one) => one !== 'back'))
    if (!endings.has('back')) return { endings: ended, blame, effects }
    if (chain.policy === 'accept') return { endings: ended.add('pass'), blame, effects }
    const policy = { table: chain.table, chain: chain.chain, text: 'policy drop', is_policy: true, is_for_some: false }
    return { endings: ended.add('drop'), blame: policy, effects }
  }

  #walk(key: string, way: Way): Walk {
    const known = way.walked.get(key)
    if (known) return known
    const endings = new Set<Ending>()
    const effects: Effect[] = []
    let blame: Blame | null = null
    let [isReached, isOver] = [true, false]
    for (const rule of this.#rules.get(key) ?? []) {
      const walk = this.#meet(rule, way)
      if (!walk) continue
      if (walk.endings.has('drop')) blame = walk.blame
      for (const one of walk.endings) if (one !== 'on') endings.add(one)
      for (const one of walk.effects) effects.push({ ...one, isCertain: one.isCertain && isReached })
      isOver = !walk.endings.has('on')
      if (isOver) break
      isReached &&= walk.endings.size === 1
    }
    if (!isOver) endings.add('back')
    const walk = { endings, blame, effects }
    way.walked.set(key, walk)
    return walk
  }

  /** The first branch that matches for certain is the last. Null where none does. */
  #meet({ rule, branches }: CompiledRule, way: Way): Walk | null {
    const met = []
    for (const { branch, tests } of branches) {
      const found = matchOf(rule, tests, way)
      if (found.match !== 'no') met.push({ branch, ...found })
      if (found.match === 'yes') break
    }
    return met.length === 0 ? null : this.#among(rule, met, way)
  }

  #among(rule: ForeignRule, met: readonly (RuleMatch & { readonly branch: ForeignBranch })[], way: Way): Walk {
    const endings = new Set<Ending>()
    const effects: Effect[] = []
    let blame: Blame | null = null
    let [isMet, isSure, isOfSome] = [false, false, true]
    for (const { branch, match, isForSome } of met) {
      const walk = this.#after(rule, branch, { ...way, isForSome: way.isForSome || isForSome })
      if (walk.endings.has('drop')) blame = walk.blame
      for (const one of walk.endings) endings.add(one)
      for (const one of walk.effects) effects.push({ ...one, isCertain: one.isCertain && match === 'yes' && !isMet })
      isMet = true
      isOfSome &&= way.isForSome || isForSome
      isSure = match === 'yes'
    }
    if (!isSure) endings.add('on')
    if (rule.effects.length > 0) effects.unshift({ rule, isCertain: isSure, isForSome: isOfSome })
    return { endings, blame, effects }
  }

  #after({ table, chain, text }: ForeignRule, { verdict, target }: ForeignBranch, way: Way): Walk {
    const blame = { table, chain, text, is_policy: false, is_for_some: way.isForSome }
    const own = ENDINGS[verdict]
    if (own) return { endings: new Set(own), blame, effects: [] }
    if (way.depth >= JUMPS_MAX) return { endings: new Set(ANY_ENDING), blame, effects: [] }
    const there = this.#walk(keyOf({ table, chain: target }), { ...way, depth: way.depth + 1 })
    // After a jump the next rule is met, after a goto none.
    const back = verdict === 'jump' ? 'on' : 'back'
    return { ...there, endings: new Set([...there.endings].map((one) => (one === 'back' ? back : one))) }
  }
}

interface Test {
  readonly field: ForeignCondition['field']
  readonly isNarrow: boolean
  readonly test: ReturnType<typeof compileCondition>
}

const compiled = ({ conditions }: ForeignBranch, known: Knowledge): Test[] =>
  conditions.map((one) => ({ field: one.field, isNarrow: isNarrow(one), test: compileCondition(one, known) }))

interface CompiledRule {
  readonly rule: ForeignRule
  readonly branches: readonly { readonly branch: ForeignBranch; readonly tests: readonly Test[] }[]
}

/** What a packet has met so far on its way from a base chain. */
interface Way {
  readonly packet: Packet
  readonly chain: ForeignChain
  readonly walked: Map<string, Walk>
  readonly depth: number
  /** It came here by what the client alone decides. */
  readonly isForSome: boolean
}
const AT_BASE = { depth: 0, isForSome: false } as const

const ENDINGS: Readonly<Partial<Record<ForeignBranch['verdict'], readonly Ending[]>>> = {
  none: ['on'],
  accept: ['pass'],
  translate: ['pass'],
  drop: ['drop'],
  reject: ['drop'],
  return: ['back'],
  other: ANY_ENDING,
}

/** Whether the verdict alone may end a packet. */
export const mayDrop = ({ branches }: ForeignRule): boolean =>
  branches.some(({ verdict }) => ENDINGS[verdict]?.includes('drop') === true)

const keyOf = ({ table, chain }: { readonly table: string; readonly chain: string }): string => `${table} ${chain}`

interface RuleMatch {
  readonly match: Match
  /** It is one with few clients, and all that is not known of it is which client sent the packet. */
  readonly isForSome: boolean
}

const NO_MATCH: RuleMatch = { match: 'no', isForSome: false }

function matchOf({ is_whole }: ForeignRule, tests: readonly Test[], { packet, chain }: Way): RuleMatch {
  let [isSure, isForSome] = [is_whole, is_whole]
  for (const { field, isNarrow: isOfFew, test } of tests) {
    const match = test(packet, chain)
    if (match === 'no') return NO_MATCH
    if (match === 'yes') continue
    isSure = false
    isForSome &&= isOfFew && isOfClient(field, packet)
  }
  return isSure ? { match: 'yes', isForSome: false } : { match: 'maybe', isForSome }
}

function isOfClient(field: Test['field'], { isReply, source, destination }: Packet): boolean {
  const [side, end] = isReply ? (['destination', destination] as const) : (['source', source] as const)
  return field.startsWith(side) && !end.isLocal
}

/** Whether the packet meets the conditions of a branch, wherever the chain stands. */
export function branchMatch(rule: ForeignRule, branch: ForeignBranch, packet: Packet, chain: ForeignChain): Match {
  const way = { packet, chain, walked: new Map<string, Walk>(), ...AT_BASE }
  return matchOf(rule, compiled(branch, { isMarkSet: true }), way).match
}

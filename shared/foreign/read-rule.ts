// What a foreign rule matches, as far as it can be read with certainty, and its verdict.
import type { ForeignBranch, ForeignCondition, ForeignRule } from './model.ts'
import { oneLine } from './names.ts'
import { members, readMapKeys, readMatch } from './read-match.ts'
import { elementValue, NO_SETS, type SetElements } from './read-sets.ts'
import { readXtExpression, hasExtension } from './read-xt.ts'
import { isList, isObject, only, textIn, type Json, type JsonObject } from '../ruleset/nft/json.ts'

export type Reading = Pick<ForeignRule, 'branches' | 'effects' | 'is_whole'>
type Effect = ForeignRule['effects'][number]
type Verdict = ForeignBranch['verdict']

interface Alternative {
  readonly conditions: readonly ForeignCondition[]
  readonly verdict?: Verdict
  readonly target?: string
}

/** What one statement adds to a rule. */
interface Part {
  readonly conditions?: readonly ForeignCondition[]
  readonly alternatives?: readonly Alternative[]
  readonly effect?: Effect
  readonly is_whole?: boolean
  readonly verdict?: Verdict
  readonly target?: string
}

/** It matches on something that is not modelled. */
const MORE: Part = { is_whole: false }
/** It may do whatever it wants with the packet. */
const OTHER: Part = { ...MORE, verdict: 'other' }

/** `text` is the rule as nft prints it, "" where that is not known. */
export function readRule(expression: Json | undefined, text: string, sets: SetElements = NO_SETS): Reading {
  const readable = isList(expression) && text !== '' && hasExtension(expression) ? readXtExpression(text) : expression
  return joined(isList(readable) ? readable.map((item) => readStatement(item, sets)) : [OTHER])
}

export const UNREADABLE: Reading = joined([OTHER])

/**
 * An iptables extension is a verdict only where there is no other. Of alternatives on alternatives only the first are
 * read.
 */
function joined(parts: readonly Part[]): Reading {
  const [all, ...more] = parts.flatMap(({ alternatives }) => (alternatives ? [alternatives] : []))
  const conditions = parts.flatMap((part) => part.conditions ?? [])
  const last = parts.filter(({ verdict }) => verdict !== undefined).at(-1)
  return {
    branches: (all ?? [{ conditions: [] }]).map((one) => {
      const { verdict = 'none', target = '' } = one.verdict === undefined ? (last ?? {}) : one
      return { conditions: [...conditions, ...one.conditions], verdict, target: oneLine(target) }
    }),
    effects: [...new Set(parts.flatMap(({ effect }) => effect ?? []))],
    is_whole: more.length === 0 && parts.every(({ is_whole = true }) => is_whole),
  }
}

const VERDICTS: Readonly<Record<string, Verdict>> = {
  accept: 'accept',
  drop: 'drop',
  reject: 'reject',
  return: 'return',
  continue: 'none',
  dnat: 'translate',
  redirect: 'translate',
  snat: 'translate',
  masquerade: 'translate',
}
/** They change or count a packet, and let it go on. */
const HARMLESS = ['counter', 'log', 'ct helper', 'ct timeout', 'ct expectation', 'flow', 'secmark', 'last']
/** They stop matching at some time, and end nothing. */
const SOMETIMES = ['limit', 'quota', 'ct count', 'set']

function readStatement(item: Json, sets: SetElements): Part {
  const [kind, body] = only(item) ?? ['', null]
  if (kind === 'match' && isObject(body)) return matched(readMatch(body, sets))
  if (kind === 'vmap' && isObject(body)) return readMap(body, sets)
  if (kind === 'mangle') return isObject(body) ? changed(body['key'] ?? null) : {}
  if (kind === 'notrack') return { effect: 'notrack' }
  if (kind === 'synproxy') return { effect: 'synproxy', verdict: 'other' }
  if (HARMLESS.includes(kind)) return {}
  return SOMETIMES.includes(kind) ? MORE : (verdictOf(item) ?? OTHER)
}

const matched = ({ conditions, alternatives, is_whole }: ReturnType<typeof readMatch>): Part => ({
  conditions,
  is_whole,
  ...(alternatives && { alternatives: alternatives.map((one) => ({ conditions: one })) }),
})

function verdictOf(item: Json): { verdict: Verdict; target: string } | null {
  const [kind, body] = only(item) ?? ['', null]
  if ((kind === 'jump' || kind === 'goto') && isObject(body)) return { verdict: kind, target: textIn(body, 'target') }
  const verdict = VERDICTS[kind]
  return verdict ? { verdict, target: '' } : null
}

/** A verdict map stands for a rule for each of its elements, of which "*" is the last. */
function readMap({ key = null, data = null }: JsonObject, sets: SetElements): Part {
  const pairs = members(data, sets)?.map((pair) => (isList(pair) ? pair : [])) ?? null
  const keys =
    pairs &&
    readMapKeys(
      key,
      pairs.map(([one = null]) => elementValue(one)),
    )
  const verdicts = pairs?.map(([, verdict = null]) => verdictOf(verdict)) ?? []
  if (!keys || verdicts.some((verdict) => verdict === null)) return OTHER
  const alternatives = keys.map((conditions, at) => ({ conditions, ...(verdicts[at] ?? {}) }))
  return { alternatives: alternatives.sort((a, b) => Number(!a.conditions.length) - Number(!b.conditions.length)) }
}

/** The mark of the packet, or of its connection, or the zone that it is tracked in. */
function changed(key: Json): Part {
  const [kind, body] = only(key) ?? ['', null]
  const name = isObject(body) ? textIn(body, 'key') : ''
  if (name === 'mark' && kind === 'meta') return { effect: 'packet_mark' }
  if (kind !== 'ct') return {}
  if (name === 'mark') return { effect: 'connection_mark' }
  // A zone of one direction alone is meant to meet the other one.
  return name === 'zone' ? { effect: 'zone', ...(isObject(body) && 'dir' in body ? MORE : {}) } : {}
}

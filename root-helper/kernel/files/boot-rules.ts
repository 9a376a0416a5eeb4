// The relay rules that were last accepted, in one file: what boot brings back. The list is not written again for each
// change: changes are lines after it.
import { verbatim } from '@panel/shared/messages/message.ts'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { RefusedError } from '../../refused.ts'
import type { HeldForBoot, RuleSwap } from '../relay-facilities.ts'
import { grownParts, growingFile } from './growing-file.ts'
import { damageOf, readWritten, type StateFolder } from './state-folder.ts'

export interface BootRules {
  /** In the order in which packets meet them. */
  held(): HeldForBoot
  /** Rules of the ids in `gone` leave, those in `put` come or are replaced, and all others stay. */
  change(gone: readonly number[], put: readonly RelayRule[]): Promise<void>
}

const NAME = 'ruleset.json'
/** Lines behind a list may take a quarter of its length, and behind a short one as much as some twenty changes. */
const roomBehind = (length: number): number => Math.max(length / 4, 16 * 1024)

export function bootRulesIn(folder: StateFolder): BootRules {
  const file = growingFile(folder, NAME, roomBehind)
  let rules: readonly RelayRule[] | null = null
  /** Reads the file. One that cannot be read is tried again each time, since the operator may have set it aside. */
  const held = (): HeldForBoot => {
    try {
      rules ??= readWritten(folder, NAME, parse) ?? [] // and its first change is written with the whole list
      return { boot_rules: rules, boot_trouble: null }
    } catch (error) {
      return { boot_rules: [], boot_trouble: damageOf('root.rules_damaged', error) }
    }
  }
  return {
    held,
    async change(gone, put) {
      const { boot_rules, boot_trouble } = held()
      if (boot_trouble !== null) throw new RefusedError('state_unusable', verbatim(boot_trouble))
      if (gone.length + put.length === 0) return
      const next = swapped(boot_rules, { gone, put })
      if (!(await file.append(JSON.stringify({ gone, put })))) await file.write(JSON.stringify({ rules: next }))
      rules = next
    },
  }
}

/** Those in `put` are canonical. */
export function swapped(rules: readonly RelayRule[], { gone, put }: RuleSwap): RelayRule[] {
  const left = new Set([...gone, ...put.map(({ route_rule_id }) => route_rule_id)])
  return [...rules.filter(({ route_rule_id }) => !left.has(route_rule_id)), ...put].sort(inOrder)
}

function parse(text: string): readonly RelayRule[] {
  const { whole, lines } = grownParts(text)
  const { rules } = JSON.parse(whole) as { rules?: unknown }
  if (!areRules(rules)) throw new Error('It holds no list of rules, or a change of none')
  // The change of a line that was cut short is in the journal.
  return lines.reduce((held, line) => swapped(held, readChange(line)), rules)
}

function readChange(line: string): RuleSwap {
  const { gone, put } = JSON.parse(line) as Partial<RuleSwap>
  if (!Array.isArray(gone) || !gone.every(Number.isSafeInteger) || !areRules(put))
    throw new Error('It holds no list of rules, or a change of none')
  return { gone, put }
}

const areRules = (value: unknown): value is RelayRule[] => Array.isArray(value) && value.every(isRule)

const isRule = (value: unknown): value is RelayRule =>
  typeof value === 'object' &&
  value !== null &&
  Number.isSafeInteger((value as Partial<RelayRule>).route_rule_id) &&
  Array.isArray((value as Partial<RelayRule>).destinations)

interface Numbered {
  readonly route_rule_id: number
}

/** Those of the rules that boot brings back of which the kernel holds nothing, not even a piece. */
export function missingRules(
  boot: readonly RelayRule[],
  held: readonly Numbered[],
  why: (rule: RelayRule) => string,
): { route_rule_id: number; detail: string }[] {
  if (areAlike(boot, held)) return []
  const ids = new Set(held.map(({ route_rule_id }) => route_rule_id))
  return boot
    .filter(({ route_rule_id }) => !ids.has(route_rule_id))
    .map((rule) => ({ route_rule_id: rule.route_rule_id, detail: why(rule) }))
}

/**
 * Whether both lists are the same objects in the same order, which is nearly always so, and ten thousand of them are
 * compared in every change.
 */
const areAlike = (boot: readonly Numbered[], held: readonly Numbered[]): boolean =>
  boot.length === held.length && boot.every(({ route_rule_id }, at) => route_rule_id === held[at]?.route_rule_id)

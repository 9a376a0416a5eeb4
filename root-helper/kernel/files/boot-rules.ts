// The relay rules that were last accepted, in one file: what boot brings back.
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { RefusedError } from '../../refused.ts'
import { messageOf, oneLine } from '../../text.ts'
import type { HeldForBoot } from '../facilities.ts'
import { setAside, type StateFolder } from './state-folder.ts'

export interface BootRules {
  /** In the order in which packets meet them. */
  held(): HeldForBoot
  /** Rules of the ids in `gone` leave, those in `put` come or are replaced, and all others stay. */
  change(gone: readonly number[], put: readonly RelayRule[]): Promise<void>
}

const NAME = 'ruleset.json'

export function bootRulesIn(folder: StateFolder): BootRules {
  let rules: readonly RelayRule[] | null = null
  /** A file that cannot be read is tried again each time, since somebody may have set it aside. */
  const held = (): HeldForBoot => {
    try {
      rules ??= parse(folder.read(NAME))
      return { boot_rules: rules, boot_trouble: null }
    } catch (error) {
      return { boot_rules: [], boot_trouble: damaged(oneLine(messageOf(error))) }
    }
  }
  return {
    held,
    async change(gone, put) {
      const { boot_rules, boot_trouble } = held()
      if (boot_trouble !== null) throw new RefusedError('state_unusable', boot_trouble)
      const left = new Set([...gone, ...put.map(({ route_rule_id }) => route_rule_id)])
      const next = [...boot_rules.filter(({ route_rule_id }) => !left.has(route_rule_id)), ...put].sort(inOrder)
      await folder.write(NAME, JSON.stringify({ rules: next }))
      rules = next
    },
  }
}

const damaged = (why: string): string =>
  `The helper's file ${NAME} is damaged (${why}), so the relay rules that the next boot would bring back are not known, and none is changed: ${setAside(NAME)}, then apply all rules in the panel`

function parse(text: string | null): readonly RelayRule[] {
  if (text === null) return []
  if (text === '') throw new Error('it is empty, or no plain file')
  const { rules } = JSON.parse(text) as { rules?: unknown }
  if (!Array.isArray(rules) || !rules.every(isRule)) throw new Error('it holds no list of rules')
  return rules
}

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
  const ids = new Set(held.map(({ route_rule_id }) => route_rule_id))
  return boot
    .filter(({ route_rule_id }) => !ids.has(route_rule_id))
    .map((rule) => ({ route_rule_id: rule.route_rule_id, detail: why(rule) }))
}

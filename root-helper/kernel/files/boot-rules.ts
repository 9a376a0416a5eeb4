// The relay rules that were last accepted, in one file: what boot brings back.
import { join } from 'node:path'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { readIfThere, writeWhole } from './files.ts'

export interface BootRules {
  /** In the order in which packets meet them. */
  read(): readonly RelayRule[]
  /** Rules of the ids in `gone` leave, those in `put` come or are replaced, and all others stay. */
  change(gone: readonly number[], put: readonly RelayRule[]): Promise<void>
}

export function bootRulesIn(folder: string): BootRules {
  const path = join(folder, 'ruleset.json')
  let rules: readonly RelayRule[] | null = null
  const read = (): readonly RelayRule[] => (rules ??= parse(readIfThere(path)))
  return {
    read,
    async change(gone, put) {
      const left = new Set([...gone, ...put.map(({ route_rule_id }) => route_rule_id)])
      const next = [...read().filter(({ route_rule_id }) => !left.has(route_rule_id)), ...put].sort(inOrder)
      await writeWhole(path, JSON.stringify({ rules: next }), 0o600)
      rules = next
    },
  }
}

const parse = (text: string | null): readonly RelayRule[] =>
  text === null ? [] : (JSON.parse(text) as { rules: RelayRule[] }).rules

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

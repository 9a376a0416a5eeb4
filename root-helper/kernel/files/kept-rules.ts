// The rules that were last accepted, in one file: what boot brings back, and what a change of some rules leaves of the others.
import { join } from 'node:path'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { readIfThere, writeWhole } from './files.ts'

export interface KeptRules {
  read(): readonly RelayRule[]
  write(rules: readonly RelayRule[]): Promise<void>
}

export function keptRulesIn(folder: string): KeptRules {
  const path = join(folder, 'ruleset.json')
  let rules: readonly RelayRule[] | null = null
  return {
    read: () => (rules ??= rulesIn(readIfThere(path))),
    async write(next) {
      await writeWhole(path, JSON.stringify({ rules: next }), 0o600)
      rules = next
    },
  }
}

const rulesIn = (text: string | null): readonly RelayRule[] =>
  text === null ? [] : (JSON.parse(text) as { rules: RelayRule[] }).rules

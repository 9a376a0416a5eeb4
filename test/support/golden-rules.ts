// The relay rules of test/golden/ruleset, which are loaded by every nft that a test can reach.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'

export const RULESETS = join(import.meta.dirname, '../golden/ruleset')

export const goldenRules = (name: string): RelayRule[] =>
  canonicalRuleset(
    (JSON.parse(readFileSync(join(RULESETS, name, 'state.json'), 'utf8')) as { rules: RelayRule[] }).rules,
  )

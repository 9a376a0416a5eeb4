// What a group of rules comes to.
import type { HealthWord } from './effects.ts'
import { healthWord, HEALTH_WORDS } from './rule-health.ts'

type Rule = { readonly health: Parameters<typeof healthWord>[0] }

/** How many rules are in each state that there is, the worst first. */
export const countByWord = (rules: readonly Rule[]): { readonly word: HealthWord; readonly count: number }[] =>
  HEALTH_WORDS.map((word) => ({
    word,
    count: rules.filter(({ health }) => healthWord(health) === word).length,
  })).filter(({ count }) => count > 0)

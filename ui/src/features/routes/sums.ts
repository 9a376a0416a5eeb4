// What a group of rules comes to.
import type { State } from '../../components/state.ts'
import type { HealthWord } from './effects.ts'
import { healthWord, HEALTH_WORDS } from './rule-health.ts'

interface Rates {
  readonly tx_bytes_per_second: number | null
  readonly rx_bytes_per_second: number | null
}

const sum = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((all, value) => all + value, 0)
}

/** What is known of them; null if of none. */
export const sumOfRates = (rates: readonly Rates[]): { tx: number | null; rx: number | null } => ({
  tx: sum(rates.map(({ tx_bytes_per_second }) => tx_bytes_per_second)),
  rx: sum(rates.map(({ rx_bytes_per_second }) => rx_bytes_per_second)),
})

type Rule = { readonly health: Parameters<typeof healthWord>[0] }

/** How many rules are in each state that there is, the worst first. */
export const countByWord = (rules: readonly Rule[]): { readonly word: HealthWord; readonly count: number }[] =>
  HEALTH_WORDS.map((word) => ({
    word,
    count: rules.filter(({ health }) => healthWord(health) === word).length,
  })).filter(({ count }) => count > 0)

export const stateOf = (word: HealthWord): State => (word === 'ok' ? 'up' : word)

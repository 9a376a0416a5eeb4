// What the rates of several things come to.
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

// Statistics of a list of measurements.
export function percentile(samples: readonly number[], percent: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const value = sorted[Math.max(Math.ceil((sorted.length * percent) / 100) - 1, 0)]
  if (value === undefined) throw new Error('Nothing was measured')
  return value
}

/** The mean of the middle two where there is no middle one. */
export const median = (samples: readonly number[]): number =>
  (percentile(samples, 50) +
    percentile(
      samples.map((s) => -s),
      50,
    ) *
      -1) /
  2

export const sum = (samples: readonly number[]): number => samples.reduce((all, sample) => all + sample, 0)

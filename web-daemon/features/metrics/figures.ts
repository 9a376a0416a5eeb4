// Rounds shares and rates to two decimal places.
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100
}

export function percent(part: number, whole: number): number {
  return whole > 0 ? hundredths((100 * part) / whole) : 0
}

// Rounds shares and rates to two decimal places.
export const hundredths = (value: number): number => Math.round(value * 100) / 100

export const percent = (part: number, whole: number): number => (whole > 0 ? hundredths((100 * part) / whole) : 0)

// History ranges and their resolutions.

/** Seconds per point, by hours: a few hundred points per chart. */
export const RESOLUTIONS = { 1: 60, 24: 300, 168: 1800, 720: 7200 } as const

export type Hours = keyof typeof RESOLUTIONS

export const HOURS: readonly Hours[] = [1, 24, 168, 720]

/** From the address; a day by default. */
export const parseHours = (search: URLSearchParams): Hours =>
  HOURS.find((hours) => `${hours}` === search.get('hours')) ?? 24

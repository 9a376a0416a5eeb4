// How far back a history is looked at, and how fine.

/** Seconds that a point stands for, by hours: a chart has some hundreds of points. */
export const RESOLUTIONS = { 1: 60, 24: 300, 168: 1800, 720: 7200 } as const

export type Hours = keyof typeof RESOLUTIONS

export const HOURS: readonly Hours[] = [1, 24, 168, 720]

/** As an address says it; a day where it says nothing that is known. */
export const parseHours = (search: URLSearchParams): Hours =>
  HOURS.find((hours) => `${hours}` === search.get('hours')) ?? 24

// `limit` and `offset` of a list (decisions.md, W15): invalid values count as not given, larger ones are reduced to the
// maximum.
export interface Paging {
  readonly limit: number
  readonly offset: number
}

export function parsePaging(
  query: Readonly<Record<string, string>>,
  bounds: { standard?: number; maximum?: number } = {},
): Paging {
  const { standard = 100, maximum = 1000 } = bounds
  return { limit: Math.min(count(query['limit']) ?? standard, maximum), offset: count(query['offset']) ?? 0 }
}

const count = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null

// Which rows of a list are selected; pure, for tests.
export type RowKey = string | number

export interface Selection {
  readonly keys: ReadonlySet<RowKey>
  /** The row where a range begins: the one that was last clicked alone. */
  readonly anchor: RowKey | null
}

export const NONE: Selection = { keys: new Set(), anchor: null }

/** A range makes the rows from the anchor to this one what the anchor is. */
export const clicked = (
  { keys, anchor }: Selection,
  key: RowKey,
  isRange: boolean,
  order: readonly RowKey[],
): Selection => {
  const next = new Set(keys)
  const from = isRange && anchor !== null ? order.indexOf(anchor) : -1
  const to = order.indexOf(key)
  const range = from < 0 ? [key] : order.slice(Math.min(from, to), Math.max(from, to) + 1)
  const isOn = from < 0 ? !keys.has(key) : keys.has(anchor ?? key)
  for (const one of range) next[isOn ? 'add' : 'delete'](one)
  return { keys: next, anchor: from < 0 ? key : anchor }
}

export const only = (keys: Iterable<RowKey>): Selection => ({ keys: new Set(keys), anchor: null })

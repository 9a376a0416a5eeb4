// Reorders rules; pure, for tests.

/** Moves the selection, in its order, to index `to`. */
export const moveTo = (ids: readonly number[], chosen: ReadonlySet<number>, to: number): number[] => {
  const [moved, rest] = [ids.filter((id) => chosen.has(id)), ids.filter((id) => !chosen.has(id))]
  const at = Math.max(0, Math.min(to, rest.length))
  return [...rest.slice(0, at), ...moved, ...rest.slice(at)]
}

/** One place up or down; items at the edge stay, and the selection keeps its order. */
export const shift = (ids: readonly number[], chosen: ReadonlySet<number>, by: -1 | 1): number[] => {
  const moved = [...ids]
  const places = moved.map((_id, at) => at)
  for (const at of by < 0 ? places : places.reverse()) {
    const [own, other] = [moved[at], moved[at + by]]
    if (own === undefined || other === undefined || !chosen.has(own) || chosen.has(other)) continue
    moved[at] = other
    moved[at + by] = own
  }
  return moved
}

/** Dropping on an item places the selection before it when moving up, after it when moving down. */
export const dropOn = (ids: readonly number[], chosen: ReadonlySet<number>, target: number): number[] => {
  if (chosen.has(target)) return [...ids]
  const from = ids.findIndex((id) => chosen.has(id))
  const at = ids.filter((id) => !chosen.has(id)).indexOf(target)
  return moveTo(ids, chosen, ids.indexOf(target) > from ? at + 1 : at)
}

/** The chosen order applied to current rules: deleted ones are dropped, new ones appended. */
export const mergeOrder = (wanted: readonly number[], stored: readonly number[]): number[] => {
  const [living, placed] = [new Set(stored), new Set(wanted)]
  return [...wanted.filter((id) => living.has(id)), ...stored.filter((id) => !placed.has(id))]
}

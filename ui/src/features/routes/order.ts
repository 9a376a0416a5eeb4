// Moving rules within their order, one or several at once; pure, so that it can be tried without a page.

/** Puts the chosen, in the order that they have, so that the first of them stands at `to` (from 0). */
export const moveTo = (ids: readonly number[], chosen: ReadonlySet<number>, to: number): number[] => {
  const [moved, rest] = [ids.filter((id) => chosen.has(id)), ids.filter((id) => !chosen.has(id))]
  const at = Math.max(0, Math.min(to, rest.length))
  return [...rest.slice(0, at), ...moved, ...rest.slice(at)]
}

/** One place up or down; what stands at the end already stays, and so does the order of the chosen. */
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

/** Where what was dragged lands when it is let go on another: before it on the way up, behind it on the way down. */
export const dropOn = (ids: readonly number[], chosen: ReadonlySet<number>, target: number): number[] => {
  if (chosen.has(target)) return [...ids]
  const from = ids.findIndex((id) => chosen.has(id))
  const at = ids.filter((id) => !chosen.has(id)).indexOf(target)
  return moveTo(ids, chosen, ids.indexOf(target) > from ? at + 1 : at)
}

/** The operator's order over what is stored now: rules that are gone are left out, new ones stand behind. */
export const mergeOrder = (wanted: readonly number[], stored: readonly number[]): number[] => {
  const [living, placed] = [new Set(stored), new Set(wanted)]
  return [...wanted.filter((id) => living.has(id)), ...stored.filter((id) => !placed.has(id))]
}

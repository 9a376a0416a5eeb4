// The paths of a small line chart, 100 wide and 24 high.

interface Scale {
  /** The highest value of the scale; by default the largest one. */
  readonly top: number | undefined
  /** How much time the width is; what is older lies outside. */
  readonly breadth: number
}

/** One path for each stretch of known values, and the ground below it. */
export const sparkline = (
  values: readonly (number | null)[],
  times: readonly number[],
  { top, breadth }: Scale,
): { readonly line: string; readonly ground: string }[] => {
  const last = times.at(-1) ?? 0
  const most = values.reduce((all: number, value) => Math.max(all, value ?? 0), Math.max(top ?? 0, Number.EPSILON))
  const stretches: { x: string; y: string }[][] = [[]]
  values.forEach((value, at) => {
    const x = 100 - ((last - (times[at] ?? 0)) / breadth) * 100
    if (value === null || x < 0) return void stretches.push([])
    stretches.at(-1)?.push({ x: x.toFixed(2), y: (23 - (Math.max(0, value) / most) * 22).toFixed(2) })
  })
  return stretches
    .filter(({ length }) => length > 1)
    .map((points) => {
      const line = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('')
      return { line, ground: `${line}L${points.at(-1)?.x} 24L${points[0]?.x} 24Z` }
    })
}

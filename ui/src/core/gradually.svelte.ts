// Renders a long page in parts, so that input stays responsive.

/** The number of parts to render: one more per task. */
export const gradually = (total: () => number): { readonly drawn: number } => {
  let drawn = $state(1)
  $effect(() => {
    if (drawn >= total()) return
    const timer = setTimeout(() => (drawn += 1))
    return () => clearTimeout(timer)
  })
  return {
    get drawn() {
      return drawn
    },
  }
}

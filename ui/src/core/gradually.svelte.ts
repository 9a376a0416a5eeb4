// A long page drawn part by part, so that no part keeps the browser from whoever types or scrolls meanwhile.

/** How many of its parts are to be drawn: one more with each task, up to the total of the moment. */
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

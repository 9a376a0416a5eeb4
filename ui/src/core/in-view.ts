// Defers expensive content until it is about to be visible.

/** Calls `show` when the element is nearly in view; returns a cancel function. */
export const inView = (element: Element, show: () => void): (() => void) => {
  const watch = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return
      watch.disconnect()
      show()
    },
    { rootMargin: '200px' },
  )
  watch.observe(element)
  return () => watch.disconnect()
}

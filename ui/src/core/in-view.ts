// Defers expensive content until it is about to be visible.

/** Calls `show` when the element is within `margin_px` of the view; returns a cancel function. */
export const inView = (element: Element, show: () => void, margin_px = 200): (() => void) => {
  const watch = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return
      watch.disconnect()
      show()
    },
    { rootMargin: `${margin_px}px` },
  )
  watch.observe(element)
  return () => watch.disconnect()
}

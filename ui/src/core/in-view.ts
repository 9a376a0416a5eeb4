// What costs something to show waits until somebody is about to see it.

/** Calls `show` once the element is in view or nearly so; what is answered gives up waiting. */
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

// Whether the content of an element is wider than the element.
import type { Attachment } from 'svelte/attachments'

export const followOverflow =
  (take: (isWide: boolean) => void): Attachment<HTMLElement> =>
  (element) => {
    const measure = (): void => take(element.scrollWidth > element.clientWidth)
    // Not at once, since a scrollbar that comes of it changes what is observed.
    const observer = new ResizeObserver(() => requestAnimationFrame(measure))
    for (const one of [element, ...element.children]) observer.observe(one)
    return () => observer.disconnect()
  }

// The inverse of our rendering: what a file states, or that it is not one of ours.
import { MARK } from './mark.ts'

/**
 * Null where the text differs by a byte from what `render` makes of the value in its first line: a foreign
 * file, or one of ours edited by hand.
 */
export function readMarked<T>(content: string, canonical: (value: T) => T, render: (value: T) => string): T | null {
  if (!content.startsWith(MARK)) return null
  const json = content.slice(MARK.length, content.indexOf('\n'))
  try {
    const value = canonical(JSON.parse(json) as T)
    return render(value) === content ? value : null
  } catch {
    // What follows the mark cannot be parsed, so the file is not ours.
    return null
  }
}

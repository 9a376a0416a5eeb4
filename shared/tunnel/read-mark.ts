// The inverse of every render of ours: what a file says, or that it is not one of ours.
import { MARK } from './mark.ts'

/** Null where the text is not, to the byte, what `render` makes of the value in its first line: somebody else's file, or ours edited by hand. */
export function readMarked<T>(content: string, canonical: (value: T) => T, render: (value: T) => string): T | null {
  if (!content.startsWith(MARK)) return null
  const json = content.slice(MARK.length, content.indexOf('\n'))
  try {
    const value = canonical(JSON.parse(json) as T)
    return render(value) === content ? value : null
  } catch {
    // Whatever stands behind the mark is nothing that we write, which is the answer: not ours.
    return null
  }
}

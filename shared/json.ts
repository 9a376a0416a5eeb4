// Reads JSON that another program sent.

/** Deeper than any message of the panel, and far from where code that walks a value recursively would fail. */
export const MAX_NESTING = 32

export class NestingError extends Error {
  constructor() {
    super(`The JSON is nested more than ${MAX_NESTING} levels deep`)
    this.name = 'NestingError'
  }
}

/** Throws a SyntaxError for what is not JSON, and a NestingError for what is nested too deep. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new NestingError()
  return JSON.parse(text)
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (isQuoted && character === '\\') at += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if ((character === '[' || character === '{') && ++depth > MAX_NESTING) return true
    else if (character === ']' || character === '}') depth -= 1
  }
  return false
}

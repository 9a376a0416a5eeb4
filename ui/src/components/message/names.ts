// The names in a sentence, which a line must not break at their hyphens; pure, for tests.

/**
 * The length of the longest name of an interface or a service that stays in one piece; a longer one, such as a unit's,
 * can be wider than a line of a phone.
 */
const LONGEST = 20
const HYPHENATED = /(?<![\w./-])([A-Za-z0-9_.]+(?:-[A-Za-z0-9_.]+)+)(?![\w/-])/

/** Text and names in turn, beginning with text. */
export const splitNames = (text: string): string[] => {
  const parts = ['']
  for (const [at, piece] of text.split(HYPHENATED).entries()) {
    if (at % 2 === 1 && piece.length <= LONGEST) parts.push(piece, '')
    else parts[parts.length - 1] += piece
  }
  return parts
}

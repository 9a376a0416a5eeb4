// The word that was probably meant.

/** How many letters have to be put in, taken out, exchanged or swapped with the next one. */
function distance(one: string, other: string): number {
  let [before, row] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next.push(isSwapped ? Math.min(cost, (before[j - 2] ?? 0) + 1) : cost)
    }
    ;[before, row] = [row, next]
  }
  return row[other.length] ?? 0
}

/** Null where none is near: more than a third of its letters would have to change. */
export function nearest(word: string, words: readonly string[]): string | null {
  const ranked = words.map((one) => ({ one, far: distance(word.toLowerCase(), one) })).sort((a, b) => a.far - b.far)
  const [best] = ranked
  return best && best.far <= Math.max(1, Math.ceil(best.one.length / 3)) ? best.one : null
}

/** The sentence for a word that there is not: the nearest one, or else all of them. */
export function didYouMean(word: string, words: readonly string[]): string {
  const near = nearest(word, words)
  return near === null ? `There are: ${words.join(', ')}.` : `Did you mean ${near}?`
}

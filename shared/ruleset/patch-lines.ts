// The lines of a chain that several rules share, when some of those rules change and the others must stay as they are
// found. Pure.

/**
 * A chain, or one line of it, as it is found, as the rules before the change compile to it, and as those after it do.
 */
export interface Versions<T> {
  readonly found: T
  readonly before: T
  readonly after: T
}

/**
 * What is known of a line: whether the change is about it, and whether it belongs to a rule that the change is not
 * about.
 */
export interface LineOwners {
  readonly isChanged: (line: string) => boolean
  readonly isOfOthers: (line: string) => boolean
}

/**
 * Lines of changed rules, and lines of no rule, become those of `after`. A line of another rule stays where it is found
 * and stays away where it is missing, unless the change itself alters it.
 */
export function patchLines(
  { found, before, after }: Versions<readonly string[]>,
  { isChanged, isOfOthers }: LineOwners,
): string[] {
  const lines = after.filter(
    (line) => isChanged(line) || !isOfOthers(line) || !before.includes(line) || found.includes(line),
  )
  found.forEach((line, at) => {
    const isLeftover = !after.includes(line) && !before.includes(line) && isOfOthers(line) && !isChanged(line)
    if (isLeftover) lines.splice(lastIndexOfAny(lines, found.slice(0, at)) + 1, 0, line)
  })
  return lines
}

const lastIndexOfAny = (lines: readonly string[], wanted: readonly string[]): number =>
  lines.findLastIndex((line) => wanted.includes(line))

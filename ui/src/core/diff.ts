// Line diff by longest common subsequence.
export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

export const diffLines = (before: string, after: string): DiffLine[] => {
  const [old, now] = [linesOf(before), linesOf(after)]
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--)
      (common[i] as Uint32Array)[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  }
  const lines: DiffLine[] = []
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i++] ?? '' })
      j++
    } else if (i < old.length && (j >= now.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push({ kind: 'gone', text: old[i++] ?? '' })
    else lines.push({ kind: 'new', text: now[j++] ?? '' })
  }
  return lines
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** Lines that are shown, or those between that are not worth it. */
export interface DiffPart {
  readonly isFolded: boolean
  readonly lines: readonly DiffLine[]
}

/** The changed lines with some around them; the rest is folded. */
export const foldDiff = (lines: readonly DiffLine[], around = 2): DiffPart[] => {
  const isNear = lines.map((_, at) => lines.slice(Math.max(0, at - around), at + around + 1).some(isChanged))
  const parts: { isFolded: boolean; lines: DiffLine[] }[] = []
  lines.forEach((line, at) => {
    const last = parts.at(-1)
    if (last?.isFolded === !isNear[at]) last.lines.push(line)
    else parts.push({ isFolded: !isNear[at], lines: [line] })
  })
  // A fold of one line saves nothing.
  return parts.map((part) => (part.lines.length === 1 ? { ...part, isFolded: false } : part))
}

const isChanged = ({ kind }: DiffLine): boolean => kind !== 'same'

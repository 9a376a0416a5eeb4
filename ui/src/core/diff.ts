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

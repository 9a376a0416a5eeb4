// As much of Markdown as the checks of the documents need.
export interface Heading {
  readonly title: string
  readonly rank: number
  /** Counted from 1. */
  readonly line: number
}

export function headingsIn(text: string): Heading[] {
  return blocksIn(text).flatMap(({ kind, line, lines }) => {
    const [, marks = '', title = ''] = /^(#+) (.*)$/.exec(lines[0] ?? '') ?? []
    return kind === 'heading' ? [{ title: title.trim(), rank: marks.length, line }] : []
  })
}

/** The anchor that a heading gets. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'item' | 'table' | 'code'
  /** The number of its first line, from 1. */
  readonly line: number
  readonly lines: string[]
}

/** A list item is a block of its own. */
export function blocksIn(text: string): Block[] {
  const blocks: Block[] = []
  let current = null as Block | null
  let isCode = false
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = /^\s*```/.test(line)
    if (isFence && !isCode) blocks.push((current = { kind: 'code', line: index + 1, lines: [line] }))
    else if (isCode) current?.lines.push(line)
    else if (line.trim() === '') current = null
    else if (current !== null && !startsBlock(line) && current.kind === kindOf(line, current.kind))
      current.lines.push(line)
    else blocks.push((current = { kind: kindOf(line, current?.kind), line: index + 1, lines: [line] }))
    if (isFence) isCode = !isCode
    if (isFence && !isCode) current = null
  }
  return blocks
}

const startsBlock = (line: string): boolean => /^(#+ |\s*([-*]|\d+\.) )/.test(line)

function kindOf(line: string, before: Block['kind'] | undefined): Block['kind'] {
  if (/^#+ /.test(line)) return 'heading'
  if (/^\s*\|/.test(line)) return 'table'
  if (/^\s*([-*]|\d+\.) /.test(line)) return 'item'
  return before === 'item' ? 'item' : 'paragraph'
}

/** How many lines of 120 columns a block takes at the least. */
export const heightOf = ({ lines }: Block): number =>
  Math.max(lines.length, Math.ceil(lines.reduce((sum, line) => sum + line.trim().length + 1, -1) / 120))

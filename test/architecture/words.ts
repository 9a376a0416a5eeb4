// What comments and titles are made of: a doc comment begins with its subject or a verb, and the words of a dialect that
// a reader would have to learn stand in neither (contributing.md, Style).

export interface Comment {
  /** Counted from 1. */
  readonly line: number
  readonly isDoc: boolean
  readonly text: string
}

/** A comment that begins so makes the reader guess what is spoken of. */
const WITHOUT_SUBJECT = /^(?:As|By|From|Its|Of|Such|Where|With)\b/
const DIALECT = /\b(?:anew|asked|heard|said|told)\b|\b(?:somebody|whoever)\b|\bof (?:before|others)\b/i

const BLOCK = /^[ \t]*\/\*(\*?)([^]*?)\*\//gm
const LINES = /^([ \t]*)\/\/[^\n]*(?:\n\1\/\/[^\n]*)*/gm
const BEHIND_CODE = /[^\s:'"`/][ \t]+\/\/ ([^\n]*)$/gm
const DECLARED = /\b(?:const|function|interface|let|readonly|type) (?:asked|heard|said|told)\b/gi
const TITLE = /\b(?:it|describe)\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g

/** The comments of a source in TypeScript, JavaScript, Svelte or C. */
export function commentsIn(source: string): Comment[] {
  const lineOf = (at: number): number => source.slice(0, at).split('\n').length
  const plain = (text: string): string =>
    text
      .replace(/^[ \t]*(?:\/\/|\*(?!\/))[ \t]?/gm, '')
      .replace(/\s+/g, ' ')
      .trim()
  const found = (pattern: RegExp, text: (match: RegExpExecArray) => string, isDoc = false): Comment[] =>
    [...source.matchAll(pattern)].map((match) => ({
      line: lineOf(match.index + match[0].search(/\S/)),
      isDoc: isDoc && match[1] === '*',
      text: plain(text(match)),
    }))
  return [
    ...found(BLOCK, ([, , text = '']) => text, true),
    ...found(LINES, ([text]) => text),
    ...found(BEHIND_CODE, ([, text = '']) => text),
  ]
}

export const titlesIn = (source: string): string[] =>
  [...source.matchAll(TITLE)].map(([, single, double, template]) => single ?? double ?? template ?? '')

/** Declarations whose name is a word of the dialect. */
export const declaredIn = (source: string): string[] => [...source.matchAll(DECLARED)].map(([text]) => text)

/** Why a comment has to be written again, or null. */
export function fault({ isDoc, text }: Pick<Comment, 'isDoc' | 'text'>): string | null {
  const word = DIALECT.exec(text)?.[0] ?? (isDoc ? WITHOUT_SUBJECT.exec(text)?.[0] : undefined)
  return word === undefined ? null : `"${word}" in "${text.slice(0, 100)}"`
}

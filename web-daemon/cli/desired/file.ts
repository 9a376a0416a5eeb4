// A file that says what the panel is to do, in YAML or JSON, with the place of each of its parts.
import { readFileSync } from 'node:fs'
import { isCollection, LineCounter, parseDocument, visit, type Document } from 'yaml'
import { CommandError } from '../errors.ts'

const BYTES_MAX = 4 * 1024 * 1024
const DEPTH_MAX = 32
/** An alias stands for all that it names, and aliases can name aliases. */
const ALIASES_MAX = 100

export interface DesiredFile {
  readonly content: unknown
  /** The place of a field of the request, as `site.yaml:3:5`, or of what is around it. */
  readonly placeOf: (field: string) => string
}

/** "-" is the standard input. */
export const readFile = (path: string): string => {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (failure) {
    throw new CommandError(`${path} cannot be read (${(failure as NodeJS.ErrnoException).code ?? 'unknown error'}).`)
  }
}

/** Throws for everything that is no such file, with its place. */
export function parseFile(text: string, name: string): DesiredFile {
  if (Buffer.byteLength(text) > BYTES_MAX)
    throw new CommandError(`${name} has more than ${BYTES_MAX / 1024 / 1024} MiB.`)
  const lines = new LineCounter()
  const document = parseDocument(text, { version: '1.2', lineCounter: lines, uniqueKeys: true })
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }
  const faults = [...document.errors, ...document.warnings].map(
    ({ pos: [offset], message }) =>
      `${place(offset)}: ${message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '')}`,
  )
  if (faults.length > 0) throw new CommandError(faults.join('\n'))
  visit(document, (_key, node, path) => {
    if (path.length > DEPTH_MAX && isCollection(node))
      throw new CommandError(`${name} is nested deeper than ${DEPTH_MAX}.`)
  })
  return { content: contentOf(document, name), placeOf: (field) => place(offsetOf(document, field.split('.'))) }
}

function contentOf(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX })
  } catch (failure) {
    throw new CommandError(`${name}: ${failure instanceof Error ? failure.message : String(failure)}`)
  }
}

/** Finds a key that holds a dot, as that of a setting, by the rest of the path as one. */
function offsetOf(document: Document.Parsed, path: readonly string[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parts = path.slice(0, length)
    for (const keys of [parts, [...parts.slice(0, 1), parts.slice(1).join('.')]]) {
      const node = document.getIn(
        keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key)),
        true,
      ) as { readonly range?: readonly number[] | null } | undefined
      if (node?.range) return node.range[0] ?? 0
    }
  }
  return 0
}

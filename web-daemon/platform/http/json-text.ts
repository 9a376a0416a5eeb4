// JSON that is text already, so that what is long need not become objects on its way to a client, nor one long string:
// V8 keeps those until it looks through all of its memory.

/** What JSON.stringify would make of a T, in pieces. */
export class JsonText<T> {
  declare protected readonly of: T
  readonly pieces: readonly string[]

  constructor(pieces: readonly string[]) {
    this.pieces = pieces
  }
}

const piecesOf = (body: unknown): readonly string[] => (body instanceof JsonText ? body.pieces : [JSON.stringify(body)])

/** In UTF-8. */
export function bytesOf(body: unknown): Buffer {
  const pieces = piecesOf(body)
  const bytes = Buffer.allocUnsafe(pieces.reduce((length, piece) => length + Buffer.byteLength(piece), 0))
  pieces.reduce((at, piece) => at + bytes.write(piece, at), 0)
  return bytes
}

export const jsonList = <T>(items: readonly JsonText<T>[]): JsonText<T[]> => joined('[', items.map(piecesOf), ']')

export function jsonObject<T extends object>(parts: { readonly [K in keyof T]: T[K] | JsonText<T[K]> }): JsonText<T> {
  const members = Object.entries(parts).filter(([, part]) => part !== undefined)
  return joined(
    '{',
    members.map(([name, part]) => [`${JSON.stringify(name)}:`, ...piecesOf(part)]),
    '}',
  )
}

/** `object`, which has one member at least, with more behind them. */
export const jsonWith = <T extends object, K extends keyof T>(
  object: JsonText<Omit<T, K>>,
  more: Pick<T, K>,
): JsonText<T> => {
  const last = object.pieces.at(-1) ?? ''
  return new JsonText([...object.pieces.slice(0, -1), last.slice(0, -1), `,${JSON.stringify(more).slice(1)}`])
}

function joined<T>(begin: string, parts: readonly (readonly string[])[], end: string): JsonText<T> {
  const pieces = [begin]
  for (const [at, part] of parts.entries()) {
    if (at > 0) pieces.push(',')
    for (const piece of part) pieces.push(piece)
  }
  pieces.push(end)
  return new JsonText(pieces)
}

// One JSON value per line, at most 4 MiB: bytes are split before they are decoded, so a character cut in two by a
// packet survives.
export const MAX_LINE_BYTES = 4 * 1024 * 1024

const NEWLINE = 0x0a

export class LineTooLongError extends Error {
  /** What came first of the line. */
  readonly beginning: Uint8Array

  constructor(beginning: Uint8Array) {
    super(`A line is longer than ${MAX_LINE_BYTES} bytes`)
    this.name = 'LineTooLongError'
    this.beginning = beginning
  }
}

/** Gather chunks of a stream into whole lines, without their newline. */
export class LineSplitter {
  #chunks: Uint8Array[] = []
  #length = 0

  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end))
      lines.push(this.#take())
      start = end + 1
    }
    this.#keep(chunk.subarray(start))
    return lines
  }

  #keep(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length > MAX_LINE_BYTES) throw new LineTooLongError(this.#chunks[0] ?? part)
    if (part.length > 0) this.#chunks.push(part)
  }

  #take(): Uint8Array {
    const line = new Uint8Array(this.#length)
    let at = 0
    for (const part of this.#chunks) {
      line.set(part, at)
      at += part.length
    }
    this.#chunks = []
    this.#length = 0
    return line
  }
}

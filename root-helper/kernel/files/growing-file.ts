// A file of the state folder that is written whole now and then, and has lines appended in between: a line is on the
// disk in half the time of a file that takes another's place.
import type { StateFolder } from './state-folder.ts'

export interface GrowingFile {
  /** The whole file, in the place of what it was. */
  write(text: string): Promise<void>
  /** False where it is time to write the whole file instead, and nothing was appended. */
  append(line: string): Promise<boolean>
  remove(): Promise<void>
}

/** `roomBehind`: how many characters of lines may follow a text of this length. */
export function growingFile(folder: StateFolder, name: string, roomBehind: (length: number) => number): GrowingFile {
  /** None behind what another process wrote, or what may have been cut short: nothing is appended to that. */
  let room = 0
  return {
    async write(text) {
      room = 0
      await folder.write(name, text)
      room = roomBehind(text.length)
    },
    async append(line) {
      const text = `\n${line}\n`
      const left = room - text.length
      if (left < 0) return false
      room = 0
      await folder.append(name, text)
      room = left
      return true
    },
    async remove() {
      room = 0
      await folder.remove(name)
    },
  }
}

/** What was written whole, and the lines behind it; one that was cut short, as by a power cut, is as never written. */
export function grownParts(text: string): { readonly whole: string; readonly lines: readonly string[] } {
  const [whole = '', ...lines] = text.split('\n')
  return { whole, lines: lines.slice(0, -1).filter((line) => line !== '') }
}

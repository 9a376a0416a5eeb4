// Starts nft: text that root rendered goes in on stdin, JSON comes out. None of the text comes from the socket.
import { KernelError, unlessAbsent } from '../../kernel-error.ts'
import { oneLine } from '../../text.ts'
import { cutShort, readAgain, runProgram } from '../program/program.ts'

const ERRNO: readonly [RegExp, string][] = [
  [/Operation not permitted|you must be root/, 'EPERM'],
  [/No such file or directory/, 'ENOENT'],
  [/File exists/, 'EEXIST'],
  [/Operation not supported|not supported/, 'EOPNOTSUPP'],
]

export class Nft {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** One transaction: all of the text or none of it. */
  async submit(text: string): Promise<void> {
    await this.#run(['-f', '-'], text)
  }

  /** Looked at as a whole and thrown away. */
  async check(text: string): Promise<void> {
    await readAgain(() => this.#run(['-c', '-f', '-'], text))
  }

  /** Null where the object does not exist. */
  list = (command: string): Promise<string | null> => this.#list('-j', command)

  /** The text that a person reads, each object with its number, which JSON gives too. */
  text = (command: string): Promise<string | null> => this.#list('-a', command)

  #list(form: '-j' | '-a', command: string): Promise<string | null> {
    return unlessAbsent(
      readAgain(async () => {
        const listed = await this.#run([form, command], '')
        // Both forms are blocks, and JSON is one even where there is nothing to list.
        if (!listed.trimEnd().endsWith('}')) throw cutShort(this.#path)
        return listed
      }),
    )
  }

  readonly #run = (args: readonly string[], input: string): Promise<string> =>
    runProgram(this.#path, args, input, refusal)
}

/** nft quotes the line at fault, which explains more than the error alone. */
function refusal(stderr: string, status: number): KernelError {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const code = ERRNO.find(([pattern]) => pattern.test(stderr))?.[1] ?? 'EINVAL'
  const first = lines.findIndex((line) => line.includes('Error:'))
  const [what = `nft ended with ${status}`, quoted = ''] = lines.slice(Math.max(first, 0))
  return new KernelError(
    code,
    oneLine(`nft: ${what.slice(0, 300)}${quoted ? ` in "${quoted.trim().slice(0, 300)}"` : ''}`),
  )
}

// Reads a new password: twice from a terminal without echo, or the first line of standard input.
import type { ReadStream } from 'node:tty'
import { CommandError } from './errors.ts'

/** A longer line is not a password. */
const MAX_CHARACTERS = 4096

type Terminal = NodeJS.ReadableStream & Pick<ReadStream, 'setRawMode'>
export type Input = NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>
export type Print = (text: string) => unknown

const isTerminal = (input: Input): input is Terminal & Input => input.isTTY === true && input.setRawMode !== undefined

export async function readNewPassword(input: Input, print: Print, check: (password: string) => void): Promise<string> {
  return (await readPasswordAndAnswer(input, print, check, null)).password
}

/**
 * Reads a password and the answer to `question`, which comes after it; on standard input the answer is the second line,
 * and may be missing.
 */
export async function readPasswordAndAnswer(
  input: Input,
  print: Print,
  check: (password: string) => void,
  question: string | null,
): Promise<{ password: string; answer: string }> {
  const reader = new LineReader(input)
  try {
    if (!isTerminal(input)) {
      const password = await reader.line()
      check(password)
      return { password, answer: question === null ? '' : await reader.lineOrNothing() }
    }
    return await withoutEcho(input, async () => {
      const password = await promptTwice(reader, print, check)
      return { password, answer: question === null ? '' : await prompt(reader, print, question) }
    })
  } finally {
    reader.close()
  }
}

async function promptTwice(reader: LineReader, print: Print, check: (password: string) => void): Promise<string> {
  const first = await prompt(reader, print, 'New password: ')
  check(first)
  if ((await prompt(reader, print, 'Repeat the password: ')) !== first)
    throw new CommandError('The passwords differ. Nothing was changed.')
  return first
}

async function prompt(reader: LineReader, print: Print, question: string): Promise<string> {
  print(question)
  const line = await reader.line()
  print('\n')
  return line
}

/** Raw mode switches the echo off and passes keys such as Ctrl-C on to the reader. */
async function withoutEcho<T>(terminal: Terminal, work: () => Promise<T>): Promise<T> {
  terminal.setRawMode(true)
  try {
    return await work()
  } finally {
    terminal.setRawMode(false)
  }
}

const [CTRL_C, CTRL_D, BACKSPACE, DELETE, CTRL_U] = ['\u0003', '\u0004', '\b', '\u007f', '\u0015']

/** Reads line by line. Input after a line is kept for the next one, so that both can be pasted at once. */
class LineReader {
  readonly #input: Input
  readonly #characters: AsyncIterator<string>

  constructor(input: Input) {
    this.#input = input
    this.#characters = readCharacters(input)
  }

  async line(): Promise<string> {
    const line: string[] = []
    for (;;) {
      const { value: character, done } = await this.#characters.next()
      if (done === true) return lastLine(line, 'No password was given. Nothing was changed.')
      if (character === '\r' || character === '\n') return line.join('')
      if (isTerminal(this.#input)) edit(line, character)
      else line.push(character)
      if (line.length > MAX_CHARACTERS) throw new CommandError('The password is too long. Nothing was changed.')
    }
  }

  /** "" at the end of the input. */
  async lineOrNothing(): Promise<string> {
    const line: string[] = []
    for (;;) {
      const { value: character, done } = await this.#characters.next()
      if (done === true || character === '\n' || line.length > MAX_CHARACTERS) return line.join('').trim()
      line.push(character)
    }
  }

  close(): void {
    this.#input.pause()
  }
}

function edit(line: string[], character: string): void {
  if (character === CTRL_C || (character === CTRL_D && line.length === 0))
    throw new CommandError('Cancelled. Nothing was changed.')
  if (character === BACKSPACE || character === DELETE) line.pop()
  else if (character === CTRL_U) line.length = 0
  else if (character >= ' ') line.push(character)
}

/** The last line may lack its line end; no input at all is an error. */
function lastLine(line: readonly string[], otherwise: string): string {
  if (line.length === 0) throw new CommandError(otherwise)
  return line.join('')
}

async function* readCharacters(input: Input): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of input) yield* typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
}

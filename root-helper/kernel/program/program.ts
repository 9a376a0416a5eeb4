// Starts a program with fixed arguments; text that root rendered goes in, and its output comes back.
import { message } from '@panel/shared/messages/message.ts'
import { spawn } from 'node:child_process'
import { KernelError } from '../../kernel-error.ts'

/** A program that takes longer is killed; the largest ruleset takes a tenth of it on a slow machine. */
const ENDS_WITHIN_MS = 120_000

/** The code of a program that was not started, crashed or was killed: it has given no answer about the kernel. */
const CRASHED = 'EIO'

/** The exit codes from here on are those of the loader, of a shell and of signals, and not a program's own. */
const EXIT_OF_OTHERS = 126

/**
 * Resolves with stdout if the exit code is 0, and rejects with what `refusal` makes of stderr and the exit code. A
 * program that crashed is a KernelError by itself, so that no word of its loader is mistaken for an answer.
 */
export function runProgram(
  path: string,
  args: readonly string[],
  input: string,
  refusal: (stderr: string, status: number) => KernelError,
  endsWithin_ms = ENDS_WITHIN_MS,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: endsWithin_ms, killSignal: 'SIGKILL' } as const
    const child = spawn(path, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { LC_ALL: 'C' }, ...limits })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', (error) =>
      reject(new KernelError(CRASHED, message('root.not_started', { file: path, error: error.message }).message)),
    )
    child.on('close', (status, signal) => {
      const stderr = Buffer.concat(err).toString()
      if (status === 0) resolve(Buffer.concat(out).toString())
      else if (status === null || status < 0 || status >= EXIT_OF_OTHERS)
        reject(crash(path, signal ?? status ?? '', stderr))
      else reject(refusal(stderr, status))
    })
    // A program that ends before it has read all of its input gives the reason on stderr.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

export const hasCrashed = (error: unknown): boolean => error instanceof KernelError && error.code === CRASHED

/** Output that a program cannot have meant, as of one that ended before it had written all. */
export const cutShort = (path: string): KernelError =>
  new KernelError(CRASHED, message('root.cut_short', { file: nameOf(path) }).message)

function crash(path: string, ending: string | number, stderr: string): KernelError {
  const [line = ''] = stderr.split('\n').filter((text) => text.trim() !== '')
  const why = line === '' ? `${ending}` : `${ending}: ${printable(line)}`
  return new KernelError(CRASHED, message('root.crashed', { file: nameOf(path), why }).message)
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200)

/** Runs what changes nothing, again at once if the program crashed: nft 1.0.6 does at times over a table of another. */
export async function readAgain<T>(read: () => Promise<T>, tries = 3): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (tries === 1 || !hasCrashed(error)) throw error
    return readAgain(read, tries - 1)
  }
}

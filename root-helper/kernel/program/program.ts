// Starts a program with fixed arguments; text that root rendered goes in, and its output comes back.
import { message } from '@panel/shared/messages/message.ts'
import { spawn } from 'node:child_process'
import { KernelError } from '../../kernel-error.ts'

/** Resolves with stdout if the exit code is 0, and rejects with what `refusal` makes of stderr and the exit code. */
export function runProgram(
  path: string,
  args: readonly string[],
  input: string,
  refusal: (stderr: string, status: number | null) => KernelError,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { LC_ALL: 'C' } })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        new KernelError(error.code ?? 'EIO', message('root.not_started', { file: path, error: error.message }).message),
      ),
    )
    child.on('close', (status) => {
      if (status === 0) resolve(Buffer.concat(out).toString())
      else reject(refusal(Buffer.concat(err).toString(), status))
    })
    // A program that ends before it has read all of its input gives the reason on stderr.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

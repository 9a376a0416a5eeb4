// Starts a program with fixed arguments; text that root rendered itself goes in, and what it says comes out.
import { spawn } from 'node:child_process'
import { KernelError } from '../../kernel-error.ts'

/** Ends with an exit code of 0 or with what `refusal` makes of another and of what the program complained of. */
export function runProgram(
  path: string,
  args: readonly string[],
  input: string,
  refusal: (said: string, status: number | null) => KernelError,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { LC_ALL: 'C' } })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(new KernelError(error.code ?? 'EIO', `${path} cannot be started: ${error.message}`)),
    )
    child.on('close', (status) => {
      if (status === 0) resolve(Buffer.concat(out).toString())
      else reject(refusal(Buffer.concat(err).toString(), status))
    })
    // One that ends before it has read everything says why on stderr.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

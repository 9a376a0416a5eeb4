// Every program that a process and its children start, with its arguments and its environment, as strace sees the call
// that starts it: none is too short-lived for that.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const LONGEST = 1 << 20
const CALL = /^\d+ +execve\("(?:[^"\\]|\\.)*", (\[.*\]), (\[.*\])(?:\)| <unfinished)/

export interface Program {
  readonly arguments: string
  readonly environment: string
}

export class ProgramTrace {
  readonly #file: string
  readonly #strace: ChildProcess

  /** Once it sees what `pid` starts. */
  static async start(pid: number, file: string): Promise<ProgramTrace> {
    const calls = ['-e', 'trace=execve', '-e', 'signal=none', '-v', '-s', `${LONGEST}`]
    const strace = spawn('strace', ['-f', ...calls, '-o', file, '-p', `${pid}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    await new Promise<void>((resolve, reject) => {
      strace.once('error', reject).once('exit', () => reject(new Error(`strace ended: ${output}`)))
      strace.stderr.on('data', (chunk) => {
        output += String(chunk)
        if (output.includes(' attached')) resolve()
      })
    })
    return new ProgramTrace(file, strace)
  }

  private constructor(file: string, strace: ChildProcess) {
    this.#file = file
    this.#strace = strace
  }

  /** Ends it; what it has seen is in the file. */
  async stop(): Promise<readonly Program[]> {
    const ended = once(this.#strace, 'exit')
    this.#strace.kill('SIGINT')
    await ended
    return readFileSync(this.#file, 'utf8').split('\n').flatMap(programIn)
  }
}

function programIn(line: string): Program[] {
  if (!line.includes(' execve("')) return []
  const [, given, environment] = CALL.exec(line) ?? []
  if (given === undefined || environment === undefined) throw new Error(`strace wrote what is not understood: ${line}`)
  return [{ arguments: given, environment }]
}

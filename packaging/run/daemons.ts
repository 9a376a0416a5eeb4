// Child processes that live and die together: what one of them says is shown, and when one ends, or Ctrl-C is pressed, all end.
import { spawn, type ChildProcess } from 'node:child_process'

const READY_WITHIN_MS = 30_000

export class Daemons {
  readonly #children: ChildProcess[] = []
  readonly #ended: Promise<void>
  #end: () => void = () => undefined

  constructor() {
    this.#ended = new Promise((resolve) => (this.#end = resolve))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => this.#end())
  }

  /** Resolves once `isReady` holds of what the daemon wrote so far; rejects where it ends before. */
  async start(
    name: string,
    command: string[],
    env: NodeJS.ProcessEnv,
    isReady: (output: string) => boolean,
  ): Promise<void> {
    const child = spawn(command[0] as string, command.slice(1), {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString()
      process.stdout.write(data)
    })
    child.once('error', (error) => console.error(`The ${name} daemon cannot be started: ${error.message}`))
    child.once('close', () => this.#end())
    this.#children.push(child)
    for (const deadline = Date.now() + READY_WITHIN_MS; !isReady(output); await pause(50)) {
      if (child.exitCode !== null || child.pid === undefined)
        throw new Error(`The ${name} daemon ended before it was ready; what it wrote stands above`)
      if (Date.now() > deadline) throw new Error(`The ${name} daemon was not ready within ${READY_WITHIN_MS / 1000} s`)
    }
  }

  async untilStopped(): Promise<void> {
    await this.#ended
    for (const child of this.#children) child.kill('SIGTERM')
    await Promise.all(
      this.#children.map(
        (child) => child.exitCode ?? child.signalCode ?? new Promise((resolve) => child.once('close', resolve)),
      ),
    )
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

// Child processes that live and die together: what one of them says is shown, and when one ends, or a signal asks for
// it, all end.
import { spawn, type ChildProcess } from 'node:child_process'

const READY_WITHIN_MS = 30_000

export interface Daemon {
  readonly name: string
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Whether it is, by what it wrote so far or by trying it. */
  readonly isReady: (output: string) => Promise<boolean>
}

export class Daemons {
  readonly #children = new Map<string, ChildProcess>()
  readonly #endsTogether: boolean
  readonly #ended: Promise<void>
  #end: () => void = () => undefined
  #isEnding = false

  /** Without `endsTogether` a daemon that ends by itself is waited for: the next `restart` brings it back. */
  constructor({ endsTogether = true } = {}) {
    this.#endsTogether = endsTogether
    this.#ended = new Promise((resolve) => {
      this.#end = () => {
        this.#isEnding = true
        resolve()
      }
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => this.#end())
  }

  /** Resolves once it is ready, or once all are to end; rejects where it ends before, or takes too long. */
  async start(daemon: Daemon): Promise<void> {
    const { child, output } = this.#spawn(daemon)
    const deadline = Date.now() + READY_WITHIN_MS
    for (; !this.#isEnding && !(await daemon.isReady(output())); await pause(50)) {
      if (hasEnded(child) || child.pid === undefined)
        throw new Error(`The ${daemon.name} daemon ended before it was ready; what it wrote stands above`)
      if (Date.now() > deadline)
        throw new Error(`The ${daemon.name} daemon was not ready within ${READY_WITHIN_MS / 1000} s`)
    }
  }

  /** The one of this name, ended and started again. */
  async restart(daemon: Daemon): Promise<void> {
    const child = this.#children.get(daemon.name)
    this.#children.delete(daemon.name)
    if (child) await end(child)
    if (!this.#isEnding) await this.start(daemon)
  }

  /** Resolves when all have ended. */
  async untilStopped(): Promise<void> {
    await this.#ended
    await Promise.all([...this.#children.values()].map(end))
  }

  // A process that is killed ends nothing in order, so the kernel ends the daemons when this one is gone. Ctrl-C goes
  // to a whole process group:
  // in groups of their own the daemons hear of it here alone, once.
  #spawn({ name, command, env }: Daemon): { child: ChildProcess; output: () => string } {
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...command], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    let output = ''
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString()
      process.stdout.write(data)
    })
    child.once('error', (error) => console.error(`The ${name} daemon cannot be started: ${error.message}`))
    child.once('close', () => {
      if (this.#endsTogether && this.#children.get(name) === child) this.#end()
    })
    this.#children.set(name, child)
    return { child, output: () => output }
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve))
  if (hasEnded(child)) return
  child.kill('SIGTERM')
  await ended
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

// A network of its own for programs of this host, and what /sys tells of it. It is held by a process that ends with
// this one, so it cannot outlive the bench.
import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

const STOP_MS = 5000

export class Namespace {
  readonly #holder: ChildProcessByStdio<Writable, Readable, null>
  readonly #daemons: ChildProcess[] = []
  #isOpen = true

  private constructor(holder: ChildProcessByStdio<Writable, Readable, null>) {
    this.#holder = holder
  }

  static async open(): Promise<Namespace> {
    const holder = spawn(
      'unshare',
      ['--net', '--mount', 'sh', '-c', 'mount -t sysfs sysfs /sys && echo held && exec cat'],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    await Promise.race([
      once(holder.stdout, 'data'),
      once(holder, 'exit').then(() => Promise.reject(new Error('No network namespace can be made here'))),
    ])
    return new Namespace(holder)
  }

  /** What a link that is to be in it is given to. */
  get pid(): number {
    return this.#holder.pid ?? 0
  }

  /** The words that run a command in it. */
  inside(command: readonly string[]): [string, string[]] {
    return ['nsenter', [`--net=/proc/${this.pid}/ns/net`, `--mount=/proc/${this.pid}/ns/mnt`, ...command]]
  }

  /** Runs to the end and returns stdout. */
  async run(command: readonly string[], input = ''): Promise<string> {
    const child = spawn(...this.inside(command), { stdio: ['pipe', 'pipe', 'inherit'] })
    const output: Buffer[] = []
    child.stdout.on('data', (data: Buffer) => output.push(data))
    // A command that ends before it has read everything says so by its code.
    child.stdin.on('error', () => undefined).end(input)
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`${command.slice(0, 4).join(' ')} ended with ${code}`)
    return Buffer.concat(output).toString()
  }

  /**
   * Leaves it running, but not longer than this process; resolves once it has printed `ready`. If it ends before the
   * namespace is closed, its last output is shown.
   */
  async start(command: readonly string[], env: NodeJS.ProcessEnv, ready: RegExp): Promise<void> {
    const child = spawn(...this.inside(['setpriv', '--pdeathsig', 'KILL', ...command]), {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#daemons.push(child)
    let output = ''
    await new Promise<void>((resolve, reject) => {
      const hear = (data: Buffer): void => {
        output = (output + data.toString()).slice(-10_000)
        if (ready.test(output)) resolve()
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      child.once('close', (code, signal) => {
        const end = `${command.join(' ')} ended with ${code ?? signal}: ${output}`
        if (this.#isOpen) console.error(end)
        reject(new Error(end))
      })
    })
  }

  async close(): Promise<void> {
    this.#isOpen = false
    for (const child of this.#daemons.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      child.kill('SIGTERM')
      await once(child, 'close')
      clearTimeout(late)
    }
    this.#holder.stdin.end()
  }
}

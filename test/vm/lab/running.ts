// A command that runs in the machine while the test goes on.
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, Exit } from './channel.ts'

const streams = ['stdout', 'stderr'] as const
type Name = 'HUP' | 'INT' | 'QUIT' | 'KILL' | 'TERM' | 'STOP' | 'CONT' | 'USR1' | 'USR2'

export class Running {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when all output is here; never rejects. */
  readonly exited: Promise<Exit>
  readonly #channel: Channel
  readonly #what: string
  readonly #said = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  #over = false

  constructor(what: string, channel: Channel) {
    this.#what = what
    this.#channel = channel
    this.stdout = channel.stdout
    this.stderr = channel.stderr
    for (const name of streams) channel[name].on('data', (data: Buffer) => this.#said[name].push(data))
    this.exited = this.#finish()
  }

  async #finish(): Promise<Exit> {
    const [exit] = await Promise.all([
      this.#channel.exited,
      ...streams.map((name) => once(this.#channel[name], 'close')),
    ])
    this.#over = true
    return exit
  }

  /** Everything written so far. */
  bytes(stream: 'stdout' | 'stderr'): Buffer {
    return Buffer.concat(this.#said[stream])
  }

  text(stream: 'stdout' | 'stderr'): string {
    return this.bytes(stream).toString()
  }

  /** Waits until all of stdout or of stderr matches; throws with the output so far if it does not in time. */
  async says(pattern: RegExp, withinMs = 600_000): Promise<RegExpExecArray> {
    for (const deadline = Date.now() + withinMs; ; await sleep(20)) {
      const over = this.#over // looked at before the text, which may have grown since
      const match = pattern.exec(this.text('stdout')) ?? pattern.exec(this.text('stderr'))
      if (match) return match
      if (over || Date.now() > deadline)
        throw new Error(
          `${this.#what} ${over ? 'ended' : 'runs'} and did not say ${String(pattern)}:\n${this.text('stdout')}${this.text('stderr')}`,
        )
    }
  }

  /** Writes to stdin; resolves when it can take more. */
  write(data: string | Uint8Array): Promise<void> {
    return this.#channel.write(data)
  }

  endStdin(): void {
    this.#channel.endStdin()
  }

  /**
   * Signals the command and all of its process group, `kill('KILL')`; a command started with `setsid` is out of reach.
   */
  kill(signal: Name = 'TERM'): void {
    this.#channel.kill(`SIG${signal}`)
  }

  /** Hangs up: what still runs is killed and its output is lost. */
  abandon(): void {
    this.#channel.abandon()
  }
}

// The host's end of the command channel: one connection, one command in the machine, any number at the same time.
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { PassThrough } from 'node:stream'
import { drained, frame, frames, kinds } from './guest/usr/lib/lab/frames.mjs'

/** The agent's port on the machine's control card. */
export const agentPort = 7

/** The agent puts a frame together before it uses it, so that large ones cost it dearly. */
const frameBytes = 65_536

export interface Request {
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface Exit {
  /**
   * The exit code by a shell's rules: 128 and more for a signal, 127 if the command could not start, 255 if the machine
   * went away.
   */
  readonly code: number
  readonly signal: NodeJS.Signals | null
}

export class Channel {
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  /** Never rejects: a lost machine is exit code 255 with a line on stderr, as with ssh. */
  readonly exited: Promise<Exit>
  readonly #socket: Socket

  constructor(socket: Socket, request: Request) {
    this.#socket = socket
    this.#socket.write(frame(kinds.request, JSON.stringify(request)))
    this.exited = this.#listen()
      .catch((error: unknown) => this.#lost(error))
      .finally(() => this.#close())
  }

  /** Resolves when the channel can take more. */
  async write(data: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(data)
    for (let start = 0; start < bytes.length; start += frameBytes) {
      const part = frame(kinds.stdin, bytes.subarray(start, start + frameBytes))
      if (!this.#socket.write(part)) await drained(this.#socket)
    }
  }

  endStdin(): void {
    this.#socket.write(frame(kinds.endOfStdin))
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#socket.destroyed) this.#socket.write(frame(kinds.signal, signal))
  }

  /** Hangs up; the agent kills what still runs. */
  abandon(): void {
    this.#socket.destroy()
  }

  // What nobody reads stays in memory: the machine is slower than the host and the commands are a test's.
  async #listen(): Promise<Exit> {
    for await (const { kind, payload } of frames(this.#socket)) {
      if (kind === kinds.stdout) this.stdout.write(payload)
      if (kind === kinds.stderr) this.stderr.write(payload)
      if (kind === kinds.exit) return exitOf(JSON.parse(payload.toString()) as Ended)
      if (kind === kinds.failure) return this.#fail(127, payload.toString())
    }
    return this.#fail(255, 'the machine ended the connection')
  }

  #lost(error: unknown): Exit {
    return this.#fail(255, `the connection to the machine is lost: ${String(error)}`)
  }

  #fail(code: number, why: string): Exit {
    this.stderr.write(`lab: ${why}\n`)
    return { code, signal: null }
  }

  #close(): void {
    this.stdout.end()
    this.stderr.end()
    this.#socket.destroy()
  }
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

function exitOf({ code, signal }: Ended): Exit {
  return { code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal }
}

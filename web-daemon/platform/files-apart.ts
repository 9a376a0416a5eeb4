// File operations in a process of its own (native/apart.c), for a file system that may never answer, as a share whose
// server is gone. In this process each such call would hold a thread of the pool that sign-in and files need too, and
// the end of the daemon. A call that takes too long is left behind with its process: one of them at most.
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getSystemErrorName } from 'node:util'
import { service } from './native/index.ts'

export interface ApartClock {
  /** Returns the function that cancels it. */
  readonly after: (ms: number, work: () => void) => () => void
}

const systemClock: ApartClock = {
  after: (ms, work) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}

/** A server that starts again takes less, and a browser waits longer. */
const ANSWER_WITHIN_MS = 20_000
/** A call that a kill can end, ends at once. */
const ENDS_WITHIN_MS = 1000
const STOP_WITHIN_MS = 5000

/** The numbers of apart.c. */
const OPERATION = { names: 1, facts: 2, makeDirectory: 3, writeNew: 4, rename: 5, remove: 6, sync: 7 } as const
const HEADER_BYTES = 8

/** `code` is the errno's name; ETIMEDOUT if the file system did not answer in time, HANGING if it still does not. */
export class ApartError extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

interface Facts {
  readonly device: bigint
  readonly size: bigint
}

interface Waiting {
  readonly resolve: (bytes: Buffer) => void
  readonly reject: (failure: Error) => void
}

/** One process: a request after the other, each of which rejects with an ApartError. */
export class Files {
  readonly pid: number
  readonly #socket: Socket
  readonly #clock: ApartClock
  #received = Buffer.alloc(0)
  #waiting: Waiting | null = null
  #failure: ApartError | null = null

  constructor(clock: ApartClock) {
    const [pid, fd] = service.forkFiles()
    this.pid = pid
    this.#clock = clock
    this.#socket = new Socket({ fd, readable: true, writable: true })
    this.#socket.on('data', (bytes) => this.#receive(bytes))
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#fail('ECONNRESET'))
  }

  /** Names in the directory that begin with `start`. */
  async names(path: string, start: string): Promise<string[]> {
    const bytes = await this.#request('names', path, start)
    return bytes.toString().split('\0').slice(0, -1)
  }

  async facts(path: string): Promise<Facts> {
    const bytes = await this.#request('facts', path)
    return { device: bytes.readBigUInt64LE(0), size: bytes.readBigUInt64LE(8) }
  }

  /** For its owner alone. */
  async makeDirectory(path: string): Promise<void> {
    await this.#request('makeDirectory', path)
  }

  /** Writes and syncs a file for its owner alone, that is not there yet. */
  async writeNew(path: string, text: string): Promise<void> {
    await this.#request('writeNew', path, text)
  }

  async rename(path: string, to: string): Promise<void> {
    await this.#request('rename', path, to)
  }

  async remove(path: string): Promise<void> {
    await this.#request('remove', path)
  }

  async sync(directory: string): Promise<void> {
    await this.#request('sync', directory)
  }

  end(): void {
    this.#socket.destroy()
  }

  /** Kills the process without waiting for its end, which a call that hangs in the kernel can hold up for ever. */
  leave(): void {
    process.kill(this.pid, 'SIGKILL')
    this.#fail('ETIMEDOUT')
    this.end()
  }

  async #request(operation: keyof typeof OPERATION, path: string, data = ''): Promise<Buffer> {
    if (this.#failure) throw this.#failure
    const [bytes, more] = [Buffer.from(path), Buffer.from(data)]
    const header = Buffer.from(Uint32Array.of(OPERATION[operation], bytes.length, more.length).buffer)
    const answer = new Promise<Buffer>((resolve, reject) => (this.#waiting = { resolve, reject }))
    this.#socket.write(Buffer.concat([header, bytes, more]))
    const cancel = this.#clock.after(ANSWER_WITHIN_MS, () => this.leave())
    return answer.finally(cancel)
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes])
    if (this.#received.length < HEADER_BYTES) return
    const [error, end] = [this.#received.readUInt32LE(0), HEADER_BYTES + this.#received.readUInt32LE(4)]
    if (this.#received.length < end) return
    const answer = this.#received.subarray(HEADER_BYTES, end)
    this.#received = this.#received.subarray(end)
    const waiting = this.#waiting
    this.#waiting = null
    if (error === 0) waiting?.resolve(answer)
    else waiting?.reject(new ApartError(getSystemErrorName(-error)))
  }

  #fail(code: string): void {
    this.#failure ??= new ApartError(code)
    this.#waiting?.reject(this.#failure)
    this.#waiting = null
  }
}

export class FilesApart {
  readonly #clock: ApartClock
  #turn: Promise<unknown> = Promise.resolve()
  #files: Files | null = null
  /** Settles when the last process is over. */
  #over: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(clock: ApartClock = systemClock) {
    this.#clock = clock
  }

  /** Does some work in a process of its own, one after the other. */
  run<T>(work: (files: Files) => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => this.#run(work))
    this.#turn = done.catch(() => undefined)
    return done
  }

  /** Ends within seconds, whatever hangs; later work is refused. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const cancel = this.#clock.after(STOP_WITHIN_MS, () => this.#files?.leave())
    await this.#turn
    cancel()
  }

  /** Rejects if the time passes first. */
  within<T>(ms: number, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(ms, () => reject(new ApartError('ETIMEDOUT')))
      work.then(resolve, reject).finally(cancel)
    })
  }

  async #run<T>(work: (files: Files) => Promise<T>): Promise<T> {
    if (this.#isStopped) throw new ApartError('ECANCELED')
    await this.within(ENDS_WITHIN_MS, this.#over).catch(() => {
      throw new ApartError('HANGING')
    })
    const files = new Files(this.#clock)
    this.#files = files
    try {
      return await work(files)
    } finally {
      files.end()
      this.#files = null
      this.#over = ended(files.pid)
    }
  }
}

const LOOK_AFTER_MS = [1, 2, 5, 10, 50, 200]

/** Nothing announces the end of a process that was forked. */
async function ended(pid: number): Promise<void> {
  for (let look = 0; !service.reap(pid); look += 1)
    await sleep(LOOK_AFTER_MS[look] ?? LOOK_AFTER_MS.at(-1), undefined, { ref: false })
}

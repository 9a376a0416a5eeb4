// One connection to the root helper's socket: sends and receives whole lines, and reconnects when needed.
import { connect, type Socket } from 'node:net'
import { LineSplitter, MAX_LINE_BYTES } from '@panel/shared/rpc/framing.ts'

const CONNECT_MS = 2000
/** More than a busy panel ever has waiting; beyond it the helper is not keeping up. */
const MAX_WAITING = 1000

export interface Listener {
  readonly onLine: (line: Uint8Array) => void
  readonly onClose: (reason: string) => void
}

interface Waiting {
  readonly bytes: Buffer
  /** A request that has timed out is not sent any more: a late change would surprise the operator. */
  readonly until: number
}

export class Connection {
  readonly #path: string
  readonly #listener: Listener
  #socket: Promise<Socket> | null = null
  #open: Socket | null = null
  #isFull = false
  #waiting: Waiting[] = []

  constructor(path: string, listener: Listener) {
    this.#path = path
    this.#listener = listener
  }

  get isOpen(): boolean {
    return this.#open !== null
  }

  async send(line: string, timeoutMs: number): Promise<void> {
    const bytes = Buffer.from(`${line}\n`)
    if (bytes.length > MAX_LINE_BYTES)
      throw new Error(`A request to the root helper is longer than ${MAX_LINE_BYTES} bytes`)
    this.#socket ??= this.#connect()
    await this.#socket
    if (this.#waiting.length >= MAX_WAITING) throw new Error('The root helper is not keeping up')
    this.#waiting.push({ bytes, until: Date.now() + timeoutMs })
    this.#write()
  }

  close(reason: string): void {
    this.#open?.destroy(new Error(reason))
  }

  #connect(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#path)
      let reason = 'the root helper closed its socket'
      socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('the root helper does not accept the connection')))
      socket.on('error', (failure: NodeJS.ErrnoException) => (reason = failure.code ?? failure.message))
      socket.once('connect', () => {
        socket.setTimeout(0)
        this.#open = socket
        resolve(socket)
      })
      socket.once('close', () => {
        this.#reset()
        reject(new Error(reason))
        this.#listener.onClose(reason)
      })
      socket.on('drain', () => {
        this.#isFull = false
        this.#write()
      })
      this.#readFrom(socket)
    })
  }

  /** An exception in the handler closes the connection instead of the process. */
  #readFrom(socket: Socket): void {
    const splitter = new LineSplitter()
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const line of splitter.push(chunk)) this.#listener.onLine(line)
      } catch (failure) {
        socket.destroy(failure instanceof Error ? failure : new Error(String(failure)))
      }
    })
  }

  #write(): void {
    while (this.#open && !this.#isFull) {
      const next = this.#waiting.shift()
      if (!next) return
      if (next.until > Date.now()) this.#isFull = !this.#open.write(next.bytes)
    }
  }

  #reset(): void {
    this.#socket = null
    this.#open = null
    this.#isFull = false
    this.#waiting = []
  }
}

// The socket: one JSON value per line each way, requests of a connection answered as they finish, the far end's pace
// respected.
import { createServer, type Server, type Socket } from 'node:net'
import { LineSplitter } from '@panel/shared/rpc/framing.ts'
import { refuse, type Dispatch } from './dispatch.ts'
import { log } from './log.ts'
import { StreamSlots, Streams } from './streams.ts'

type Peer = Record<string, unknown>

const MAX_CONNECTIONS = 32
/** Unanswered requests of one connection; past it the connection is not read until some are answered. */
const MAX_PENDING = 256
/** How long a peer that has finished sending, and waits for its remaining answers, may be gone before it is noticed. */
const LISTENS_STILL_MS = 1000

interface Surroundings {
  readonly slots?: StreamSlots
  /**
   * Aborted when the helper is to stop: streams end, requests under way are finished and answered, and nothing more is
   * read.
   */
  readonly stopping?: AbortSignal
}

export function serverFor(
  dispatch: Dispatch,
  describePeer: (socket: Socket) => Peer,
  { slots: slots = new StreamSlots(), stopping }: Surroundings = {},
): Server {
  // Half-open, so that `echo … | socat - UNIX-CONNECT:…` still hears its answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new Connection(socket, dispatch, describePeer(socket), slots)
    const retire = (): void => connection.retire()
    stopping?.addEventListener('abort', retire, { once: true })
    socket.once('close', () => stopping?.removeEventListener('abort', retire))
  })
  stopping?.addEventListener('abort', () => server.close(), { once: true })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

class Connection {
  readonly #splitter = new LineSplitter()
  readonly #socket: Socket
  readonly #dispatch: Dispatch
  readonly #peer: Peer
  readonly #streams: Streams
  #keepingUp: (() => void)[] = []
  #pending = 0
  #hungUp = false
  #hasEnded = false
  #isRetired = false

  constructor(socket: Socket, dispatch: Dispatch, peer: Peer, slots: StreamSlots) {
    this.#socket = socket
    this.#dispatch = dispatch
    this.#peer = peer
    this.#streams = new Streams((text) => this.#sendItem(text), slots)
    log('info', 'connected', peer)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('end', () => {
      this.#hasEnded = true
      this.#endIfDone()
      this.#watchFarEnd()
    })
    socket.on('drain', () => this.#keepPace())
    socket.on('error', (error) => {
      // A peer that leaves after it has sent everything breaks nothing.
      if (!this.#hasEnded) log('warning', 'A connection broke', { ...peer, detail: error.message })
    })
    socket.on('close', () => {
      this.#streams.endAll()
      this.#keepPace()
      log('info', 'disconnected', peer)
    })
  }

  retire(): void {
    this.#isRetired = true
    this.#streams.endAll()
    this.#endIfDone()
  }

  #read(chunk: Uint8Array): void {
    try {
      for (const line of this.#splitter.push(chunk)) if (!this.#hungUp && !this.#isRetired) void this.#answer(line)
    } catch (error) {
      this.#hangUp(refuse((error as Error).message).text)
    }
    this.#keepPace()
  }

  async #answer(line: Uint8Array): Promise<void> {
    this.#pending += 1
    try {
      const reply = await this.#dispatch(line, this.#streams)
      if (reply.hangUp) this.#hangUp(reply.text)
      else if (this.#socket.writable) this.#socket.write(`${reply.text}\n`)
    } catch (error) {
      log('error', 'A request could not be answered', { ...this.#peer, detail: String(error) })
      this.#socket.destroy()
    } finally {
      this.#pending -= 1
      this.#keepPace()
      this.#endIfDone()
    }
  }

  /** Resolves when the far end keeps up, or is gone. */
  async #sendItem(text: string): Promise<void> {
    if (!this.#socket.writable || this.#socket.write(`${text}\n`)) return
    await new Promise<void>((resolve) => this.#keepingUp.push(resolve))
  }

  /** Once its end was read, only a write shows whether the peer is still there; an empty write is enough. */
  #watchFarEnd(): void {
    const check = (): void => {
      if (this.#socket.writable && !this.#socket.writableNeedDrain) this.#socket.write('')
    }
    check()
    const timer = setInterval(check, LISTENS_STILL_MS)
    this.#socket.once('close', () => clearInterval(timer))
  }

  #endIfDone(): void {
    if (this.#pending > 0) return
    if (this.#isRetired) this.#socket.end(() => this.#socket.destroy())
    else if (this.#hasEnded) this.#socket.end()
  }

  /** Reads, and continues streams, only while the peer takes its answers and has few requests waiting. */
  #keepPace(): void {
    if (this.#socket.destroyed || !this.#socket.writableNeedDrain) for (const goOn of this.#keepingUp.splice(0)) goOn()
    const mayRead = !this.#hungUp && this.#pending < MAX_PENDING && !this.#socket.writableNeedDrain
    if (mayRead) this.#socket.resume()
    else this.#socket.pause()
  }

  #hangUp(text: string): void {
    if (this.#hungUp) return
    this.#hungUp = true
    this.#streams.endAll()
    log('warning', 'A request was malformed; the connection is closed', { ...this.#peer, answer: text.slice(0, 500) })
    this.#socket.end(`${text}\n`, () => this.#socket.destroy())
    // The far end may not even be reading the answer.
    setTimeout(() => this.#socket.destroy(), 1000).unref()
  }
}

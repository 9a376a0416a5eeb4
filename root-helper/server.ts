// The socket: one JSON value per line each way, requests of a connection answered as they finish, the far end's pace
// respected.
import { createServer, type Server, type Socket } from 'node:net'
import { LineSplitter } from '@panel/shared/rpc/framing.ts'
import { refuse, type Dispatch } from './dispatch.ts'
import { log, logAlways } from './log.ts'
import { StreamSlots, Streams } from './streams.ts'
import { Work } from './work.ts'
import type { WriteRecord } from './write-record.ts'

type Peer = Record<string, unknown>

const MAX_CONNECTIONS = 32
/** A peer that does not take an answer keeps others from theirs. */
const ANSWER_TAKEN_WITHIN_MS = 60_000
/** How long a peer that has finished sending, and waits for its remaining answers, may be gone before it is noticed. */
const LISTENS_STILL_MS = 1000

interface Surroundings {
  readonly slots?: StreamSlots
  readonly work?: Work
  /**
   * Aborted when the helper is to stop: streams end, requests under way are finished and answered, and nothing more is
   * read.
   */
  readonly stopping?: AbortSignal
}

export function serverFor(
  dispatch: Dispatch,
  describePeer: (socket: Socket) => Peer,
  { slots = new StreamSlots(), work = new Work(), stopping }: Surroundings = {},
): Server {
  // Half-open, so that `echo … | socat - UNIX-CONNECT:…` still hears its answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new Connection(socket, { dispatch, slots, work }, describePeer(socket))
    const retire = (): void => connection.retire()
    stopping?.addEventListener('abort', retire, { once: true })
    socket.once('close', () => stopping?.removeEventListener('abort', retire))
  })
  stopping?.addEventListener('abort', () => server.close(), { once: true })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

interface Shared {
  readonly dispatch: Dispatch
  readonly slots: StreamSlots
  readonly work: Work
}

class Connection {
  readonly #splitter = new LineSplitter()
  readonly #socket: Socket
  readonly #dispatch: Dispatch
  readonly #work: Work
  readonly #peer: Peer
  readonly #streams: Streams
  /** Lines whose turn has not come. While there are any, no more are read. */
  #waiting: Uint8Array[] = []
  /** Requests of this connection that take a part of the work; a stream does so until it has begun. */
  #working = 0
  #keepingUp: (() => void)[] = []
  #pending = 0
  #hungUp = false
  #hasEnded = false
  #isRetired = false

  constructor(socket: Socket, { dispatch, slots, work }: Shared, peer: Peer) {
    this.#socket = socket
    this.#dispatch = dispatch
    this.#work = work
    this.#peer = peer
    this.#streams = new Streams((text) => this.#sendItem(text), slots)
    log('info', 'connected', peer)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('end', () => {
      this.#hasEnded = true
      this.#endIfDone()
      this.#watchFarEnd()
    })
    socket.on('drain', () => this.#takeTurn())
    socket.on('error', (error) => {
      // A peer that leaves after it has sent everything breaks nothing.
      if (!this.#hasEnded) log('warning', 'A connection broke', { ...peer, detail: error.message })
    })
    socket.on('close', () => {
      this.#streams.endAll()
      this.#waiting = []
      this.#work.leave(this.#takeTurn)
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
      this.#waiting.push(...this.#splitter.push(chunk))
    } catch (error) {
      this.#hangUp(refuse((error as Error).message).text)
    }
    this.#takeTurn()
  }

  /** Begins what may begin. */
  readonly #takeTurn = (): void => {
    for (let line = this.#waiting[0]; line && this.#mayBegin(); line = this.#waiting[0]) {
      if (!this.#work.take(line.length, this.#takeTurn)) break
      this.#waiting.shift()
      void this.#answer(line)
    }
    this.#keepPace()
  }

  #mayBegin(): boolean {
    const isOpen = !this.#hungUp && !this.#isRetired && !this.#socket.destroyed && !this.#socket.writableNeedDrain
    return isOpen && this.#working < this.#work.limits.of_connection
  }

  async #answer(line: Uint8Array): Promise<void> {
    this.#pending += 1
    const giveBack = this.#begin(line.length)
    try {
      const reply = await this.#dispatch(line, this.#streams, giveBack)
      if (reply.write) logWrite(reply.write, this.#peer)
      if (reply.hangUp) this.#hangUp(reply.text)
      else if (this.#socket.writable) await this.#send(`${reply.text}\n`)
    } catch (error) {
      log('error', 'A request could not be answered', { ...this.#peer, detail: String(error) })
      this.#socket.destroy()
    } finally {
      this.#pending -= 1
      giveBack()
      this.#endIfDone()
    }
  }

  /** Returns the function that gives its part of the work back, once. */
  #begin(bytes: number): () => void {
    this.#working += 1
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      this.#working -= 1
      this.#work.give(bytes)
      this.#takeTurn()
    }
  }

  /** Resolves when the far end has taken it, or is gone. */
  #send(text: string): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(() => this.#socket.destroy(), ANSWER_TAKEN_WITHIN_MS)
      this.#socket.write(text, () => {
        clearTimeout(late)
        resolve()
      })
    })
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
    if (this.#waiting.length > 0 && !this.#isRetired) return
    if (this.#isRetired) this.#socket.end(() => this.#socket.destroy())
    else if (this.#hasEnded) this.#socket.end()
  }

  /** Reads, and continues streams, only while the peer takes its answers and none of its requests is waiting. */
  #keepPace(): void {
    if (this.#socket.destroyed || !this.#socket.writableNeedDrain) for (const goOn of this.#keepingUp.splice(0)) goOn()
    const mayRead = this.#waiting.length === 0 && this.#mayBegin()
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

/** A change that was carried out, whichever way it went, is never left out. */
function logWrite(write: WriteRecord, peer: Peer): void {
  const line = { ...write, peer }
  if (write.outcome === 'refused') return log('warning', 'A change was refused', line)
  const isAsRequested = write.outcome === 'applied' || write.outcome === 'done'
  logAlways(isAsRequested ? 'info' : write.outcome === 'restored' ? 'warning' : 'error', 'A change', line)
}

// The socket: one JSON value per line each way, requests of a connection answered as they finish, the far end's pace respected.
import { createServer, type Server, type Socket } from 'node:net'
import { LineSplitter } from '@panel/shared/rpc/framing.ts'
import { refuse, type Reply } from './dispatch.ts'
import { log } from './log.ts'

type Dispatch = (line: Uint8Array) => Promise<Reply>
type Peer = Record<string, unknown>

const MAX_CONNECTIONS = 32
/** Unanswered requests of one connection; past it the connection is not read until some are answered. */
const MAX_PENDING = 256

export function serverFor(dispatch: Dispatch, describePeer: (socket: Socket) => Peer): Server {
  // Half-open, so that `echo … | socat - UNIX-CONNECT:…` still hears its answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => new Connection(socket, dispatch, describePeer(socket)))
  server.maxConnections = MAX_CONNECTIONS
  return server
}

class Connection {
  readonly #splitter = new LineSplitter()
  readonly #socket: Socket
  readonly #dispatch: Dispatch
  readonly #peer: Peer
  #pending = 0
  #hungUp = false
  #hasEnded = false

  constructor(socket: Socket, dispatch: Dispatch, peer: Peer) {
    this.#socket = socket
    this.#dispatch = dispatch
    this.#peer = peer
    log('info', 'connected', peer)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('end', () => {
      this.#hasEnded = true
      this.#endIfDone()
    })
    socket.on('drain', () => this.#keepPace())
    socket.on('error', (error) => log('warning', 'A connection broke', { ...peer, detail: error.message }))
    socket.on('close', () => log('info', 'disconnected', peer))
  }

  #read(chunk: Uint8Array): void {
    try {
      for (const line of this.#splitter.push(chunk)) if (!this.#hungUp) void this.#answer(line)
    } catch (error) {
      this.#hangUp(refuse((error as Error).message).text)
    }
    this.#keepPace()
  }

  async #answer(line: Uint8Array): Promise<void> {
    this.#pending += 1
    try {
      const reply = await this.#dispatch(line)
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

  #endIfDone(): void {
    if (this.#hasEnded && this.#pending === 0) this.#socket.end()
  }

  /** Reads only while the far end takes its answers and waits for few of them. */
  #keepPace(): void {
    const mayRead = !this.#hungUp && this.#pending < MAX_PENDING && !this.#socket.writableNeedDrain
    if (mayRead) this.#socket.resume()
    else this.#socket.pause()
  }

  #hangUp(text: string): void {
    if (this.#hungUp) return
    this.#hungUp = true
    log('warning', 'A request was malformed; the connection is closed', { ...this.#peer, answer: text.slice(0, 500) })
    this.#socket.end(`${text}\n`, () => this.#socket.destroy())
    // The far end may not even be reading the answer.
    setTimeout(() => this.#socket.destroy(), 1000).unref()
  }
}

// Knows which connections of a server have a request under way, so that its end waits for those and for no others.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node counts neither a TLS handshake nor a connection that has not asked anything yet; a browser keeps some of those in store. */
export class Connections {
  readonly #open = new Map<string, Socket>()
  readonly #answering = new Map<string, number>()

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket)
      this.#open.set(name, socket)
      socket.once('close', () => this.#open.delete(name))
    })
    server.prependListener('request', (req, res) => this.#follow(req, res))
  }

  #follow(req: IncomingMessage, res: ServerResponse): void {
    const name = nameOf(req.socket)
    this.#count(name, 1)
    res.once('close', () => this.#count(name, -1))
  }

  #count(name: string, change: 1 | -1): void {
    const count = (this.#answering.get(name) ?? 0) + change
    if (count > 0) this.#answering.set(name, count)
    else this.#answering.delete(name)
  }

  endIdle(): void {
    for (const [name, socket] of this.#open) if (!this.#answering.has(name)) socket.destroy()
  }

  endAll(): void {
    for (const socket of this.#open.values()) socket.destroy()
  }
}

/** A socket and the TLS in it are two objects with one far end. */
const nameOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`

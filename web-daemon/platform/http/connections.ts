// Tracks which connections have a request in progress, so that the shutdown waits for those only.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node tracks neither TLS handshakes nor connections without a request, which browsers keep in reserve. */
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

/** A TCP socket and its TLS socket are two objects with the same remote port. */
const nameOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`

// The open connections: how many there may be, and which of them have a request in progress, so that the shutdown waits
// for those only.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Request } from 'express'
import { clientNetwork, plainAddress } from '../network/client-network.ts'

/** The number of connections at each request; TLS gives a request another socket object than that of the connection. */
const connectionsMade = new WeakMap<IncomingMessage, number>()

/**
 * In milliseconds of performance.now(); null where a proxy has made the connection, which says nothing of the client's.
 */
export function connectedAt(req: Request): number | null {
  const isProxy = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean
  return isProxy(req.socket.remoteAddress ?? '', 0) ? null : (connectionsMade.get(req) ?? null)
}

/** The time at which the connection to this process was accepted. */
export function acceptedAt(req: IncomingMessage): number {
  return connectionsMade.get(req) ?? 0
}

export interface ConnectionLimits {
  readonly total: number
  readonly ofAddress: (address: string) => number
}

/** Node tracks neither TLS handshakes nor connections without a request, which browsers keep in reserve. */
export class Connections {
  /** The one that has been idle for longest comes first. */
  readonly #open = new Map<string, Socket>()
  readonly #made = new Map<string, number>()
  readonly #answering = new Map<string, number>()
  readonly #ofClient = new Map<string, number>()
  readonly #limits: ConnectionLimits

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits
    server.on('connection', (socket: Socket) => this.#admit(socket))
    server.prependListener('request', (req, res) => this.#follow(req, res))
  }

  /**
   * Admits a connection. If there are too many in all, it takes the place of the one that has been idle for longest: a
   * client that only holds connections open shuts no other out.
   */
  #admit(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '')
    const client = clientNetwork(address)
    if ((this.#ofClient.get(client) ?? 0) >= this.#limits.ofAddress(address)) return void socket.destroy()
    if (this.#open.size >= this.#limits.total && !this.#endLongestIdle()) return void socket.destroy()
    const name = socketName(socket)
    this.#open.set(name, socket)
    this.#made.set(name, performance.now())
    count(this.#ofClient, client, 1)
    socket.once('close', () => {
      if (this.#open.get(name) === socket) this.#open.delete(name)
      this.#made.delete(name)
      count(this.#ofClient, client, -1)
    })
  }

  #endLongestIdle(): boolean {
    for (const [name, socket] of this.#open) {
      if (this.#answering.has(name)) continue
      // It closes in a later turn, and until then must not count.
      this.#open.delete(name)
      socket.destroy()
      return true
    }
    return false
  }

  #follow(req: IncomingMessage, res: ServerResponse): void {
    const name = socketName(req.socket)
    connectionsMade.set(req, this.#made.get(name) ?? 0)
    count(this.#answering, name, 1)
    res.once('close', () => {
      count(this.#answering, name, -1)
      const socket = this.#open.get(name)
      if (socket && this.#open.delete(name)) this.#open.set(name, socket)
    })
  }

  endIdle(): void {
    for (const [name, socket] of this.#open) if (!this.#answering.has(name)) socket.destroy()
  }

  endAll(): void {
    for (const socket of this.#open.values()) socket.destroy()
  }
}

const count = (counts: Map<string, number>, key: string, change: 1 | -1): void => {
  const now = (counts.get(key) ?? 0) + change
  if (now > 0) counts.set(key, now)
  else counts.delete(key)
}

/** A TCP socket and its TLS socket are two objects with the same remote port. */
const socketName = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`

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

interface Connection {
  readonly socket: Socket
  /** The address or network that the limit counts it for. */
  readonly client: string
  /** When it was accepted. */
  readonly made: number
  /** Requests in progress, streams among them. */
  answering: number
}

/** Node tracks neither TLS handshakes nor connections without a request, which browsers keep in reserve. */
export class Connections {
  /** Connections under the names of their sockets. The one that has been idle for longest comes first. */
  readonly #open = new Map<string, Connection>()
  readonly #ofClient = new Map<string, number>()
  readonly #limits: ConnectionLimits

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits
    server.on('connection', (socket: Socket) => this.#admit(socket))
    server.prependListener('request', (req, res) => this.#follow(req, res))
  }

  /**
   * Admits a connection. If there are too many of its client, or in all, it takes the place of the one of these that has
   * been idle for longest: a client that only holds connections open shuts out no other, not even at its own address.
   */
  #admit(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '')
    const client = clientNetwork(address)
    const isFull = (this.#ofClient.get(client) ?? 0) >= this.#limits.ofAddress(address)
    if (isFull && !this.#endLongestIdle(client)) return void socket.destroy()
    if (this.#open.size >= this.#limits.total && !this.#endLongestIdle()) return void socket.destroy()
    const name = socketName(socket)
    // The kernel gives a port again before node has seen that the connection from it was reset.
    this.#forget(name)
    const connection = { socket, client, made: performance.now(), answering: 0 }
    this.#open.set(name, connection)
    count(this.#ofClient, client, 1)
    socket.once('close', () => {
      if (this.#open.get(name) === connection) this.#forget(name)
    })
  }

  /** Returns false if every connection, or every one of the client, is answering. */
  #endLongestIdle(client?: string): boolean {
    for (const [name, connection] of this.#open) {
      if (connection.answering > 0 || (client !== undefined && connection.client !== client)) continue
      // It closes in a later turn, and until then must not count.
      this.#forget(name)
      connection.socket.destroy()
      return true
    }
    return false
  }

  #forget(name: string): void {
    const connection = this.#open.get(name)
    if (connection && this.#open.delete(name)) count(this.#ofClient, connection.client, -1)
  }

  #follow(req: IncomingMessage, res: ServerResponse): void {
    const name = socketName(req.socket)
    const connection = this.#open.get(name)
    if (!connection) return
    connectionsMade.set(req, connection.made)
    connection.answering += 1
    res.once('close', () => {
      connection.answering -= 1
      if (this.#open.get(name) === connection && this.#open.delete(name)) this.#open.set(name, connection)
    })
  }

  endIdle(): void {
    for (const { socket, answering } of this.#open.values()) if (answering === 0) socket.destroy()
  }

  endAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy()
  }
}

const count = (counts: Map<string, number>, key: string, change: 1 | -1): void => {
  const now = (counts.get(key) ?? 0) + change
  if (now > 0) counts.set(key, now)
  else counts.delete(key)
}

/** A TCP socket and its TLS socket are two objects with the same remote port. */
const socketName = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`

// The sockets that the panel is served at: opened one beside the other while it runs, and closed each by itself.
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { CertificatePair } from '../tls/certificate.ts'
import { acceptedAt } from './connections.ts'
import { drain, listen, renew, type Listening } from './server.ts'

export interface Place {
  readonly address: string
  readonly port: number
}

export interface OpenSocket extends Place {
  readonly server: Server
}

/** How a request came in. */
export interface Way extends Place {
  /** When its connection was accepted, in milliseconds of performance.now(). */
  readonly accepted_at: number
  /** Whether its session is of an earlier connection, so that it was shown no certificate. */
  readonly is_resumed: boolean
}

export interface Served {
  readonly app: RequestListener
  /** Ends the streams of these requests: their other answers end by themselves. */
  readonly endStreams: (isOver: (req: IncomingMessage) => boolean) => void
}

export class Sockets {
  readonly #options: Omit<Listening, 'pair'>
  readonly #open = new Set<OpenSocket>()
  readonly #cameThrough = new WeakMap<IncomingMessage, OpenSocket>()
  /** When its certificate was last changed. */
  readonly #renewed = new WeakMap<OpenSocket, number>()
  readonly #closing = new Set<Promise<void>>()
  #served: Served | null = null

  constructor(options: Omit<Listening, 'pair'> = {}) {
    this.#options = options
  }

  /** Sets what is served; called once, before the first is opened. */
  serve(served: Served): void {
    this.#served = served
  }

  get all(): readonly OpenSocket[] {
    return [...this.#open]
  }

  /** Rejects with the error of the kernel, such as EADDRINUSE. */
  async open({ address, port }: Place, pair?: CertificatePair): Promise<OpenSocket> {
    const served = this.#served
    if (!served) throw new Error('Nothing is served yet')
    const app: RequestListener = (req, res) => {
      this.#cameThrough.set(req, opened)
      // So that a browser comes again with the certificate of now.
      if (acceptedAt(req) <= (this.#renewed.get(opened) ?? -1)) res.shouldKeepAlive = false
      served.app(req, res)
    }
    const server = await listen(app, address, port, { ...this.#options, ...(pair && { pair }) })
    const opened = { server, address, port: (server.address() as AddressInfo).port }
    this.#open.add(opened)
    return opened
  }

  /** What it came through may be closed by now. */
  wayOf(req: IncomingMessage): Way {
    const opened = this.#cameThrough.get(req)
    if (!opened) throw new Error('A request came through no socket of the panel')
    const { address, port } = opened
    const is_resumed = req.socket instanceof TLSSocket && req.socket.isSessionReused()
    return { address, port, accepted_at: acceptedAt(req), is_resumed }
  }

  /** Takes no more connections; resolves once what is under way has ended. */
  close(opened: OpenSocket, drainMs?: number): Promise<void> {
    this.#open.delete(opened)
    const drained = drain(opened.server, drainMs)
    this.#served?.endStreams((req) => this.#cameThrough.get(req) === opened)
    this.#closing.add(drained)
    return drained.finally(() => this.#closing.delete(drained))
  }

  async closeAll(drainMs?: number): Promise<void> {
    await Promise.all([...this.#closing, ...this.all.map((opened) => this.close(opened, drainMs))])
  }

  /** Connections that are accepted after the moment it answers, and no others, are shown this certificate. */
  renew(opened: OpenSocket, pair: CertificatePair, options?: { readonly hasTickets: boolean }): number {
    renew(opened.server, pair, options)
    const now = performance.now()
    this.#renewed.set(opened, now)
    return now
  }
}

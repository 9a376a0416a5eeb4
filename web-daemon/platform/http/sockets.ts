// The sockets that the panel is served at: opened one beside the other while it runs, and closed each by itself.
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CertificatePair } from '../tls/certificate.ts'
import { drain, listen, renew, type Listening } from './server.ts'

export interface Place {
  readonly address: string
  readonly port: number
}

export interface OpenSocket extends Place {
  readonly server: Server
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
  readonly #closing = new Set<Promise<void>>()
  #served: Served | null = null

  constructor(options: Omit<Listening, 'pair'> = {}) {
    this.#options = options
  }

  /** Said once, before the first is opened. */
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
      served.app(req, res)
    }
    const server = await listen(app, address, port, { ...this.#options, ...(pair && { pair }) })
    const opened = { server, address, port: (server.address() as AddressInfo).port }
    this.#open.add(opened)
    return opened
  }

  /** Where a request came in. It may be closed by now. */
  of(req: IncomingMessage): OpenSocket {
    const opened = this.#cameThrough.get(req)
    if (!opened) throw new Error('A request came through no socket of the panel')
    return opened
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

  renew({ server }: OpenSocket, pair: CertificatePair): void {
    renew(server, pair)
  }
}

// A connection that sends exactly the bytes that a test gives it, and keeps what comes back.
import { connect, type Socket } from 'node:net'
import { eventually } from '../../support/eventually.ts'

export class Wire {
  readonly socket: Socket
  output = ''
  #isClosed = false
  readonly closed: Promise<void>

  constructor(socket: Socket) {
    this.socket = socket
    this.closed = new Promise((resolve) =>
      socket.once('close', () => {
        this.#isClosed = true
        resolve()
      }),
    )
    socket.on('data', (chunk) => (this.output += String(chunk)))
    // A server may cut a connection in any way that it likes; that it did is in `isClosed`.
    socket.on('error', () => undefined)
  }

  /** Connected to the server whose address is `base`, from an address of this host. */
  static async to(base: string, from?: string): Promise<Wire> {
    const { hostname, port } = new URL(base)
    const wire = new Wire(connect({ port: Number(port), host: hostname, ...(from && { localAddress: from }) }))
    await new Promise<void>((resolve, reject) => wire.socket.once('connect', resolve).once('error', reject))
    return wire
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The status of each answer so far. */
  get statuses(): number[] {
    return [...this.output.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
  }

  send(text: string): this {
    this.socket.write(text, 'latin1')
    return this
  }

  async until(holds: () => boolean, what: string): Promise<void> {
    await eventually(holds, () => `${what}; what came is ${JSON.stringify(this.output.slice(0, 500))}`, { pause_ms: 5 })
  }

  answers(count: number): Promise<void> {
    return this.until(() => this.statuses.length >= count, `answer ${count}`)
  }

  end(): void {
    this.socket.destroy()
  }
}

/**
 * What the server says to these bytes until it closes the connection; the connection is closed from here where nothing
 * more comes.
 */
export const exchange = async (base: string, text: string, count = 1): Promise<Wire> => {
  const wire = await Wire.to(base)
  wire.send(text)
  await wire.until(() => wire.isClosed || wire.statuses.length >= count, 'an answer')
  wire.end()
  await wire.closed
  return wire
}

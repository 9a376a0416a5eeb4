// A way to one of the machine's ports for many connections at once. QEMU listens with a queue of one, and the kernel
// resets what does not fit, so connections go in one after the other, each when QEMU has taken the one before.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type NetConnectOpts, type Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export class Doorway {
  readonly #target: NetConnectOpts
  #turn: Promise<void> = Promise.resolve()
  #server: Server | undefined

  constructor(target: NetConnectOpts) {
    this.#target = target
  }

  /** A socket that can be written to at once and connects when its turn comes. */
  open(): Socket {
    const socket = new Socket({ allowHalfOpen: true })
    socket.setNoDelay(true).cork()
    this.#turn = this.#turn.then(() => this.#admit(socket))
    return socket
  }

  /** Listens on a port of the host's loopback for clients that do not wait for a turn; returns the port. */
  async listen(): Promise<number> {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => join(client, this.open()))
    this.#server.listen(0, '127.0.0.1').unref()
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server?.close()
  }

  // Never rejects: a failed connection reaches the holder of the socket, and the next one still gets its turn.
  async #admit(socket: Socket): Promise<void> {
    if (socket.destroyed) return
    socket.connect(this.#target).uncork()
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await Promise.race([new Promise<void>((resolve) => socket.once('connect', resolve)), closed])
    while (!socket.destroyed && (await this.#isQueued())) await sleep(1)
  }

  // The kernel shows a listening socket's queue as the part after the colon of its fifth column.
  async #isQueued(): Promise<boolean> {
    if (!('port' in this.#target)) return false
    const address = `0100007F:${this.#target.port.toString(16).toUpperCase().padStart(4, '0')}`
    const listening = new RegExp(`: ${address} 00000000:0000 0A [0-9A-F]{8}:([0-9A-F]{8})`)
    return Number.parseInt(listening.exec(await readFile('/proc/net/tcp', 'utf8'))?.[1] ?? '0', 16) > 0
  }
}

// An error at one end shows at the other end as the end of the connection, as it would without us in between.
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to)
    from.once('error', () => to.destroy())
  }
}

// All senders of echo requests share one port: each has an identifier of its own, by which answers are dispatched to
// it.
import { message } from '@panel/shared/messages/message.ts'
import { randomInt } from 'node:crypto'
import { RefusedError } from '../refused.ts'
import type { EchoPort, EchoRequest, EchoSent, Icmp, PathEnds } from '../kernel/icmp/port.ts'
import { KernelError } from '../kernel-error.ts'
import type { ReceivedIcmp } from '../kernel/icmp/port.ts'
import { HEADERS_BYTES, Meter } from './budget.ts'
import type { Clock } from './clock.ts'

const IDENTIFIERS = 0x10000

/** No errno: it is this helper that refuses. */
const overBudget = (): KernelError => new KernelError('', message('root.too_many').message)

export type OutgoingEcho = Omit<EchoRequest, 'identifier'>

export interface EchoLine {
  /** A KernelError is the kernel's refusal. */
  send(echo: OutgoingEcho): EchoSent | KernelError
  close(): void
}

interface Owner {
  readonly ends: PathEnds
  readonly receive: (received: ReceivedIcmp) => void
}

export class Echoes {
  readonly #icmp: Icmp
  readonly #clock: Clock
  readonly #meter = new Meter()
  readonly #owners = new Map<number, Owner>()
  #port: EchoPort | null = null
  #last = randomInt(IDENTIFIERS)

  constructor(icmp: Icmp, clock: Clock) {
    this.#icmp = icmp
    this.#clock = clock
  }

  open(ends: PathEnds, receive: (received: ReceivedIcmp) => void): EchoLine {
    const identifier = this.#freeIdentifier()
    this.#owners.set(identifier, { ends, receive: receive })
    let send: ((echo: EchoRequest) => EchoSent | KernelError) | null = null
    return {
      send: (echo) => {
        try {
          // A socket that is unavailable now (IPv6 in a kernel without it) is opened again with each request.
          send ??= this.#openPort().towards(ends)
        } catch (error) {
          if (error instanceof KernelError) return error
          throw error
        }
        return this.#meter.passes(this.#clock.now(), echo.packet_size + HEADERS_BYTES)
          ? send({ identifier, ...echo })
          : overBudget()
      },
      close: () => this.#close(identifier),
    }
  }

  /** Hears now what has come already. */
  drain(): void {
    this.#port?.drain()
  }

  #close(identifier: number): void {
    this.#owners.delete(identifier)
    if (this.#owners.size > 0) return
    // No request is open, so nothing that others send to this host has to be read.
    this.#port?.close()
    this.#port = null
  }

  #openPort(): EchoPort {
    this.#port ??= this.#icmp.open((received) => this.#dispatch(received))
    return this.#port
  }

  /** A host that did not see the request can at best guess its target, so at least the target must match. */
  #dispatch(received: ReceivedIcmp): void {
    const owner = this.#owners.get(received.identifier)
    if (owner && (received.is_sure || received.target_address === owner.ends.target_address)) owner.receive(received)
  }

  #freeIdentifier(): number {
    if (this.#owners.size >= IDENTIFIERS / 2) throw new RefusedError('busy', message('root.paths_full'))
    do this.#last = (this.#last + 1) % IDENTIFIERS
    while (this.#owners.has(this.#last))
    return this.#last
  }
}

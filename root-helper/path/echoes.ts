// All that send echo requests share one port of the kernel: each has an identifier of its own, by which it hears what answers it.
import { randomInt } from 'node:crypto'
import { RefusedError } from '../refused.ts'
import type { EchoPort, EchoRequest, EchoSent, Icmp, PathEnds } from '../kernel/icmp/port.ts'
import { KernelError } from '../kernel-error.ts'
import type { Heard } from '../kernel/icmp/port.ts'
import { HEADERS_BYTES, Meter } from './budget.ts'
import type { Clock } from './clock.ts'

const IDENTIFIERS = 0x10000

/** No errno: it is this helper that refuses. */
const TOO_MUCH = (): KernelError =>
  new KernelError('', 'Not sent: with all that runs it would be more than this helper sends in a second')

export type Asked = Omit<EchoRequest, 'identifier'>

export interface EchoLine {
  /** A KernelError is the kernel's refusal. */
  send(echo: Asked): EchoSent | KernelError
  close(): void
}

interface Owner {
  readonly ends: PathEnds
  readonly hear: (heard: Heard) => void
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

  open(ends: PathEnds, hear: (heard: Heard) => void): EchoLine {
    const identifier = this.#freeIdentifier()
    this.#owners.set(identifier, { ends, hear })
    let way: ((echo: EchoRequest) => EchoSent | KernelError) | null = null
    return {
      send: (echo) => {
        try {
          // What cannot be had now (IPv6 in a kernel without it) is asked for again with each request.
          way ??= this.#openPort().towards(ends)
        } catch (error) {
          if (error instanceof KernelError) return error
          throw error
        }
        return this.#meter.passes(this.#clock.now(), echo.packet_size + HEADERS_BYTES)
          ? way({ identifier, ...echo })
          : TOO_MUCH()
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
    // Nobody asks, so nothing of what others send to this host has to be read.
    this.#port?.close()
    this.#port = null
  }

  #openPort(): EchoPort {
    this.#port ??= this.#icmp.open((heard) => this.#tell(heard))
    return this.#port
  }

  /** Who did not see the request can guess at most where it went; that much must be right. */
  #tell(heard: Heard): void {
    const owner = this.#owners.get(heard.identifier)
    if (owner && (heard.is_sure || heard.target_address === owner.ends.target_address)) owner.hear(heard)
  }

  #freeIdentifier(): number {
    if (this.#owners.size >= IDENTIFIERS / 2) throw new RefusedError('busy', 'Too many paths are asked at once')
    do this.#last = (this.#last + 1) % IDENTIFIERS
    while (this.#owners.has(this.#last))
    return this.#last
  }
}

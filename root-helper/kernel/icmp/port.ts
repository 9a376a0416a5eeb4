// The interface of ICMP; one contract holds the real one and the tests' fake to it.
import type { KernelError } from '../../kernel-error.ts'
import type { ErrorKind } from './constants.ts'

export interface ReceivedIcmp {
  readonly kind: 'reply' | ErrorKind
  readonly identifier: number
  readonly sequence: number
  /**
   * Whether it carries the cookie, which only a host that saw the request can know. An error need not quote enough of
   * it, and a small request has no room for it.
   */
  readonly is_sure: boolean
  readonly from_address: string
  /** The target of the request, according to the answer. */
  readonly target_address: string
  /** Bytes of payload that a reply brings back; 0 with an error. */
  readonly packet_size: number
  /** What is left of the hop limit. */
  readonly hop_limit: number
  /** RFC 1191, RFC 4443; null where the error does not report one. */
  readonly reported_mtu: number | null
  /** "" with a reply. */
  readonly text: string
  readonly at_us: number
  readonly interface_index: number
}

/** Addresses that packets go to and leave by: canonical, of one family. "" leaves the choice to the routing table. */
export interface PathEnds {
  readonly interface_name: string
  readonly source_address: string
  readonly target_address: string
}

/** `packet_size` is of the payload; `hop_limit` 0 is the kernel's own. Identifier and sequence have 16 bits. */
export interface EchoRequest {
  readonly identifier: number
  readonly sequence: number
  readonly packet_size: number
  readonly hop_limit: number
  readonly is_dont_fragment: boolean
}

/** Microseconds since 1970. `interface_index`: the one by which the answer must come, 0 where any may bring it. */
export interface EchoSent {
  readonly at_us: number
  readonly interface_index: number
}

export interface EchoPort {
  /** Returns the function that sends, which returns a KernelError instead of EchoSent where the kernel refuses. */
  towards(ends: PathEnds): (echo: EchoRequest) => EchoSent | KernelError
  /** Hears now what has come already. */
  drain(): void
  close(): void
}

/** Echo requests and what comes back for them, be it from those of another program. */
export interface Icmp {
  /** Sockets are opened when they are needed. Sending and hearing throw nothing; opening them throws a KernelError. */
  open(receive: (received: ReceivedIcmp) => void): EchoPort
}

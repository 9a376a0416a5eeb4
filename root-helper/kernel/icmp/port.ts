// What the helper needs of ICMP; the fake of the tests is held to the same.
import type { KernelError } from '../../kernel-error.ts'
import type { ErrorKind } from './constants.ts'

export interface Heard {
  readonly kind: 'reply' | ErrorKind
  readonly identifier: number
  readonly sequence: number
  /** Whether it carries what only who saw the request can know. An error need not bring enough of it back, and a small request has no room. */
  readonly is_sure: boolean
  readonly from_address: string
  /** Where the request went to, by what the answer says. */
  readonly target_address: string
  /** Bytes of payload that a reply brings back; 0 with an error. */
  readonly packet_size: number
  /** What is left of it. */
  readonly hop_limit: number
  /** RFC 1191, RFC 4443; null where it is not told. */
  readonly reported_mtu: number | null
  /** "" with a reply. */
  readonly words: string
  readonly at_us: number
  readonly interface_index: number
}

/** Where packets go and how they leave: canonical addresses of one family. "" leaves the choice to the routing table. */
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
  /** Returns the function that sends; what it returns in the place of EchoSent is the kernel's refusal. */
  towards(ends: PathEnds): (echo: EchoRequest) => EchoSent | KernelError
  /** Hears now what has come already. */
  drain(): void
  close(): void
}

/** Echo requests and what comes back for them, be it from those of another program. */
export interface Icmp {
  /** Sockets are opened when they are needed. Sending and hearing throw nothing; opening them throws a KernelError. */
  open(hear: (heard: Heard) => void): EchoPort
}

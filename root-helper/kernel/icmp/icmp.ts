// ICMP in the network namespace of the helper: one raw socket per family, opened when there is something to send.
import { randomBytes } from 'node:crypto'
import type { EchoPort, EchoRequest, EchoSent, Icmp, PathEnds } from './port.ts'
import type { KernelError } from '../../kernel-error.ts'
import * as k from './constants.ts'
import { EchoTemplate } from './echo.ts'
import { readIcmp, type Packet } from './replies.ts'
import type { ReceivedIcmp } from './port.ts'
import { log } from '../../log.ts'
import { native, NOTES, type Channel } from '../../native/index.ts'
import { ipBytes } from '../../netlink/bytes.ts'
import { refusal, transportError } from '../../netlink/errors.ts'

const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024
/**
 * Packets that arrive within this time are read together, so that many answers take few turns of the event loop. The
 * kernel has noted when each arrived.
 */
const GATHER_MS = 20
/** Buffer of one read, which all sockets share in turn: some hundreds of packets, or three of the largest. */
const PACKET_BYTES = Buffer.alloc(256 * 1024)
const PACKET_NOTES = new Float64Array(256 * NOTES)
/** Anything beyond it waits for the next turn of the event loop. */
const ROUNDS_MAX = 16
/** A search of the path MTU uses many sizes, and each only for a while. */
const TEMPLATES_MAX = 16
const ENODEV = 19

type Native = Pick<
  typeof native,
  | 'openIcmp'
  | 'option'
  | 'optionBytes'
  | 'receiveBuffer'
  | 'interfaceIndex'
  | 'sendPacket'
  | 'receivePackets'
  | 'watch'
  | 'pause'
  | 'close'
>

export const icmpOver = (transport: Native): Icmp => ({ open: (receive) => new Port(transport, receive) })
export const kernelIcmp: Icmp = icmpOver(native)

class Port implements EchoPort {
  readonly #transport: Native
  readonly #receive: (received: ReceivedIcmp) => void
  readonly #sockets = new Map<k.Family, FamilySocket>()
  /**
   * The cookie is shared by both families: a packet that enters a tunnel over the other family comes back in an error
   * of that family.
   */
  readonly #cookie = randomBytes(k.COOKIE_BYTES)

  constructor(transport: Native, receive: (received: ReceivedIcmp) => void) {
    this.#transport = transport
    this.#receive = receive
  }

  towards(ends: PathEnds): (echo: EchoRequest) => EchoSent | KernelError {
    const target = ipBytes(ends.target_address)
    const source = ends.source_address === '' ? Buffer.alloc(0) : ipBytes(ends.source_address)
    const socket = this.#socket(target.length === 4 ? 4 : 6)
    return (echo) => socket.send(ends, target, source, echo)
  }

  drain(): void {
    for (const socket of this.#sockets.values()) socket.drain()
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close()
  }

  #socket(family: k.Family): FamilySocket {
    const socket = this.#sockets.get(family) ?? new FamilySocket(this.#transport, family, this.#cookie, this.#receive)
    this.#sockets.set(family, socket)
    return socket
  }
}

class FamilySocket {
  readonly #transport: Native
  readonly #family: k.Family
  readonly #receive: (received: ReceivedIcmp) => void
  readonly #channel: Channel
  readonly #cookie: Buffer
  readonly #templates = new Map<number, EchoTemplate>()
  #isDontFragment: boolean | null = null
  #gathering: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(transport: Native, family: k.Family, cookie: Buffer, receive: (received: ReceivedIcmp) => void) {
    this.#transport = transport
    this.#family = family
    this.#cookie = cookie
    this.#receive = receive
    try {
      this.#channel = transport.openIcmp(family)
      transport.receiveBuffer(this.#channel, RECEIVE_BUFFER_BYTES)
      if (family === 4) transport.option(this.#channel, k.SOL_RAW, k.ICMP_FILTER, ~bits(k.wantedTypes(4)))
      else transport.optionBytes(this.#channel, k.SOL_ICMPV6, k.ICMPV6_FILTER, icmpv6Filter())
    } catch (error) {
      throw transportError(`open a raw socket for ICMP of IPv${family}`, error)
    }
    this.#watch()
  }

  send(
    { interface_name, target_address }: PathEnds,
    target: Buffer,
    source: Buffer,
    echo: EchoRequest,
  ): EchoSent | KernelError {
    const index = interface_name === '' ? 0 : this.#transport.interfaceIndex(this.#channel, interface_name)
    if (interface_name !== '' && index === 0) return refusal(interface_name, ENODEV, '')
    this.#setDontFragment(echo.is_dont_fragment)
    const at = this.#transport.sendPacket(
      this.#channel,
      this.#template(echo.packet_size).make(echo.identifier, echo.sequence),
      target,
      source,
      index,
      echo.hop_limit,
    )
    return at < 0 ? refusal(`send to ${target_address}`, -at, '') : { at_us: at, interface_index: index }
  }

  drain(): void {
    try {
      for (let round = 0; round < ROUNDS_MAX && !this.#isClosed; round += 1) {
        const count = this.#transport.receivePackets(this.#channel, PACKET_BYTES, PACKET_NOTES)
        if (count === 0) return
        for (let n = 0; n < count; n += 1) this.#take(packetAt(n))
      }
    } catch (error) {
      log('warning', 'What came by ICMP could not be read', {
        detail: error instanceof Error ? error.message : String(error),
      })
    }
  }

  #take(packet: Packet): void {
    const received = readIcmp(this.#family, packet, this.#cookie)
    if (received) this.#receive(received)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#gathering)
    this.#transport.close(this.#channel)
  }

  #watch(): void {
    this.#transport.watch(this.#channel, () => {
      this.#transport.pause(this.#channel)
      this.#gathering = setTimeout(() => {
        this.drain()
        if (!this.#isClosed) this.#watch()
      }, GATHER_MS)
    })
  }

  #template(packet_size: number): EchoTemplate {
    const template = this.#templates.get(packet_size) ?? new EchoTemplate(this.#family, packet_size, this.#cookie)
    if (this.#templates.size >= TEMPLATES_MAX) this.#templates.clear()
    this.#templates.set(packet_size, template)
    return template
  }

  /**
   * Sets Don't-Fragment so that only the MTU of the link counts, not the cached path MTU, since the path is what is
   * measured.
   */
  #setDontFragment(is_on: boolean): void {
    if (this.#isDontFragment === is_on) return
    this.#isDontFragment = is_on
    if (this.#family === 4)
      return this.#transport.option(
        this.#channel,
        k.SOL_IP,
        k.IP_MTU_DISCOVER,
        is_on ? k.IP_PMTUDISC_PROBE : k.IP_PMTUDISC_DONT,
      )
    this.#transport.option(
      this.#channel,
      k.SOL_IPV6,
      k.IPV6_MTU_DISCOVER,
      is_on ? k.IPV6_PMTUDISC_PROBE : k.IPV6_PMTUDISC_WANT,
    )
    this.#transport.option(this.#channel, k.SOL_IPV6, k.IPV6_DONTFRAG, is_on ? 1 : 0)
  }
}

function packetAt(n: number): Packet {
  const [start = 0, addressBytes = 0, length = 0, at_us = 0, interface_index = 0, hop_limit = 0] =
    PACKET_NOTES.subarray(n * NOTES, (n + 1) * NOTES)
  const begin = start + addressBytes
  return {
    from: PACKET_BYTES.subarray(start, begin),
    bytes: PACKET_BYTES.subarray(begin, begin + length),
    at_us,
    interface_index,
    hop_limit,
  }
}

const bits = (types: readonly number[]): number => types.reduce((set, type) => set | (1 << type), 0)

/** 256 bits in words of this machine's order, set where a type is not wanted (linux/icmpv6.h, struct icmp6_filter). */
function icmpv6Filter(): Uint8Array {
  const words = new Uint32Array(8).fill(0xffff_ffff)
  for (const type of k.wantedTypes(6)) words[type >> 5] = (words[type >> 5] ?? 0) & ~(1 << (type & 31))
  return new Uint8Array(words.buffer)
}

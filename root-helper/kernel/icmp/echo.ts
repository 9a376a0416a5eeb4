// Echo requests as bytes (RFC 792, RFC 4443): one buffer for each size, in which only identifier, sequence and checksum
// change.
import { ECHO_REQUEST, HEADER_BYTES, type Family } from './constants.ts'
import { addUp, fold } from './checksum.ts'

export class EchoTemplate {
  readonly #bytes: Buffer
  /** What the bytes that never change add up to; null where the kernel works out the checksum (RFC 3542, 3.1). */
  readonly #sum: number | null

  /**
   * Prepares a request whose payload begins with the cookie, as far as it has room, which tells answers to other
   * programs apart.
   */
  constructor(family: Family, packet_size: number, cookie: Uint8Array) {
    this.#bytes = Buffer.alloc(HEADER_BYTES + packet_size)
    this.#bytes[0] = ECHO_REQUEST[family]
    for (let i = 0; i < packet_size; i++) this.#bytes[HEADER_BYTES + i] = cookie[i] ?? i & 0xff
    this.#sum = family === 4 ? addUp(this.#bytes) : null
  }

  /** Good until the next call. */
  make(identifier: number, sequence: number): Buffer {
    this.#bytes.writeUInt16BE(identifier, 4)
    this.#bytes.writeUInt16BE(sequence, 6)
    if (this.#sum !== null) this.#bytes.writeUInt16BE(~fold(this.#sum + identifier + sequence) & 0xffff, 2)
    return this.#bytes
  }
}

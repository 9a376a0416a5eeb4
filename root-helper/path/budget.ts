// A limit on what everything together sends in a second, so that root cannot be made to flood a network.
import { message } from '@panel/shared/messages/message.ts'
import { BYTES_PER_SECOND_MAX, PACKETS_PER_SECOND_MAX } from '@panel/shared/path/model.ts'
import { RefusedError } from '../refused.ts'

export interface Load {
  readonly packets: number
  readonly bytes: number
}

export const NO_LOAD: Load = { packets: 0, bytes: 0 }
/** IPv6 and ICMP. */
export const HEADERS_BYTES = 48

export function totalLoad(targets: readonly { readonly interval_ms: number; readonly packet_size: number }[]): Load {
  const packets = targets.map(({ interval_ms }) => 1000 / interval_ms)
  const bytes = targets.map(({ interval_ms, packet_size }) => ((packet_size + HEADERS_BYTES) * 1000) / interval_ms)
  return { packets: sum(packets), bytes: sum(bytes) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

export class Budget {
  #taken = NO_LOAD

  /** Replaces the share `held` by `wanted`, or throws and changes nothing. A smaller share is always granted. */
  exchange(held: Load, wanted: Load): void {
    const next = {
      packets: this.#taken.packets - held.packets + wanted.packets,
      bytes: this.#taken.bytes - held.bytes + wanted.bytes,
    }
    if (next.packets > PACKETS_PER_SECOND_MAX && wanted.packets > held.packets)
      throw tooMuch('root.load_packets', next.packets, PACKETS_PER_SECOND_MAX)
    if (next.bytes > BYTES_PER_SECOND_MAX && wanted.bytes > held.bytes)
      throw tooMuch('root.load_bytes', next.bytes, BYTES_PER_SECOND_MAX)
    this.#taken = next
  }
}

const tooMuch = (id: 'root.load_packets' | 'root.load_bytes', wanted: number, most: number): RefusedError =>
  new RefusedError('busy', message(id, { count: Math.round(wanted), most }))

/**
 * Limits what really leaves, since restarting a watch sends more than its interval suggests. A second's worth may leave
 * at once, and then as much as a second adds.
 */
export class Meter {
  #packets = PACKETS_PER_SECOND_MAX
  #bytes = BYTES_PER_SECOND_MAX
  #at = 0

  /** Whether a packet may leave now; if so it is counted. */
  passes(now: number, bytes: number): boolean {
    const seconds = (now - this.#at) / 1000
    this.#at = now
    this.#packets = Math.min(PACKETS_PER_SECOND_MAX, this.#packets + seconds * PACKETS_PER_SECOND_MAX)
    this.#bytes = Math.min(BYTES_PER_SECOND_MAX, this.#bytes + seconds * BYTES_PER_SECOND_MAX)
    if (this.#packets < 1 || this.#bytes < bytes) return false
    this.#packets -= 1
    this.#bytes -= bytes
    return true
  }
}

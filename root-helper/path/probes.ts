// The echo requests of one sender that are not over yet, and the verdict on each: pure, fed with times.
import { message } from '@panel/shared/messages/message.ts'
import { PENDING_MAX, type PingPacket } from '@panel/shared/path/model.ts'
import type { EchoSent, PathEnds } from '../kernel/icmp/port.ts'
import type { KernelError } from '../kernel-error.ts'
import type { ReceivedIcmp } from '../kernel/icmp/port.ts'
import { roundTripUs, type SentAt } from './rtt.ts'
import { describeError, probeOutcome, describeRefusal } from './describe.ts'

/**
 * How many lost requests are kept to recognize a late answer: as many as the monitor's window has (decisions.md, S3).
 */
const LATE_MAX = 64

interface Probe extends SentAt {
  readonly sequence: number
  /** An error about it that this host itself has sent since. */
  complaint: ReceivedIcmp | null
}

export class Probes {
  readonly #ends: PathEnds
  readonly #timeoutMs: number
  /** In the order of their sequence. */
  readonly #pending = new Map<number, Probe>()
  readonly #lost = new Map<number, Probe>()
  #last: number

  constructor(ends: PathEnds, timeoutMs: number, lastSequence = 0) {
    this.#ends = ends
    this.#timeoutMs = timeoutMs
    this.#last = lastSequence
  }

  get last(): number {
    return this.#last
  }

  get pending(): number {
    return this.#pending.size
  }

  /** When the oldest pending request times out; null where none is pending. */
  get nextTimeout(): number | null {
    const [oldest] = this.#pending.values()
    return oldest === undefined ? null : oldest.sent_ms + this.#timeoutMs
  }

  /** The sequence number of the next request. */
  next(): number {
    this.#last += 1
    return this.#last
  }

  /** The result of sending the request that `next` numbered. */
  sent(now: number, epoch: number, outcome: EchoSent | KernelError): PingPacket[] {
    if (outcome instanceof Error)
      return [
        {
          ...NOTHING,
          sequence: this.#last,
          outcome: 'not_sent',
          sent_at_ms: epoch,
          detail: describeRefusal(outcome, this.#ends),
        },
      ]
    this.#pending.set(this.#last, { ...outcome, sequence: this.#last, sent_ms: now, complaint: null })
    if (this.#pending.size <= PENDING_MAX) return []
    const [oldest] = this.#pending.values()
    return oldest ? [this.#giveUp(oldest, message('root.given_up', { count: PENDING_MAX }).message)] : []
  }

  /** An answer that arrived in time counts, however late it is read. */
  receive(now: number, received: ReceivedIcmp): PingPacket[] {
    const sequence = this.#last - ((this.#last - received.sequence) & 0xffff)
    const pending = this.#pending.get(sequence)
    const probe = pending ?? this.#lost.get(sequence)
    if (!probe) return []
    if (received.kind !== 'reply') return pending ? this.#noteComplaint(probe, received) : []
    // An answer through another interface proves nothing about this path.
    if (probe.interface_index !== 0 && received.interface_index !== probe.interface_index) return []
    const rtt = roundTripUs(probe, received, now)
    const inTime = rtt <= this.#timeoutMs * 1000
    const missed = pending && !inTime ? [this.#giveUp(probe, NO_ANSWER(this.#timeoutMs))] : []
    this.#pending.delete(sequence)
    this.#lost.delete(sequence)
    return [...missed, answered(probe, received, rtt, pending && inTime ? 'reply' : 'late')]
  }

  expire(now: number): PingPacket[] {
    const over: PingPacket[] = []
    for (const probe of this.#pending.values()) {
      if (probe.sent_ms + this.#timeoutMs > now) break
      over.push(
        probe.complaint ? this.#refuted(probe, probe.complaint) : this.#giveUp(probe, NO_ANSWER(this.#timeoutMs)),
      )
    }
    return over
  }

  /**
   * After a path was broken, a tunnel reports errors for packets that it sends all the same (net/ipv4/ip_tunnel.c,
   * err_count): an error from this host itself counts only if no answer comes.
   */
  #noteComplaint(probe: Probe, received: ReceivedIcmp): PingPacket[] {
    if (received.from_address !== this.#ends.source_address) return [this.#refuted(probe, received)]
    probe.complaint = received
    return []
  }

  #giveUp(probe: Probe, detail: string): PingPacket {
    this.#lose(probe)
    return { ...NOTHING, sequence: probe.sequence, outcome: 'timeout', sent_at_ms: toMs(probe.at_us), detail }
  }

  #refuted(probe: Probe, received: ReceivedIcmp): PingPacket {
    this.#lose(probe)
    const { from_address, hop_limit, reported_mtu } = received
    return {
      sequence: probe.sequence,
      outcome: probeOutcome(received),
      sent_at_ms: toMs(probe.at_us),
      rtt_us: null,
      detail: describeError(received),
      from_address,
      hop_limit,
      reported_mtu,
    }
  }

  #lose(probe: Probe): void {
    this.#pending.delete(probe.sequence)
    this.#lost.set(probe.sequence, probe)
    const [oldest] = this.#lost.keys()
    if (this.#lost.size > LATE_MAX && oldest !== undefined) this.#lost.delete(oldest)
  }
}

const NOTHING = { rtt_us: null, from_address: '', hop_limit: null, reported_mtu: null } as const
const NO_ANSWER = (timeoutMs: number): string => message('root.no_answer_within', { time: timeoutMs }).message
const toMs = (us: number): number => Math.round(us / 1000)

const answered = (
  probe: Probe,
  { from_address, hop_limit }: ReceivedIcmp,
  rtt_us: number,
  outcome: 'reply' | 'late',
): PingPacket => ({
  sequence: probe.sequence,
  outcome,
  sent_at_ms: toMs(probe.at_us),
  rtt_us,
  detail: outcome === 'late' ? message('root.late', { time: Math.round(rtt_us / 1000) }).message : '',
  from_address,
  hop_limit,
  reported_mtu: null,
})

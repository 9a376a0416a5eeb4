// The echo requests of one sender that are not over yet, and the verdict on each: pure, fed with times.
import { PENDING_MAX, type PingPacket } from '@panel/shared/path/model.ts'
import type { EchoSent, PathEnds } from '../kernel/icmp/port.ts'
import type { KernelError } from '../kernel-error.ts'
import type { Heard } from '../kernel/icmp/port.ts'
import { rttOf, type SentAt } from './rtt.ts'
import { errorWords, outcomeOf, refusalWords } from './words.ts'

/** So many are remembered after they were told as lost: as many as the monitor's window has (decisions.md, S3). */
const LATE_MAX = 64

interface Probe extends SentAt {
  readonly sequence: number
  /** What this host itself said of it meanwhile. */
  complaint: Heard | null
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

  /** When the oldest that is waited for times out; null where none is. */
  get nextTimeout(): number | null {
    const [oldest] = this.#pending.values()
    return oldest === undefined ? null : oldest.sent_ms + this.#timeoutMs
  }

  /** What the next one is to be sent under. */
  next(): number {
    this.#last += 1
    return this.#last
  }

  /** What the kernel made of the one that `next` gave. */
  sent(now: number, epoch: number, outcome: EchoSent | KernelError): PingPacket[] {
    if (outcome instanceof Error)
      return [
        {
          ...NOTHING,
          sequence: this.#last,
          outcome: 'not_sent',
          sent_at_ms: epoch,
          detail: refusalWords(outcome, this.#ends),
        },
      ]
    this.#pending.set(this.#last, { ...outcome, sequence: this.#last, sent_ms: now, complaint: null })
    if (this.#pending.size <= PENDING_MAX) return []
    const [oldest] = this.#pending.values()
    return oldest ? [this.#giveUp(oldest, `Given up: ${PENDING_MAX} later ones are waited for`)] : []
  }

  /** What is heard in time counts, however late it is read. */
  hear(now: number, heard: Heard): PingPacket[] {
    const sequence = this.#last - ((this.#last - heard.sequence) & 0xffff)
    const pending = this.#pending.get(sequence)
    const probe = pending ?? this.#lost.get(sequence)
    if (!probe) return []
    if (heard.kind !== 'reply') return pending ? this.#complainedOf(probe, heard) : []
    // An answer by another way says nothing of this one.
    if (probe.interface_index !== 0 && heard.interface_index !== probe.interface_index) return []
    const rtt = rttOf(probe, heard, now)
    const inTime = rtt <= this.#timeoutMs * 1000
    const missed = pending && !inTime ? [this.#giveUp(probe, NO_ANSWER(this.#timeoutMs))] : []
    this.#pending.delete(sequence)
    this.#lost.delete(sequence)
    return [...missed, answered(probe, heard, rtt, pending && inTime ? 'reply' : 'late')]
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

  /** A tunnel whose way was broken lately complains of packets that it sends all the same (net/ipv4/ip_tunnel.c, err_count): this host's own word waits for an answer. */
  #complainedOf(probe: Probe, heard: Heard): PingPacket[] {
    if (heard.from_address !== this.#ends.source_address) return [this.#refuted(probe, heard)]
    probe.complaint = heard
    return []
  }

  #giveUp(probe: Probe, detail: string): PingPacket {
    this.#lose(probe)
    return { ...NOTHING, sequence: probe.sequence, outcome: 'timeout', sent_at_ms: toMs(probe.at_us), detail }
  }

  #refuted(probe: Probe, heard: Heard): PingPacket {
    this.#lose(probe)
    const { from_address, hop_limit, reported_mtu } = heard
    return {
      sequence: probe.sequence,
      outcome: outcomeOf(heard),
      sent_at_ms: toMs(probe.at_us),
      rtt_us: null,
      detail: errorWords(heard),
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
const NO_ANSWER = (timeoutMs: number): string => `No answer within ${timeoutMs} ms`
const toMs = (us: number): number => Math.round(us / 1000)

const answered = (
  probe: Probe,
  { from_address, hop_limit }: Heard,
  rtt_us: number,
  outcome: 'reply' | 'late',
): PingPacket => ({
  sequence: probe.sequence,
  outcome,
  sent_at_ms: toMs(probe.at_us),
  rtt_us,
  detail: outcome === 'late' ? `The answer came after ${Math.round(rtt_us / 1000)} ms` : '',
  from_address,
  hop_limit,
  reported_mtu: null,
})

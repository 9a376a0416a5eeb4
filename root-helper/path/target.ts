// One target of a watch: sends when it is due, keeps its rhythm, and reports the outcome of each echo request.
import type { PingPacket, WatchResult, WatchTarget } from '@panel/shared/path/model.ts'
import type { Clock } from './clock.ts'
import type { EchoLine } from './echoes.ts'
import type { ReceivedIcmp } from '../kernel/icmp/port.ts'
import { Probes } from './probes.ts'
import type { Timed } from './schedule.ts'

/** Nobody waits longer than this for the first word on a target that comes. */
const FIRST_WITHIN_MS = 1000

interface TargetDeps {
  readonly clock: Clock
  readonly open: (receive: (received: ReceivedIcmp) => void) => EchoLine
  readonly report: (result: WatchResult) => void
}

export class WatchedTarget implements Timed {
  readonly settings: WatchTarget
  readonly #clock: Clock
  readonly #onResult: (result: WatchResult) => void
  readonly #line: EchoLine
  readonly #probes: Probes
  #due: number
  /** The beat that is kept to after the first echo request. */
  #beat: number

  /**
   * `phase`, from 0 to below 1, is where in the interval it sends; `lastSequence` is what it last sent under, with
   * other settings.
   */
  constructor(settings: WatchTarget, deps: TargetDeps, phase: number, lastSequence: number) {
    this.settings = settings
    this.#clock = deps.clock
    this.#onResult = deps.report
    this.#probes = new Probes(settings, settings.timeout_ms, lastSequence)
    this.#line = deps.open((received) => this.#report(this.#probes.receive(this.#clock.now(), received)))
    const now = this.#clock.now()
    const { interval_ms } = settings
    this.#due = now + phase * Math.min(interval_ms, FIRST_WITHIN_MS)
    this.#beat = now + phase * interval_ms
    if (this.#beat < this.#due + interval_ms / 2) this.#beat += interval_ms
  }

  get due(): number {
    return this.#due
  }

  get lastSequence(): number {
    return this.#probes.last
  }

  step(now: number): number {
    this.#report(this.#probes.expire(now))
    if (this.#due <= now) this.#send(now)
    return Math.min(this.#due, this.#probes.nextTimeout ?? Infinity)
  }

  close(): void {
    this.#line.close()
  }

  #send(now: number): void {
    const { interval_ms, packet_size } = this.settings
    const sequence = this.#probes.next() & 0xffff
    const outcome = this.#line.send({ sequence, packet_size, hop_limit: 0, is_dont_fragment: false })
    this.#report(this.#probes.sent(now, this.#clock.epoch(), outcome))
    // Missed beats are skipped: late sends are not made up for in a burst.
    if (this.#beat <= now) this.#beat += interval_ms * (Math.floor((now - this.#beat) / interval_ms) + 1)
    this.#due = this.#beat
  }

  #report(packets: readonly PingPacket[]): void {
    const { target_id } = this.settings
    for (const { sequence, outcome, sent_at_ms, rtt_us, detail } of packets)
      this.#onResult({ target_id, sequence, outcome, sent_at_ms, rtt_us, detail, pending: this.#probes.pending })
  }
}

// path.ping: echo requests to one target, each reported as soon as its outcome is known.
import { WATCH_BATCH_MAX, type PingPacket, type PingParams, type PingResult } from '@panel/shared/path/model.ts'
import type { Item } from '@panel/shared/rpc/methods.ts'
import { allowPath } from '../policy.ts'
import { totalLoad, NO_LOAD } from './budget.ts'
import type { Clock } from './clock.ts'
import type { EchoLine } from './echoes.ts'
import type { PathDeps } from './deps.ts'
import { Outbox } from './outbox.ts'
import { Probes } from './probes.ts'
import type { Timed } from './schedule.ts'

type Pinging = AsyncGenerator<Item<'path.ping'>, PingResult, void>

export async function* ping(deps: PathDeps, params: PingParams, signal: AbortSignal): Pinging {
  const ends = allowPath(params)
  // Each has one verdict, and at most one that revises it.
  const outbox = new Outbox<PingPacket>(deps.clock, signal, params.count * 2)
  const run = new PingRun(deps, { ...params, ...ends }, outbox)
  let load = NO_LOAD
  try {
    deps.budget.exchange(load, totalLoad([params]))
    load = totalLoad([params])
    deps.schedule.add(run, deps.clock.now())
    for (let taken = await outbox.take(WATCH_BATCH_MAX, 0); taken; taken = await outbox.take(WATCH_BATCH_MAX, 0))
      yield { packets: taken.items }
    return run.result
  } finally {
    deps.schedule.remove(run)
    run.close()
    deps.budget.exchange(load, NO_LOAD)
  }
}

class PingRun implements Timed {
  readonly #params: PingParams
  readonly #clock: Clock
  readonly #outbox: Outbox<PingPacket>
  readonly #probes: Probes
  readonly #line: EchoLine
  #due = 0
  #received = 0

  constructor({ clock, echoes }: PathDeps, params: PingParams, outbox: Outbox<PingPacket>) {
    this.#params = params
    this.#clock = clock
    this.#outbox = outbox
    this.#probes = new Probes(params, params.timeout_ms)
    this.#line = echoes.open(params, (received) => this.#report(this.#probes.receive(clock.now(), received)))
  }

  get result(): PingResult {
    return { sent: this.#probes.last, received: this.#received }
  }

  step(now: number): number | null {
    this.#report(this.#probes.expire(now))
    if (!this.#isAllSent && this.#due <= now) this.#send(now)
    const next = Math.min(this.#isAllSent ? Infinity : this.#due, this.#probes.nextTimeout ?? Infinity)
    return next === Infinity ? null : next
  }

  close(): void {
    this.#line.close()
  }

  get #isAllSent(): boolean {
    return this.#probes.last >= this.#params.count
  }

  #send(now: number): void {
    const { interval_ms, packet_size, is_dont_fragment } = this.#params
    const sequence = this.#probes.next() & 0xffff
    this.#due = Math.max(now, this.#due + interval_ms)
    this.#report(
      this.#probes.sent(
        now,
        this.#clock.epoch(),
        this.#line.send({ sequence, packet_size, hop_limit: 0, is_dont_fragment }),
      ),
    )
  }

  #report(packets: readonly PingPacket[]): void {
    for (const packet of packets) {
      if (packet.rtt_us !== null) this.#received += 1
      this.#outbox.push(packet)
    }
    if (this.#isAllSent && this.#probes.pending === 0) this.#outbox.close()
  }
}

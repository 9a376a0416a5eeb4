// One tunnel under watch: its probes, its state, and the intervals of its history that are not stored yet. It asks nobody and stores nothing.
import { MONITOR_STATES } from '@panel/shared/api/lookups.ts'
import type { MonitorStatus } from '@panel/shared/api/monitor.ts'
import type { WatchResult } from '@panel/shared/path/model.ts'
import { startOf } from '../../platform/db/spans.ts'
import type { MonitorPlan } from './probe-target.ts'
import { emptyBucket, joined, severityOf, type Bucket } from './bucket.ts'
import { classify, isSilent, type TcpProbeResult, type ProbeStats, type Verdict } from './classify.ts'
import { MonitorStateMachine, type StateChange } from './state-machine.ts'
import { Window } from './window.ts'

/** unknown: not looked at yet. */
export type LinkState = 'up' | 'down' | 'missing' | 'unknown'

/** decisions.md, S4. */
export const TCP_PROBE_EVERY_MS = 60_000

export class WatchedTunnel {
  #plan: MonitorPlan
  #link: LinkState = 'unknown'
  /** Why no probe can be sent; null where they can. */
  #stopped: string | null
  #window: Window
  /** The target that the newest probes went by, and what the window had counted before it: each target counts from 1. */
  #target = { id: 0, before: 0 }
  readonly #stateMachine: MonitorStateMachine
  #detail = ''
  #tcpProbe: TcpProbeResult | null = null
  /** Whether the knock that was asked for last is of the silence that is now. */
  #isTcpProbeCurrent = false
  #tcpProbedAt = Number.NEGATIVE_INFINITY
  #failedTcpProbes = 0
  #lastRtt: number | null = null
  #buckets = new Map<number, Bucket>()
  #updatedAt: number

  constructor(plan: MonitorPlan, stopped: string | null, at: number) {
    this.#plan = plan
    this.#stopped = stopped
    this.#window = new Window(plan.window_size)
    this.#stateMachine = new MonitorStateMachine(at)
    this.#updatedAt = at
    this.#applyForced(at)
    this.note(at)
  }

  get plan(): MonitorPlan {
    return this.#plan
  }

  get link(): LinkState {
    return this.#link
  }

  /** What the last probes come to. */
  get stats(): ProbeStats {
    return this.#window
  }

  get verdict(): Verdict {
    return { state: this.#stateMachine.state, reason: this.#stateMachine.reason }
  }

  /** Whether probes are of use now. */
  get isProbed(): boolean {
    return this.#plan.probeTarget !== null && this.#link === 'up'
  }

  replan(plan: MonitorPlan, at: number): StateChange | null {
    const before = this.#plan
    this.#plan = plan
    const isElsewhere =
      before.probeTarget?.target !== plan.probeTarget?.target || before.probeTarget?.source !== plan.probeTarget?.source
    // It comes up with its tunnel, and nobody has looked at it since.
    if (before.disabled && !plan.disabled) this.#link = 'unknown'
    if (isElsewhere) this.#resetWindow()
    else if (this.#window.size !== plan.window_size) this.#window = new Window(plan.window_size, this.#window)
    return this.#applyForced(at)
  }

  setLink(link: LinkState, at: number): StateChange | null {
    if (this.#link === link) return null
    this.#link = link
    return this.#applyForced(at)
  }

  setStopped(reason: string | null, at: number): StateChange | null {
    if (this.#stopped === reason) return null
    this.#stopped = reason
    // Nobody waits for what is still out.
    this.#window.pending = 0
    return this.#applyForced(at)
  }

  take(result: WatchResult, at: number): StateChange | null {
    if (result.target_id < this.#target.id) return null
    if (result.target_id > this.#target.id) this.#target = { id: result.target_id, before: this.#window.newest }
    const sequence = this.#target.before + result.sequence
    const { rtt_us } = result
    const decision = rtt_us === null ? this.#window.lost(sequence) : this.#window.answered(sequence, rtt_us, at)
    this.#window.pending = result.pending
    if (decision === null) return null
    this.#updatedAt = at
    if (rtt_us === null) this.#detail = result.detail
    else this.#breakSilence()
    this.#addToHistory(result, decision === 'revised')
    return decision === 'decided' ? this.#noteChange(this.#sample(at), at) : null
  }

  /** Where the answer to a knock would decide; true once, and then not for a minute. */
  isTcpProbeDue(at: number): boolean {
    const isDue =
      this.#plan.usesTcpProbe &&
      !this.#stateMachine.isForced &&
      isSilent(this.#window, this.#plan.thresholds) &&
      Math.abs(at - this.#tcpProbedAt) >= TCP_PROBE_EVERY_MS
    if (isDue) [this.#tcpProbedAt, this.#isTcpProbeCurrent] = [at, true]
    return isDue
  }

  /** How many knocks found nobody. */
  get failedTcpProbes(): number {
    return this.#failedTcpProbes
  }

  setTcpProbe(result: TcpProbeResult): void {
    if (this.#isTcpProbeCurrent) this.#tcpProbe = result
    if (!result.isAlive) this.#failedTcpProbes += 1
  }

  status(): MonitorStatus {
    const { tunnel_id, interface_name, isEnabled: isWanted, probeTarget: aim } = this.#plan
    const { state, reason, since } = this.#stateMachine
    return {
      tunnel_id,
      interface_name,
      monitor_state_id: MONITOR_STATES[state],
      state,
      reason,
      enabled: isWanted,
      source: aim?.source ?? '',
      target: aim?.target ?? '',
      stats: this.#window.stats(),
      since: new Date(since).toISOString(),
      updated_at: new Date(this.#updatedAt).toISOString(),
    }
  }

  /** The state of now counts in the interval of now, probed or not. */
  note(at: number): void {
    this.#add(at, { ...NOTHING, worst_severity: severityOf(this.#stateMachine.state) })
  }

  /** The intervals that are not stored, oldest first. */
  get buckets(): Bucket[] {
    return [...this.#buckets.values()].sort((a, b) => a.bucket_start - b.bucket_start)
  }

  /** Those that ended by `before_seconds`, which are the caller's from now on. */
  takeBuckets(before_seconds: number): Bucket[] {
    const ended = this.buckets.filter(({ bucket_start }) => bucket_start + this.#plan.bucket_seconds <= before_seconds)
    for (const { bucket_start } of ended) this.#buckets.delete(bucket_start)
    return ended
  }

  /** Back from a store that could not take it. */
  putBack(bucket: Bucket): void {
    this.#join(bucket.bucket_start, bucket)
  }

  #applyForced(at: number): StateChange | null {
    const forced = forcedBy(this.#plan, this.#stopped, this.#link)
    const change = forced ? this.#stateMachine.force(forced, at) : this.#stateMachine.release(at)
    // What was measured on a link that is gone, or before the tunnel was switched off, says nothing of what comes.
    if (forced && forced.state !== 'Unknown') this.#resetWindow()
    if (change) this.#updatedAt = at
    return this.#noteChange(change, at)
  }

  #resetWindow(): void {
    this.#window = new Window(this.#plan.window_size)
    ;[this.#detail, this.#lastRtt] = ['', null]
    this.#breakSilence()
  }

  /** What a knock showed of a silence that is over says nothing of the next one, though its answer may be on its way yet. */
  #breakSilence(): void {
    ;[this.#tcpProbe, this.#isTcpProbeCurrent] = [null, false]
  }

  #sample(at: number): StateChange | null {
    const { thresholds, probeTarget: aim, usesTcpProbe: isKnocking } = this.#plan
    // The verdict on silence waits for the knock.
    if (isKnocking && this.#tcpProbe === null && isSilent(this.#window, thresholds)) return null
    return this.#stateMachine.sample(
      classify(
        {
          stats: this.#window,
          target: aim?.target ?? '',
          detail: this.#detail,
          tcpProbe: isKnocking ? this.#tcpProbe : null,
        },
        thresholds,
      ),
      thresholds.state_change_samples,
      at,
    )
  }

  #addToHistory({ rtt_us, sent_at_ms }: WatchResult, isRevised: boolean): void {
    const isFirst = this.#lastRtt === null || rtt_us === null || isRevised
    this.#add(sent_at_ms, {
      sent_count: isRevised ? 0 : 1,
      received_count: rtt_us === null ? 0 : 1,
      rtt_sum_us: rtt_us ?? 0,
      rtt_min_us: rtt_us,
      rtt_max_us: rtt_us,
      jitter_sum_us: isFirst ? 0 : Math.abs(rtt_us - (this.#lastRtt ?? rtt_us)),
      jitter_count: isFirst ? 0 : 1,
      worst_severity: 0,
    })
    if (rtt_us !== null && !isRevised) this.#lastRtt = rtt_us
  }

  /** What it turned from counts too, where it turned in the middle of an interval. */
  #noteChange(change: StateChange | null, at: number): StateChange | null {
    for (const state of change ? [change.from, change.to] : [])
      this.#add(at, { ...NOTHING, worst_severity: severityOf(state) })
    return change
  }

  #add(at: number, more: Omit<Bucket, 'tunnel_id' | 'bucket_start'>): void {
    this.#join(startOf(at / 1000, this.#plan.bucket_seconds), more)
  }

  #join(bucket_start: number, more: Omit<Bucket, 'tunnel_id' | 'bucket_start'>): void {
    this.#buckets.set(
      bucket_start,
      joined(this.#buckets.get(bucket_start) ?? emptyBucket(this.#plan.tunnel_id, bucket_start), more),
    )
  }
}

const { tunnel_id: _of, bucket_start: _from, ...NOTHING } = emptyBucket(0, 0)

/** What holds whatever the probes say, the most certain first (decisions.md, S3). */
function forcedBy({ disabled, interface_name }: MonitorPlan, stopped: string | null, link: LinkState): Verdict | null {
  if (disabled) return disabled
  if (stopped !== null) return { state: 'Unknown', reason: stopped }
  if (link === 'missing')
    return { state: 'Down', reason: `interface_missing: this server has no interface ${interface_name}` }
  if (link === 'down') return { state: 'Down', reason: `The interface ${interface_name} is administratively down` }
  return null
}

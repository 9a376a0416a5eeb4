// One monitored tunnel: its probes, its state, and the intervals of its history that are not stored yet. It does no
// I/O.
import { MONITOR_STATES, type MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { MonitorStatus } from '@panel/shared/api/monitor.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { WatchResult } from '@panel/shared/path/model.ts'
import { intervalStart } from '../../platform/series/spans.ts'
import { UnsavedIntervals } from '../../platform/series/unsaved.ts'
import type { MonitorPlan } from './probe-target.ts'
import { emptyBucket, HISTORY, stateSeverity, type Bucket } from './bucket.ts'
import { classify, isLost, type TcpProbeResult, type ProbeStats, type Verdict } from './classify.ts'
import { stateTimes } from './state-times.ts'
import { MonitorStateMachine, type StateChange } from './state-machine.ts'
import { Window } from './window.ts'

/** `unknown`: not probed yet. */
export type LinkState = 'up' | 'down' | 'missing' | 'unknown'

/** decisions.md, S4. */
export const TCP_PROBE_EVERY_MS = 60_000

export class WatchedTunnel {
  #plan: MonitorPlan
  #link: LinkState = 'unknown'
  /** Why no probe can be sent, or null. */
  #stopped: Message | null
  #window: Window
  /** The id of the newest target, and the window's sequence number before it: each target counts from 1. */
  #target = { id: 0, before: 0 }
  readonly #stateMachine: MonitorStateMachine
  #detail = ''
  #tcpProbe: TcpProbeResult | null = null
  /** Whether the last TCP probe belongs to the current loss. */
  #isTcpProbeCurrent = false
  /** The last one, and the one before it. */
  #tcpProbedAt = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY] as const
  #failedTcpProbes = 0
  #lastRtt: number | null = null
  readonly #buckets = new UnsavedIntervals(HISTORY)
  #updatedAt: number
  /** Until when the time of the states is counted. */
  #timedUntil: number

  constructor(plan: MonitorPlan, stopped: Message | null, at: number) {
    this.#plan = plan
    this.#stopped = stopped
    this.#window = new Window(plan.window_size)
    this.#stateMachine = new MonitorStateMachine(at)
    this.#updatedAt = at
    this.#timedUntil = at
    this.#applyForced(at)
    this.note(at)
  }

  get plan(): MonitorPlan {
    return this.#plan
  }

  get link(): LinkState {
    return this.#link
  }

  /** The figures of the last probes. */
  get stats(): ProbeStats {
    return this.#window
  }

  get verdict(): Verdict {
    return { state: this.#stateMachine.state, reason: this.#stateMachine.reason }
  }

  /** Whether probing makes sense now. */
  get isProbed(): boolean {
    return this.#plan.probeTarget !== null && this.#link === 'up'
  }

  replan(plan: MonitorPlan, at: number): StateChange | null {
    const before = this.#plan
    this.#plan = plan
    const isElsewhere =
      before.probeTarget?.target !== plan.probeTarget?.target || before.probeTarget?.source !== plan.probeTarget?.source
    // The link comes up with its tunnel and has not been probed since.
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

  setStopped(reason: Message | null, at: number): StateChange | null {
    if (this.#stopped?.message === reason?.message) return null
    this.#stopped = reason
    // Results that are still out will not arrive.
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
    // A result counts only for the loss that it was made for, even if it arrives later.
    if (!isLost(this.#window, this.#plan.thresholds)) this.#dropTcpProbe()
    this.#addToHistory(result, decision === 'revised')
    return decision === 'decided' ? this.#noteChange(this.#sample(at), at) : null
  }

  /** True if a TCP probe would decide the state. */
  isTcpProbeDue(at: number): boolean {
    const isDue =
      this.#plan.usesTcpProbe &&
      !this.#stateMachine.isForced &&
      isLost(this.#window, this.#plan.thresholds) &&
      this.#mayProbeTcp(at)
    if (isDue) [this.#tcpProbedAt, this.#isTcpProbeCurrent] = [[at, this.#tcpProbedAt[0]], true]
    return isDue
  }

  /** Once a minute on average; an outage that begins within a minute of the last probe need not wait for it. */
  #mayProbeTcp(at: number): boolean {
    const [last, before] = this.#tcpProbedAt
    const isNewOutage = !this.#isTcpProbeCurrent
    return (isNewOutage || Math.abs(at - last) >= TCP_PROBE_EVERY_MS) && Math.abs(at - before) >= 2 * TCP_PROBE_EVERY_MS
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
    const { tunnel_id, interface_name, display_name, isEnabled, isTunnelEnabled, probeTarget } = this.#plan
    const { state, reason, since } = this.#stateMachine
    return {
      tunnel_id,
      interface_name,
      display_name,
      monitor_state_id: MONITOR_STATES[state],
      state,
      ...messageFields('reason', reason),
      enabled: isEnabled,
      tunnel_enabled: isTunnelEnabled,
      source: probeTarget?.source ?? '',
      target: probeTarget?.target ?? '',
      stats: this.#window.stats(),
      since: new Date(since).toISOString(),
      updated_at: new Date(this.#updatedAt).toISOString(),
    }
  }

  /** The current state counts in the current interval, with or without probes. */
  note(at: number): void {
    this.#addTime(this.#stateMachine.state, at)
    this.#add(at, { ...NOTHING, worst_severity: stateSeverity(this.#stateMachine.state) })
  }

  /** What went through the interface since it was counted last. */
  addTraffic(bytes: Pick<Bucket, 'rx_bytes' | 'tx_bytes'>, at: number): void {
    this.#add(at, { ...NOTHING, ...bytes })
  }

  /** The intervals that are not stored, oldest first. */
  get buckets(): Bucket[] {
    return this.#buckets.all
  }

  /** Removes and returns the intervals that ended by `before_seconds`. */
  takeBuckets(before_seconds: number): Bucket[] {
    return this.#buckets.take(({ bucket_start }) => bucket_start + this.#plan.bucket_seconds <= before_seconds)
  }

  /** Takes back an interval that could not be stored. */
  putBack(bucket: Bucket): void {
    this.#buckets.add(bucket)
  }

  #applyForced(at: number): StateChange | null {
    const forced = forcedBy(this.#plan, this.#stopped, this.#link)
    const change = forced ? this.#stateMachine.force(forced, at) : this.#stateMachine.release(at)
    // Measurements from before the link went away, or the tunnel was disabled, no longer count.
    if (forced && forced.state !== 'Unknown') this.#resetWindow()
    if (change) this.#updatedAt = at
    return this.#noteChange(change, at)
  }

  #resetWindow(): void {
    this.#window = new Window(this.#plan.window_size)
    ;[this.#detail, this.#lastRtt] = ['', null]
    this.#dropTcpProbe()
  }

  #dropTcpProbe(): void {
    ;[this.#tcpProbe, this.#isTcpProbeCurrent] = [null, false]
  }

  #sample(at: number): StateChange | null {
    const { thresholds, probeTarget, usesTcpProbe } = this.#plan
    // While so many probes are lost, wait for the TCP probe before judging.
    if (usesTcpProbe && this.#tcpProbe === null && isLost(this.#window, thresholds)) return null
    return this.#stateMachine.sample(
      classify(
        {
          stats: this.#window,
          target: probeTarget?.target ?? '',
          detail: this.#detail,
          tcpProbe: usesTcpProbe ? this.#tcpProbe : null,
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
      ...NOTHING,
      sent_count: isRevised ? 0 : 1,
      received_count: rtt_us === null ? 0 : 1,
      rtt_sum_us: rtt_us ?? 0,
      rtt_min_us: rtt_us,
      rtt_max_us: rtt_us,
      jitter_sum_us: isFirst ? 0 : Math.abs(rtt_us - (this.#lastRtt ?? rtt_us)),
      jitter_count: isFirst ? 0 : 1,
    })
    if (rtt_us !== null && !isRevised) this.#lastRtt = rtt_us
  }

  /** If the state changes within an interval, the old state counts in it too. */
  #noteChange(change: StateChange | null, at: number): StateChange | null {
    if (change) this.#addTime(change.from, at)
    for (const state of change ? [change.from, change.to] : [])
      this.#add(at, { ...NOTHING, worst_severity: stateSeverity(state) })
    return change
  }

  /** The time since it was last counted. */
  #addTime(state: MonitorState, at: number): void {
    for (const { bucket_start, ...times } of stateTimes(state, this.#timedUntil, at, this.#plan.bucket_seconds))
      this.#join(bucket_start, { ...NOTHING, ...times, worst_severity: stateSeverity(state) })
    this.#timedUntil = at
  }

  #add(at: number, more: Omit<Bucket, 'tunnel_id' | 'bucket_start'>): void {
    this.#join(intervalStart(at / 1000, this.#plan.bucket_seconds), more)
  }

  #join(bucket_start: number, more: Omit<Bucket, 'tunnel_id' | 'bucket_start'>): void {
    this.#buckets.add({ tunnel_id: this.#plan.tunnel_id, bucket_start, ...more })
  }
}

const { tunnel_id: _of, bucket_start: _from, ...NOTHING } = emptyBucket(0, 0)

/** The state that holds whatever the probes say, the most certain first (decisions.md, S3). */
function forcedBy({ disabled, interface_name }: MonitorPlan, stopped: Message | null, link: LinkState): Verdict | null {
  if (disabled) return disabled
  if (stopped !== null) return { state: 'Unknown', reason: stopped }
  if (link === 'missing')
    return { state: 'Down', reason: message('monitor.interface_missing', { name: interface_name }) }
  if (link === 'down') return { state: 'Down', reason: message('monitor.interface_down', { name: interface_name }) }
  return null
}

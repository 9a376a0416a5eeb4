// Sends the probes of all tunnels through the root helper: one stream, changed while it runs and restarted with a new
// helper.
import type { Logger } from 'pino'
import {
  BYTES_PER_SECOND_MAX,
  PACKETS_PER_SECOND_MAX,
  WATCH_TARGETS_MAX,
  type WatchItem,
  type WatchResult,
  type WatchTarget,
} from '@panel/shared/path/model.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { openRestartingStream, type RestartingStream, type PAUSES_MS } from '../../platform/helper/restarting-stream.ts'
import type { Streamer } from '../../platform/helper/streams.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import type { ProbeTarget } from './probe-target.ts'

/** Manual diagnostics share the same limits, so a part is left to them. */
const SHARE = 0.8
/** Bytes of the IPv6 and ICMP headers. */
const HEADERS = 48

export interface ProberDeps {
  readonly stream: Streamer
  readonly request: Reader
  readonly logger: Logger
  readonly onResult: (tunnel_id: number, result: WatchResult) => void
  /** Why no probes are sent; null once they are. */
  readonly onStopped: (reason: Message | null) => void
  readonly pauses?: typeof PAUSES_MS
}

type ProbedTunnel = ProbeTarget & { readonly interface_name: string }

export class Prober {
  readonly #deps: ProberDeps
  readonly #targets = new Map<number, WatchTarget>()
  #tunnelByTarget = new Map<number, number>()
  /** Ids are never reused, so that a late result is not taken for one of a newer target. */
  #lastId = 0
  #watchId: number | null = null
  #put = new Map<number, WatchTarget>()
  #removed = new Set<number>()
  #sending: Promise<void> | null = null
  #stream: RestartingStream | null = null
  #load = { packets: 0, bytes: 0 }
  /** When the last item arrived, in monotonic milliseconds; null while the stream is down. */
  lastItemAt: number | null = null

  constructor(deps: ProberDeps) {
    this.#deps = deps
  }

  get isRunning(): boolean {
    return this.#watchId !== null
  }

  get size(): number {
    return this.#targets.size
  }

  /** The longest time until the next probe of any tunnel is decided. */
  get nextWithinMs(): number {
    return Math.min(...[...this.#targets.values()].map(({ interval_ms, timeout_ms }) => interval_ms + timeout_ms))
  }

  start(): void {
    const { stream, logger, onStopped, pauses } = this.#deps
    this.#stream = openRestartingStream({
      stream,
      method: 'path.watch',
      params: () => ({ targets: this.#renumberTargets() }),
      onItem: (item) => this.#receive(item),
      onEnd: (err, isNews) => {
        this.#watchId = null
        this.lastItemAt = null
        if (isNews) logger.warn({ err }, 'probing has stopped; trying again')
        onStopped(
          err instanceof Refusal
            ? message('monitor.cannot_send', { why: asMessage(err) })
            : message('monitor.restarting'),
        )
      },
      ...(pauses && { pauses }),
    })
  }

  async close(): Promise<void> {
    await this.#stream?.close()
    await this.#sending
  }

  /** Starts or changes the probing of a tunnel; null stops it. Returns why it is not possible, or null. */
  set(tunnel_id: number, probe: ProbedTunnel | null): Message | null {
    const before = this.#targets.get(tunnel_id)
    this.#drop(tunnel_id, before)
    const reason = probe && this.#reasonNoRoom(probe)
    const isSame =
      before !== undefined &&
      probe !== null &&
      before.source_address === probe.source &&
      before.target_address === probe.target &&
      before.interface_name === probe.interface_name
    if (before && (!isSame || reason !== null)) this.#change(before.target_id, null)
    if (!probe || reason !== null) return reason
    const target = makeTarget(probe, isSame ? before.target_id : ++this.#lastId)
    this.#targets.set(tunnel_id, target)
    this.#tunnelByTarget.set(target.target_id, tunnel_id)
    this.#addLoad(target, 1)
    if (!before || JSON.stringify(before) !== JSON.stringify(target)) this.#change(target.target_id, target)
    return null
  }

  /** Resolves when root has received every change so far. */
  async changesSent(): Promise<void> {
    await this.#sending
  }

  #drop(tunnel_id: number, before: WatchTarget | undefined): void {
    if (!before) return
    this.#targets.delete(tunnel_id)
    this.#tunnelByTarget.delete(before.target_id)
    this.#addLoad(before, -1)
  }

  #addLoad(target: WatchTarget, by: 1 | -1): void {
    const { packets, bytes } = probeLoad(target.interval_ms, target.packet_size)
    this.#load = { packets: this.#load.packets + by * packets, bytes: this.#load.bytes + by * bytes }
  }

  #reasonNoRoom({ interval_ms, packet_size }: ProbedTunnel): Message | null {
    const { packets, bytes } = probeLoad(interval_ms, packet_size)
    if (this.#targets.size >= WATCH_TARGETS_MAX) return message('monitor.too_many_tunnels', { most: WATCH_TARGETS_MAX })
    if (this.#load.packets + packets > SHARE * PACKETS_PER_SECOND_MAX) return message('monitor.too_many_packets')
    if (this.#load.bytes + bytes > SHARE * BYTES_PER_SECOND_MAX) return message('monitor.too_many_bytes')
    return null
  }

  /** All targets under new ids, for the request that starts the stream. */
  #renumberTargets(): WatchTarget[] {
    this.#put.clear()
    this.#removed.clear()
    this.#tunnelByTarget = new Map()
    for (const [tunnel_id, target] of this.#targets) {
      const target_id = ++this.#lastId
      this.#targets.set(tunnel_id, { ...target, target_id })
      this.#tunnelByTarget.set(target_id, tunnel_id)
    }
    return [...this.#targets.values()]
  }

  #receive({ watch_id, results }: WatchItem): void {
    const isFirst = this.#watchId === null
    this.#watchId = watch_id
    this.lastItemAt = performance.now()
    if (isFirst) {
      this.#deps.onStopped(null)
      this.#sendChanges()
    }
    for (const result of results) {
      const tunnel_id = this.#tunnelByTarget.get(result.target_id)
      if (tunnel_id !== undefined) this.#deps.onResult(tunnel_id, result)
    }
  }

  #change(target_id: number, target: WatchTarget | null): void {
    if (target) this.#put.set(target_id, target)
    else {
      this.#put.delete(target_id)
      this.#removed.add(target_id)
    }
    this.#sendChanges()
  }

  #sendChanges(): void {
    if (this.#sending || this.#watchId === null) return
    this.#sending = this.#sendAllChanges().finally(() => (this.#sending = null))
  }

  /** Sends pending changes in one request. If the stream cannot be changed, it is restarted. */
  async #sendAllChanges(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#watchId !== null && this.#put.size + this.#removed.size > 0) {
      const watch_id = this.#watchId
      const [put, gone] = [[...this.#put.values()], [...this.#removed]]
      this.#put.clear()
      this.#removed.clear()
      try {
        const [some = [], ...others] = splitIds(gone)
        for (const more of others) await this.#deps.request('path.watch_change', { watch_id, put: [], gone: more })
        const { was_running } = await this.#deps.request('path.watch_change', { watch_id, put, gone: some })
        if (!was_running && this.#watchId === watch_id) this.#stream?.restart()
      } catch (err) {
        this.#deps.logger.warn({ err }, 'the probe targets cannot be changed; restarting the stream')
        this.#stream?.restart()
        return
      }
    }
  }
}

const probeLoad = (interval_ms: number, packet_size: number): { packets: number; bytes: number } => ({
  packets: 1000 / interval_ms,
  bytes: (1000 / interval_ms) * (packet_size + HEADERS),
})

const makeTarget = (
  { interface_name, source, target, interval_ms, timeout_ms, packet_size }: ProbedTunnel,
  target_id: number,
): WatchTarget => ({
  target_id,
  interface_name,
  source_address: source,
  target_address: target,
  interval_ms,
  timeout_ms,
  packet_size,
})

const splitIds = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / WATCH_TARGETS_MAX) }, (_, i) =>
    ids.slice(i * WATCH_TARGETS_MAX, (i + 1) * WATCH_TARGETS_MAX),
  )

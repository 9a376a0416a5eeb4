// A running ping: packets batched per frame, and statistics so far.
import type { DiagnosticRun, PingBody, PingPacketEvent } from '@panel/shared/api/diagnostics.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { request, withSession } from '../../core/api.ts'
import { readEvents } from '../../core/event-stream.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toApiError, ApiError } from '../../core/api-error.ts'

export class Ping {
  packets = $state.raw<readonly PingPacketEvent[]>([])
  isRunning = $state(false)
  isCancelled = $state(false)
  failure = $state.raw<ApiError | null>(null)
  run = $state.raw<DiagnosticRun | null>(null)
  readonly stats = $derived(pingStats(this.packets))
  #stop: AbortController | null = null
  #waiting: PingPacketEvent[] = []
  #frame = 0

  async start(tunnel_id: number, body: PingBody): Promise<void> {
    const stop = new AbortController()
    this.#stop = stop
    Object.assign(this, { packets: [], failure: null, run: null, isRunning: true, isCancelled: false })
    try {
      const response = await withSession(() =>
        request('POST /tunnels/{id}/diagnostics/ping', { id: tunnel_id, body, signal: stop.signal }),
      )
      await readEvents(response, ({ name, data }) => this.#take(name, JSON.parse(data)))
    } catch (thrown) {
      if (!stop.signal.aborted) throw thrown
    } finally {
      this.isRunning = false
      void invalidate('/diagnostics')
    }
  }

  /** Aborting ends the run on the server, which keeps the results. */
  readonly stop = (): void => {
    if (!this.isRunning) return
    this.isCancelled = true
    this.#stop?.abort()
  }

  #take(name: string, data: unknown): void {
    if (name === 'run') this.run = data as DiagnosticRun
    if (name === 'error')
      this.failure = toApiError(
        new ApiError(0, { code: 'SERVICE_UNAVAILABLE', message: (data as Message).message }, data as Message),
      )
    if (name !== 'packet') return
    this.#waiting.push(data as PingPacketEvent)
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0
      this.packets = [...this.packets, ...this.#waiting.splice(0)]
    })
  }
}

const pingStats = (packets: readonly PingPacketEvent[]) => {
  const rtts = packets.flatMap(({ success, rtt_ms }) => (success && rtt_ms !== null ? [rtt_ms] : []))
  const sum = rtts.reduce((all, rtt) => all + rtt, 0)
  return {
    sent: packets.length,
    received: rtts.length,
    loss_percent: packets.length === 0 ? null : (100 * (packets.length - rtts.length)) / packets.length,
    rtt_min_ms: rtts.length === 0 ? null : rtts.reduce((a, b) => Math.min(a, b)),
    rtt_avg_ms: rtts.length === 0 ? null : sum / rtts.length,
    rtt_max_ms: rtts.length === 0 ? null : rtts.reduce((a, b) => Math.max(a, b)),
  }
}

// Monitors all tunnels: follows their records, kernel events and probe results, and publishes every change of state.
import type { Logger } from 'pino'
import { MONITOR_STATES, type MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { MonitorSummaryAnswer } from '@panel/shared/api/monitor.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { WatchResult } from '@panel/shared/path/model.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { PAUSES_MS } from '../../platform/helper/restarting-stream.ts'
import type { Streamer } from '../../platform/helper/streams.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { everyTunnel, findTunnel } from '../tunnels/store.ts'
import { makeMonitorPlan, type ProbeTarget } from './probe-target.ts'
import { EventLog } from './event-log.ts'
import { Feed } from './feed.ts'
import type { StateChange } from './state-machine.ts'
import { probeTcp, type TcpProber } from './tcp-probe.ts'
import { HistoryWriter } from './history-writer.ts'
import { Links } from './links.ts'
import { Prober } from './prober.ts'
import { dropHistory, dropHistoryOfDeletedTunnels, type NewEvent } from './store.ts'
import { WatchedTunnel, type LinkState } from './watched-tunnel.ts'
import { monitorSnapshot, WatchedTunnels } from './watched-tunnels.ts'

export interface MonitorDeps {
  readonly db: StoreContext['db']
  readonly request: StoreContext['request']
  readonly stream: Streamer
  readonly bus: Bus
  readonly now: () => Date
  readonly logger: Logger
  readonly settings: SettingsReader
  readonly tcpProbe?: TcpProber
  readonly pauses?: typeof PAUSES_MS
}

const NOT_STARTED = message('monitor.not_started')

export class Monitor {
  readonly feed = new Feed(() => this.summary())
  readonly tunnels = new WatchedTunnels()
  readonly prober: Prober
  readonly historyWriter: HistoryWriter
  readonly #deps: Required<Omit<MonitorDeps, 'pauses'>>
  readonly #events: EventLog
  readonly #links: Links
  #stopped: Message | null = NOT_STARTED
  #isStarted = false
  #subscriptions: (() => void)[] = []
  #work: Promise<void> = Promise.resolve()

  constructor(deps: MonitorDeps) {
    this.#deps = { tcpProbe: probeTcp, ...deps }
    const { db, request, stream, now, logger, settings, bus } = this.#deps
    this.#events = new EventLog({ db, publishIn: bus.publishIn, logger })
    this.#links = new Links({ request, logger, onState: (name, state) => this.#linkChanged(name, state) })
    this.prober = new Prober({
      stream,
      request,
      logger,
      onResult: (id, result) => this.#probed(id, result),
      onStopped: (reason) => this.#proberStopped(reason),
      ...(deps.pauses && { pauses: deps.pauses }),
    })
    this.historyWriter = new HistoryWriter({ db, now, logger, settings, watched: () => this.tunnels.all })
  }

  /** Resolves when every tunnel is monitored. */
  async start(): Promise<void> {
    const { db, bus, logger } = this.#deps
    await dropHistoryOfDeletedTunnels(db).catch((err: unknown) =>
      logger.error({ err }, 'the history of deleted tunnels could not be deleted'),
    )
    await this.#events.start()
    this.#isStarted = true
    this.#subscriptions = [
      bus.subscribe('tunnel.created', ({ tunnel_id }) => this.refresh(tunnel_id)),
      bus.subscribe('tunnel.updated', ({ tunnel_id }) => this.refresh(tunnel_id)),
      bus.subscribe('tunnel.deleted', ({ tunnel_id, interface_name }) => this.#deleteTunnel(tunnel_id, interface_name)),
      bus.subscribe('host.changed', ({ events }) => this.#links.onHostEvents(events)),
      bus.subscribe('settings.changed', ({ keys }) => this.#settingsChanged(keys)),
      bus.subscribe('reconcile.changed', (last) => this.feed.publish('reconcile', () => last)),
      bus.subscribe('heal.contested', (event) => this.feed.publish('heal', () => event)),
      bus.subscribe('route.health', ({ cause: _, ...event }) => this.feed.publish('route', () => event)),
      bus.subscribe('safe_apply.changed', (event) => this.feed.publish('safe_apply', () => event)),
    ]
    this.refresh('all')
    await this.#work
    this.prober.start()
    this.historyWriter.start()
  }

  /** Stores everything that was measured. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return
    this.#isStarted = false
    for (const end of this.#subscriptions) end()
    await this.prober.close()
    await this.settled()
    await this.historyWriter.stop()
    this.feed.close()
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  /** Whether probes are being sent. */
  get isRunning(): boolean {
    return this.prober.isRunning
  }

  /** Why no tunnel is probed, or null. */
  /** Null while probes can be sent, and before that has been tried. */
  get whyNoProbes(): Message | null {
    return this.#stopped?.message_id === 'monitor.cannot_send' ? this.#stopped : null
  }

  get stopped(): Message | null {
    return this.#stopped
  }

  /** The record of a tunnel, or a setting that it depends on, may have changed. */
  refresh(which: number | 'all'): void {
    this.#enqueue(async () => {
      if (which === 'all') return this.#addOrUpdateAll(await everyTunnel(this.#deps.db))
      const existing = await findTunnel(this.#deps.db, which)
      if (existing && !existing.isDeleted) this.#addOrUpdate(existing.record)
    })
  }

  /**
   * Resolves when all changes so far have taken effect. If the monitor was not started, reads the stored tunnels each
   * time.
   */
  async settled(): Promise<void> {
    if (!this.#isStarted && this.#subscriptions.length === 0) this.refresh('all')
    await this.#work
    await this.#links.settled()
    await this.#events.saved()
  }

  summary(): MonitorSummaryAnswer {
    const tunnels = this.tunnels.snapshots()
    return { tunnels, total: tunnels.length, counts: this.tunnels.counts(), running: this.isRunning }
  }

  /** Ids of the tunnels in that state; null if there is no such state. */
  async inState(word: string): Promise<number[] | null> {
    const state = (Object.keys(MONITOR_STATES) as MonitorState[]).find(
      (one) => one.toLowerCase() === word.toLowerCase(),
    )
    if (!state) return null
    await this.settled()
    return this.tunnels.inState(state)
  }

  get #at(): number {
    return this.#deps.now().getTime()
  }

  #settingsChanged(keys: readonly string[]): void {
    if (!keys.some((key) => key.startsWith('monitor.'))) return
    this.refresh('all')
    this.historyWriter.reschedule()
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((err: unknown) => this.#deps.logger.error({ err }, 'the monitoring could not process a change'))
  }

  #addOrUpdateAll(records: readonly TunnelRecord[]): void {
    const living = new Set(records.map(({ tunnel_id }) => tunnel_id))
    for (const { plan } of this.tunnels.all)
      if (!living.has(plan.tunnel_id)) this.#remove(plan.tunnel_id, plan.interface_name)
    for (const record of records) this.#addOrUpdate(record)
  }

  #addOrUpdate(record: TunnelRecord): void {
    const { tunnel_id, interface_name } = record
    const plan = makeMonitorPlan(record, this.#deps.settings)
    const existing = this.tunnels.of(tunnel_id)
    const watched = existing ?? new WatchedTunnel(plan, this.#stopped, this.#at)
    if (existing && existing.plan.interface_name !== interface_name)
      this.#releaseName(tunnel_id, existing.plan.interface_name)
    this.tunnels.set(tunnel_id, interface_name, watched)
    const change = existing
      ? existing.replan(plan, this.#at)
      : { from: 'Unknown' as const, to: watched.verdict.state, reason: watched.verdict.reason }
    this.#stateChanged(
      watched,
      change ?? { from: watched.verdict.state, to: watched.verdict.state, reason: watched.verdict.reason },
    )
    this.#links.follow(interface_name)
    this.#updateProbing(watched)
  }

  #deleteTunnel(tunnel_id: number, interface_name: string): void {
    this.#enqueue(async () => {
      this.#remove(tunnel_id, interface_name)
      await this.#events.saved()
      await this.#deps.db.transaction().execute((transaction) => dropHistory(transaction, tunnel_id))
      this.feed.publish('tunnel_deleted', () => ({ tunnel_id, interface_name }))
    })
  }

  #remove(tunnel_id: number, interface_name: string): void {
    this.tunnels.delete(tunnel_id)
    this.#releaseName(tunnel_id, interface_name)
    this.prober.set(tunnel_id, null)
    this.#events.forget(tunnel_id)
  }

  #releaseName(tunnel_id: number, interface_name: string): void {
    if (this.tunnels.releaseName(tunnel_id, interface_name)) this.#links.forget(interface_name)
  }

  #linkChanged(interface_name: string, state: LinkState): void {
    const watched = this.tunnels.named(interface_name)
    if (!watched) return
    this.#stateChanged(watched, watched.setLink(state, this.#at))
    this.#updateProbing(watched)
  }

  #proberStopped(reason: Message | null): void {
    this.#stopped = reason
    for (const watched of this.tunnels.all) this.#updateProbing(watched)
  }

  #updateProbing(watched: WatchedTunnel): void {
    const { tunnel_id, interface_name, probeTarget: target } = watched.plan
    const reason = this.prober.set(tunnel_id, target && watched.isProbed ? { ...target, interface_name } : null)
    this.#stateChanged(watched, watched.setStopped(this.#stopped ?? reason, this.#at))
  }

  #probed(tunnel_id: number, result: WatchResult): void {
    const watched = this.tunnels.of(tunnel_id)
    if (!watched) return
    this.#stateChanged(watched, watched.take(result, this.#at))
    if (watched.plan.probeTarget && watched.isTcpProbeDue(this.#at))
      void this.#probeTcp(watched, watched.plan.probeTarget)
  }

  /** If it fails, the tunnel keeps its state and is probed again a minute later. */
  async #probeTcp(watched: WatchedTunnel, target: ProbeTarget): Promise<void> {
    try {
      watched.setTcpProbe(await this.#deps.tcpProbe(target, watched.failedTcpProbes))
    } catch (err) {
      this.#deps.logger.error({ err, target: target.target }, 'the TCP probe of a silent peer failed')
    }
  }

  #stateChanged(watched: WatchedTunnel, change: StateChange | null): void {
    if (!change || !this.#isStarted) return
    this.feed.publish('tunnel', () => monitorSnapshot(watched))
    if (change.from === change.to) return
    const { tunnel_id, interface_name } = watched.plan
    const event = { tunnel_id, interface_name, ...change }
    this.#deps.bus.publish('tunnel.state', event)
    this.#events.add(eventRow(watched, change, this.#deps.now()), event)
  }
}

function eventRow(watched: WatchedTunnel, { from, to, reason }: StateChange, at: Date): NewEvent {
  const { lossPercent: loss_percent, averageRttMs: rtt_avg_ms } = watched.stats
  return {
    tunnel_id: watched.plan.tunnel_id,
    from_monitor_state_id: MONITOR_STATES[from],
    to_monitor_state_id: MONITOR_STATES[to],
    reason: reason.message,
    reason_message: JSON.stringify(reason),
    loss_percent,
    rtt_avg_ms,
    created_date: at.toISOString(),
  }
}

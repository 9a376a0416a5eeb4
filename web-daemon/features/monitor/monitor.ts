// Watches all tunnels: follows what is stored of them, what the kernel tells and what the probes find, and tells of every change of state.
import type { Logger } from 'pino'
import { MONITOR_STATES, type MonitorState } from '@panel/shared/api/lookups.ts'
import type { MonitorCounts, MonitorSnapshot, MonitorSummaryAnswer } from '@panel/shared/api/monitor.ts'
import type { WatchResult } from '@panel/shared/path/model.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { PAUSES_MS } from '../../platform/helper/kept-stream.ts'
import type { Streamer } from '../../platform/helper/streams.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { everyTunnel, findTunnel } from '../tunnels/store.ts'
import { planOf, type Aim } from './aim.ts'
import { EventLog } from './event-log.ts'
import { Feed } from './feed.ts'
import type { Turn } from './judge.ts'
import { knockAt, type Knocker } from './knock.ts'
import { Ledger } from './ledger.ts'
import { Links } from './links.ts'
import { Prober } from './prober.ts'
import { dropHistory, dropHistoryOfTheDead } from './store.ts'
import { Watched, type LinkState } from './watched.ts'

export interface MonitorParts {
  readonly db: CommandContext['db']
  readonly ask: CommandContext['ask']
  readonly stream: Streamer
  readonly bus: Bus
  readonly now: () => Date
  readonly logger: Logger
  readonly settings: SettingsReader
  readonly knock?: Knocker
  readonly pauses?: typeof PAUSES_MS
}

const NOT_BEGUN = 'The monitoring has not begun'

export class Monitor {
  readonly feed = new Feed(() => this.summary())
  readonly prober: Prober
  readonly ledger: Ledger
  readonly #parts: Required<Omit<MonitorParts, 'pauses'>>
  readonly #events: EventLog
  readonly #links: Links
  readonly #watched = new Map<number, Watched>()
  readonly #byName = new Map<string, number>()
  #stopped: string | null = NOT_BEGUN
  #isStarted = false
  #hearing: (() => void)[] = []
  #work: Promise<void> = Promise.resolve()

  constructor(parts: MonitorParts) {
    this.#parts = { knock: knockAt, ...parts }
    const { db, ask, stream, now, logger, settings } = this.#parts
    this.#events = new EventLog(db, logger)
    this.#links = new Links({ ask, logger, onState: (name, state) => this.#linkChanged(name, state) })
    this.prober = new Prober({
      stream,
      ask,
      logger,
      onResult: (id, result) => this.#probed(id, result),
      onStopped: (why) => this.#proberStopped(why),
      ...(parts.pauses && { pauses: parts.pauses }),
    })
    this.ledger = new Ledger({ db, now, logger, settings, watched: () => [...this.#watched.values()] })
  }

  /** Resolves when every tunnel is under watch. */
  async start(): Promise<void> {
    const { db, bus } = this.#parts
    await dropHistoryOfTheDead(db)
    await this.#events.start()
    this.#isStarted = true
    this.#hearing = [
      bus.subscribe('tunnel.created', ({ tunnel_id }) => this.refresh(tunnel_id)),
      bus.subscribe('tunnel.updated', ({ tunnel_id }) => this.refresh(tunnel_id)),
      bus.subscribe('tunnel.deleted', ({ tunnel_id, interface_name }) => this.#drop(tunnel_id, interface_name)),
      bus.subscribe('host.changed', ({ events }) => this.#links.hear(events)),
      bus.subscribe('settings.changed', ({ keys }) => this.#settingsChanged(keys)),
      bus.subscribe('reconcile.changed', (last) => this.feed.say('reconcile', () => last)),
      bus.subscribe('route.health', (event) => this.feed.say('route', () => event)),
    ]
    this.refresh('all')
    await this.#work
    this.prober.start()
    this.ledger.start()
  }

  /** Nothing that was seen is lost by stopping. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return
    this.#isStarted = false
    for (const end of this.#hearing) end()
    await this.prober.close()
    await this.settled()
    await this.ledger.stop()
    this.feed.close()
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  /** Whether probes are sent. */
  get isRunning(): boolean {
    return this.prober.isRunning
  }

  /** Why no tunnel is probed; null where they are. */
  get stopped(): string | null {
    return this.#stopped
  }

  /** What is stored of a tunnel may have changed, or a setting that it goes by. */
  refresh(which: number | 'all'): void {
    this.#do(async () => {
      if (which === 'all') return this.#placeAll(await everyTunnel(this.#parts.db))
      const known = await findTunnel(this.#parts.db, which)
      if (known && !known.isDeleted) this.#place(known.record)
    })
  }

  /** Resolves when all that was told before has had its effect. Where nobody started it, what is stored is looked at each time. */
  async settled(): Promise<void> {
    if (!this.#isStarted && this.#hearing.length === 0) this.refresh('all')
    await this.#work
    await this.#links.settled()
    await this.#events.saved()
  }

  of(tunnel_id: number): Watched | undefined {
    return this.#watched.get(tunnel_id)
  }

  summary(): MonitorSummaryAnswer {
    const tunnels = [...this.#watched.values()].map(snapshotOf).sort((a, b) => a.tunnel_id - b.tunnel_id)
    return { tunnels, total: tunnels.length, counts: this.counts(), running: this.isRunning }
  }

  counts(): MonitorCounts {
    const counts = Object.fromEntries(Object.keys(MONITOR_STATES).map((state) => [state, 0])) as MonitorCounts
    for (const { judged } of this.#watched.values()) counts[judged.state] += 1
    return counts
  }

  /** The tunnels in the state of that name; null where there is no such state. */
  async inState(word: string): Promise<number[] | null> {
    const state = (Object.keys(MONITOR_STATES) as MonitorState[]).find(
      (one) => one.toLowerCase() === word.toLowerCase(),
    )
    if (!state) return null
    await this.settled()
    return [...this.#watched].flatMap(([tunnel_id, { judged }]) => (judged.state === state ? [tunnel_id] : []))
  }

  get #at(): number {
    return this.#parts.now().getTime()
  }

  #settingsChanged(keys: readonly string[]): void {
    if (!keys.some((key) => key.startsWith('monitor.'))) return
    this.refresh('all')
    this.ledger.reschedule()
  }

  #do(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((err: unknown) => this.#parts.logger.error({ err }, 'the monitoring could not follow a change'))
  }

  #placeAll(records: readonly TunnelRecord[]): void {
    const living = new Set(records.map(({ tunnel_id }) => tunnel_id))
    for (const [tunnel_id, { plan }] of this.#watched)
      if (!living.has(tunnel_id)) this.#takeOut(tunnel_id, plan.interface_name)
    for (const record of records) this.#place(record)
  }

  #place(record: TunnelRecord): void {
    const { tunnel_id, interface_name } = record
    const plan = planOf(record, this.#parts.settings)
    const known = this.#watched.get(tunnel_id)
    const watched = known ?? new Watched(plan, this.#stopped, this.#at)
    this.#watched.set(tunnel_id, watched)
    if (known && known.plan.interface_name !== interface_name) this.#unname(tunnel_id, known.plan.interface_name)
    this.#byName.set(interface_name, tunnel_id)
    const turn = known
      ? known.replan(plan, this.#at)
      : { from: 'Unknown' as const, to: watched.judged.state, reason: watched.judged.reason }
    this.#turned(
      watched,
      turn ?? { from: watched.judged.state, to: watched.judged.state, reason: watched.judged.reason },
    )
    this.#links.follow(interface_name)
    this.#aim(watched)
  }

  #drop(tunnel_id: number, interface_name: string): void {
    this.#do(async () => {
      this.#takeOut(tunnel_id, interface_name)
      await this.#events.saved()
      await this.#parts.db.transaction().execute((transaction) => dropHistory(transaction, tunnel_id))
      this.feed.say('tunnel_deleted', () => ({ tunnel_id, interface_name }))
    })
  }

  #takeOut(tunnel_id: number, interface_name: string): void {
    this.#watched.delete(tunnel_id)
    this.#unname(tunnel_id, interface_name)
    this.prober.set(tunnel_id, null)
    this.#events.forget(tunnel_id)
  }

  /** Another tunnel may have the name already. */
  #unname(tunnel_id: number, interface_name: string): void {
    if (this.#byName.get(interface_name) !== tunnel_id) return
    this.#byName.delete(interface_name)
    this.#links.forget(interface_name)
  }

  #linkChanged(interface_name: string, state: LinkState): void {
    const watched = this.#watched.get(this.#byName.get(interface_name) ?? 0)
    if (!watched) return
    this.#turned(watched, watched.setLink(state, this.#at))
    this.#aim(watched)
  }

  #proberStopped(why: string | null): void {
    this.#stopped = why
    for (const watched of this.#watched.values()) this.#aim(watched)
  }

  #aim(watched: Watched): void {
    const { tunnel_id, interface_name, aim } = watched.plan
    const why = this.prober.set(tunnel_id, aim && watched.isProbed ? { ...aim, interface_name } : null)
    this.#turned(watched, watched.setStopped(this.#stopped ?? why, this.#at))
  }

  #probed(tunnel_id: number, result: WatchResult): void {
    const watched = this.#watched.get(tunnel_id)
    if (!watched) return
    this.#turned(watched, watched.take(result, this.#at))
    if (watched.plan.aim && watched.isKnockDue(this.#at)) void this.#knock(watched, watched.plan.aim)
  }

  /** Without its answer the tunnel keeps the state that it has, and it is knocked again a minute later. */
  async #knock(watched: Watched, aim: Aim): Promise<void> {
    try {
      watched.heard(await this.#parts.knock(aim, watched.knocksInVain))
    } catch (err) {
      this.#parts.logger.error({ err, target: aim.target }, 'a silent peer cannot be knocked at')
    }
  }

  #turned(watched: Watched, turn: Turn | null): void {
    if (!turn || !this.#isStarted) return
    this.feed.say('tunnel', () => snapshotOf(watched))
    if (turn.from === turn.to) return
    const { lossPercent: loss_percent, averageRttMs: rtt_avg_ms } = watched.seen
    const created_date = this.#parts.now().toISOString()
    this.#events.add({
      tunnel_id: watched.plan.tunnel_id,
      from_monitor_state_id: MONITOR_STATES[turn.from],
      to_monitor_state_id: MONITOR_STATES[turn.to],
      reason: turn.reason,
      loss_percent,
      rtt_avg_ms,
      created_date,
    })
  }
}

/** With the two spellings that the specification has for it (decisions.md, T5). */
export function snapshotOf(watched: Watched): MonitorSnapshot {
  const status = watched.status()
  return { ...status, TunnelID: status.tunnel_id, State: status.state, MonitorStateID: status.monitor_state_id }
}

// Follows the rules whose destinations are checked: feeds the checker, judges what comes back, and has destinations go
// out of rotation and come back.
import type { Logger } from 'pino'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { attempt } from '../../change/attempt.ts'
import type { PanelAction } from '../../change/remediate.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { ResolveHost } from '../../platform/network/resolver.ts'
import type { Streamer } from '../../platform/helper/streams.ts'
import type { WatchedTunnels } from '../monitor/watched-tunnels.ts'
import type { StateChange } from './store.ts'
import type { RouteRecord } from '../routes/record.ts'
import type { Accounting } from '../routes/accounting.ts'
import { Checker, type RunCheck } from './checker.ts'
import { Drains } from './drains.ts'
import { EchoChecks } from './echo-checks.ts'
import { endLeft } from './end-left.ts'
import { Hostnames } from './hostnames.ts'
import { downWithTunnel, judge, type Sample } from './judge.ts'
import { rotate } from './rotate.ts'
import { runCheck } from './run-check.ts'
import { subscriptionOf, Tracked } from './tracked.ts'
import { checkedIds, readFollowed } from './follow.ts'

export interface FailoverDeps {
  readonly context: Omit<CommandContext, 'note'>
  readonly bus: Bus
  readonly stream: Streamer
  readonly traffic: Accounting
  readonly monitored: Pick<WatchedTunnels, 'stateOf'>
  readonly record: (action: PanelAction) => Promise<void>
  readonly panelPorts: () => readonly number[]
  readonly logger: Logger
  readonly run?: RunCheck
  readonly resolve?: ResolveHost
  readonly random?: () => number
}

/** What was decided within this time is carried out together. */
const TOGETHER_MS = 20
const AGAIN_MS = 1000

export class Failover {
  readonly #deps: FailoverDeps
  readonly #checker: Checker
  readonly #echoes: EchoChecks
  readonly hostnames: Hostnames
  readonly #drains: Drains
  readonly #tracked = new Map<number, Tracked>()
  #subscriptions: (() => void)[] = []
  #work: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #following: NodeJS.Timeout | null = null
  #ending: NodeJS.Timeout | null = null
  #isStarted = false

  constructor(deps: FailoverDeps) {
    this.#deps = deps
    const { context, stream, logger, run = runCheck, random } = deps
    this.#echoes = new EchoChecks({
      stream,
      request: context.request,
      logger,
      onSample: (id, sample) => this.#checker.echoed(id, sample),
    })
    this.#checker = new Checker({
      run,
      echoes: this.#echoes,
      onSample: (id, sample) => this.#sampled(id, sample),
      ...(random && { random }),
    })
    this.hostnames = new Hostnames(deps)
    this.#drains = new Drains(deps)
  }

  async start(): Promise<void> {
    const { bus } = this.#deps
    this.#isStarted = true
    this.#subscriptions = [
      bus.subscribe('routes.changed', ({ route_rule_ids }) => this.follow(route_rule_ids)),
      bus.subscribe('tunnel.state', ({ tunnel_id }) => this.#tunnelChanged(tunnel_id)),
      ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const).map((name) =>
        bus.subscribe(name, () => this.follow(null)),
      ),
    ]
    this.follow(null)
    this.#enqueue(() => this.#endLeft())
    await this.settled()
  }

  async stop(): Promise<void> {
    if (!this.#isStarted) return
    this.#isStarted = false
    for (const end of this.#subscriptions) end()
    for (const timer of [this.#timer, this.#following, this.#ending]) if (timer) clearTimeout(timer)
    this.#timer = this.#following = this.#ending = null
    this.#checker.close()
    this.hostnames.close()
    this.#drains.close()
    await this.#echoes.close()
    await this.settled()
  }

  /** Resolves when everything that is under way has been carried out. */
  async settled(): Promise<void> {
    await this.#work
  }

  of(route_destination_id: number): Tracked | undefined {
    return this.#tracked.get(route_destination_id)
  }

  /** What the checks have decided so far, by destination. */
  checked(): { route_rule_id: number; route_destination_id: number; state: Tracked['judgement']['state'] }[] {
    return [...this.#tracked].map(([route_destination_id, { route_rule_id, judgement }]) => ({
      route_rule_id,
      route_destination_id,
      state: judgement.state,
    }))
  }

  get size(): Checker['size'] {
    return this.#checker.size
  }

  /** These rules may have changed; null: any may have. */
  follow(ids: readonly number[] | null): void {
    this.#enqueue(async () => {
      const { db } = this.#deps.context
      const wanted = ids ?? [...new Set([...(await checkedIds(db)), ...this.#followedRules()])]
      const followed = await readFollowed(this.#deps.context, wanted)
      for (const id of wanted) if (!followed.some(({ record }) => record.route_rule_id === id)) this.#forget(id, [])
      for (const { record, tunnelOf, statesOf, flipsOf } of followed) this.#put(record, { tunnelOf, statesOf, flipsOf })
      const records = followed.map(({ record }) => record)
      this.hostnames.follow(wanted, records)
      this.#drains.follow(wanted, records)
    })
  }

  #followedRules(): number[] {
    return [...this.#tracked.values()].map(({ route_rule_id }) => route_rule_id)
  }

  #put(record: RouteRecord, read: Omit<Awaited<ReturnType<typeof readFollowed>>[number], 'record'>): void {
    const living = new Set<number>()
    for (const destination of record.destinations) {
      const subscription = subscriptionOf(record, destination)
      if (!subscription || !record.check) continue
      const { route_destination_id: id } = destination
      living.add(id)
      const tracked =
        this.#tracked.get(id) ?? new Tracked(record.route_rule_id, destination, read.statesOf(id), read.flipsOf(id))
      tracked.replan(record.check, destination, read.tunnelOf(destination))
      this.#tracked.set(id, tracked)
      this.#checker.put(subscription)
      this.#judgeTunnel(tracked)
    }
    this.#forget(record.route_rule_id, [...living])
  }

  #forget(route_rule_id: number, living: readonly number[]): void {
    for (const [id, tracked] of this.#tracked)
      if (tracked.route_rule_id === route_rule_id && !living.includes(id)) {
        this.#tracked.delete(id)
        this.#checker.remove(id)
      }
  }

  #sampled(id: number, sample: Sample): void {
    const tracked = this.#tracked.get(id)
    if (!tracked) return
    const now = this.#deps.context.now().getTime()
    tracked.history.add(sample.outcome === 'success', sample.latency_ms, now)
    if (this.#downTunnel(tracked) !== null) return
    tracked.judgement = judge(tracked.judgement, sample, tracked.rules, now)
    if (tracked.isNews) this.#decideSoon(TOGETHER_MS)
  }

  #tunnelChanged(tunnel_id: number): void {
    for (const tracked of this.#tracked.values())
      if (tracked.tunnel?.tunnel_id === tunnel_id) this.#judgeTunnel(tracked)
    if (this.#tracked.size > 0) this.#followSoon()
  }

  /**
   * Others may have changed routes since the rules were read, so other destinations may be behind the tunnel now. Of
   * many tunnels that change at once, one reading waits while another is under way, and no more.
   */
  #followSoon(): void {
    this.#following ??= setTimeout(() => {
      this.#enqueue(async () => void (this.#following = null))
      this.follow(null)
    }, TOGETHER_MS)
  }

  #judgeTunnel(tracked: Tracked): void {
    const reason = this.#downTunnel(tracked)
    if (reason)
      tracked.judgement = downWithTunnel(tracked.judgement, reason, tracked.rules, this.#deps.context.now().getTime())
    if (tracked.isNews) this.#decideSoon(TOGETHER_MS)
  }

  /** Why nothing behind the tunnel of a destination can be reached; null where that is not known. */
  #downTunnel({ tunnel }: Tracked): Message | null {
    if (!tunnel || this.#deps.monitored.stateOf(tunnel.tunnel_id) !== 'Down') return null
    return message('check.tunnel_down', { tunnel: tunnelNamed(tunnel) })
  }

  #decideSoon(wait_ms: number): void {
    if (!this.#isStarted) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#enqueue(() => this.#decide())
    }, wait_ms)
  }

  async #decide(): Promise<void> {
    const news = [...this.#tracked].filter(([, tracked]) => tracked.isNews)
    const decided = news.map(([id, tracked]): StateChange => tracked.change(id))
    if (decided.length === 0) return
    const { context, traffic, record, logger } = this.#deps
    const note = new AuditNote()
    const {
      result: rotated,
      failure,
      refusal,
      duration_ms,
    } = await attempt(() => context.inTurn(() => rotate({ ...context, note }, traffic, decided)))
    if (refusal) logger.warn({ err: failure, total: decided.length }, 'destinations could not be rotated')
    const ids = [...new Set(decided.map(({ route_rule_id }) => route_rule_id))]
    const [only] = ids
    if (ids.length === 1 && only !== undefined) note.target('route', only)
    if (refusal || (rotated?.moved.length ?? 0) > 0)
      await record({ action: 'RouteRotate', note, refusal, duration_ms }).catch((err: unknown) =>
        logger.error({ err }, 'no audit entry could be written'),
      )
    if (rotated?.areEnded === false) this.#endLeftSoon()
    await this.#refreshStored(ids)
    // What is stored is carried out by the next look at the host, where it could not be carried out now.
    if (refusal) context.publish('routes.changed', { route_rule_ids: ids })
    if ([...this.#tracked.values()].some((tracked) => tracked.isNews)) this.#decideSoon(AGAIN_MS)
  }

  #endLeftSoon(): void {
    if (!this.#isStarted) return
    this.#ending ??= setTimeout(() => {
      this.#ending = null
      this.#enqueue(() => this.#endLeft())
    }, AGAIN_MS)
  }

  async #endLeft(): Promise<void> {
    const isDone = await endLeft(this.#deps)
    if (!isDone) this.#endLeftSoon()
  }

  /** What could not be stored is decided again. */
  async #refreshStored(ids: readonly number[]): Promise<void> {
    for (const { record } of await readFollowed(this.#deps.context, ids))
      for (const one of record.destinations) this.#tracked.get(one.route_destination_id)?.storedAs(one.state)
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((err: unknown) => this.#deps.logger.error({ err }, 'the checks of destinations could not follow a change'))
  }
}

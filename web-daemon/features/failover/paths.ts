// Takes paths out whose tunnel the monitor finds down, and puts them back once it has been well for a while: longer
// while it flaps, like destinations (decisions.md, T38).
import type { Logger } from 'pino'
import { sameState } from '@panel/shared/change/change.ts'
import { converge } from '../../change/engine.ts'
import { attempt } from '../../change/attempt.ts'
import type { PanelAction } from '../../change/remediate.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { Passes } from '../../platform/events/passes.ts'
import { FLIPS_COUNT_MS, riseOf } from './judge.ts'
import type { WatchedTunnels } from '../monitor/watched-tunnels.ts'
import { changesIn, planNetworkChange } from '../networks/change.ts'
import { stateOf, type NetworkRecord, type PathRecord } from '../networks/record.ts'
import { networkResource } from '../networks/resource.ts'
import { markFailed, type FailedPath } from '../networks/store-write.ts'
import { allNetworks, pathTunnels } from '../networks/store.ts'

export interface PathFailoverDeps {
  readonly context: Omit<CommandContext, 'note'>
  readonly bus: Bus
  readonly monitored: Pick<WatchedTunnels, 'of'>
  readonly record: (action: PanelAction) => Promise<void>
  readonly logger: Logger
}

/** What ends together is decided together; whatever else happens, something is decided within `latest_ms`. */
const TIMES = { quiet_ms: 20, latest_ms: 100, period_ms: () => 30_000 }
const AGAIN_MS = 5000
/** So many intervals of its probes a tunnel has to be well before it carries again. */
const RISE = 3

/** A path that the monitor decides about, and when it is to be looked at again. */
interface Verdict {
  readonly isOut: boolean
  readonly due_ms: number | null
}

/** A network of which a path goes out or comes back. */
interface Changed {
  readonly stored: NetworkRecord
  readonly wanted: NetworkRecord
  readonly failed: readonly FailedPath[]
}

export class PathFailover {
  readonly #deps: PathFailoverDeps
  readonly #passes: Passes
  /** When a tunnel went down, by its id, as far as that still counts. */
  readonly #flips = new Map<number, readonly number[]>()
  #ends: (() => void)[] = []
  #lastFailure = ''

  constructor(deps: PathFailoverDeps) {
    this.#deps = deps
    this.#passes = new Passes(() => this.look(), TIMES, deps.logger)
  }

  start(): void {
    const { bus } = this.#deps
    this.#ends = [
      bus.subscribe('tunnel.state', ({ tunnel_id, from, to }) => {
        if (to === 'Down' && from !== 'Down') this.#flipped(tunnel_id)
        this.#passes.request('event')
      }),
      bus.subscribe('networks.changed', () => this.#passes.request('change')),
    ]
    this.#passes.start()
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) end()
    this.#ends = []
    await this.#passes.close()
  }

  get #at(): number {
    return this.#deps.context.now().getTime()
  }

  #flipsOf(tunnel_id: number): number[] {
    return (this.#flips.get(tunnel_id) ?? []).filter((at) => this.#at - at < FLIPS_COUNT_MS)
  }

  #flipped(tunnel_id: number): void {
    this.#flips.set(tunnel_id, [...this.#flipsOf(tunnel_id), this.#at])
  }

  /** Decides now, and resolves once that is carried out or has failed. */
  async look(): Promise<void> {
    const { context, record, logger } = this.#deps
    const note = new AuditNote()
    let dues: number[] = []
    const { result, failure, refusal, duration_ms } = await attempt(() =>
      context.inTurn(async () => {
        const found = await this.#find()
        dues = found.dues
        return this.#move({ ...context, note }, found.changed)
      }),
    )
    const moved = result ?? []
    if (refusal) dues.push(AGAIN_MS)
    this.#passes.dueIn(dues.length === 0 ? null : Math.min(...dues))
    // A failure that lasts is logged once.
    const isNews = moved.length > 0 || (refusal !== null && refusal.code !== this.#lastFailure)
    this.#lastFailure = refusal?.code ?? ''
    if (!isNews) return
    if (refusal) logger.warn({ err: failure }, 'networks could not be moved to other paths')
    const [only] = moved
    if (moved.length === 1 && only) note.target('network', only.network_id)
    await record({ action: 'NetworkFailover', note, refusal, duration_ms })
  }

  /** The networks of which a path goes out or comes back, and how many milliseconds others have to wait for that. */
  async #find() {
    const networks = await allNetworks(this.#deps.context.db)
    const dues: number[] = []
    const at = new Date(this.#at).toISOString()
    const changed = networks.flatMap((stored) => {
      const paths = stored.paths.map((path) => {
        const { isOut, due_ms } = this.#judge(path)
        if (due_ms !== null) dues.push(due_ms)
        return { ...path, failed_date: isOut ? (path.failed_date ?? at) : null }
      })
      const wanted = { ...stored, paths }
      const failed = differing(stored, wanted)
      return failed.length > 0 ? [{ stored, wanted, failed }] : []
    })
    return { changed, dues }
  }

  /** A state that is not known decides nothing; a tunnel that is not monitored is nothing to wait for. */
  #judge({ tunnel_id, failed_date }: PathRecord): Verdict {
    const watched = this.#deps.monitored.of(tunnel_id)
    const state = watched?.verdict.state ?? 'Disabled'
    if (state === 'Down') return { isOut: true, due_ms: null }
    if (failed_date === null || state === 'Disabled') return { isOut: false, due_ms: null }
    if (!watched || state === 'Unknown') return { isOut: true, due_ms: null }
    const interval_ms = watched.plan.probeTarget?.interval_ms ?? 0
    const rules = { fall: 1, rise: RISE, interval_ms }
    const well_ms = this.#at - Date.parse(watched.status().since)
    const due_ms = riseOf(rules, this.#flipsOf(tunnel_id)) * interval_ms - well_ms
    return due_ms > 0 ? { isOut: true, due_ms } : { isOut: false, due_ms: null }
  }

  /** Returns the networks whose carrying paths are others now. */
  async #move(context: CommandContext, changed: readonly Changed[]) {
    if (changed.length === 0) return []
    const { db, request } = context
    const failed = changed.flatMap((one) => one.failed)
    const tunnels = await pathTunnels(
      db,
      changed.map(({ stored }) => stored),
    )
    const moving = changed.filter(
      ({ stored, wanted }) => !sameState(stateOf(stored, tunnels), stateOf(wanted, tunnels)),
    )
    const rows = moving.map(({ stored }) => stored)
    const states = moving.flatMap(({ wanted }) => stateOf(wanted, tunnels) ?? [])
    for (const { network_id, tunnel_id, failed_date } of failed) {
      const name = tunnels.get(tunnel_id)?.interface_name ?? tunnel_id
      context.note.operation(`network ${network_id}: ${name} ${failed_date === null ? 'comes back' : 'goes out'}`)
    }
    if (rows.length === 0) {
      await db.transaction().execute((transaction) => markFailed(transaction, failed))
      context.publish('networks.changed', { network_ids: changed.map(({ stored }) => stored.network_id) })
      return []
    }
    const destinations = rows.map(({ destination }) => destination)
    const change = await planNetworkChange(request, { destinations, states })
    await converge(context, networkResource(context), {
      rows,
      changes: changesIn(change),
      commit: (transaction) => markFailed(transaction, failed),
    })
    return rows
  }
}

const differing = (stored: NetworkRecord, { network_id, paths }: NetworkRecord): FailedPath[] =>
  paths.flatMap(({ tunnel_id, failed_date }, at) =>
    failed_date === stored.paths[at]?.failed_date ? [] : [{ network_id, tunnel_id, failed_date }],
  )

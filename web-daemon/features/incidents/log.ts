// Keeps the history of incidents: looks when something has changed, and now and then for what nothing publishes. What
// is stored comes from the same source as what needs attention.
import type { Logger } from 'pino'
import type { HostChange } from '@panel/shared/api/incidents.ts'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { ReadContext, StoreContext, WriteDb } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { Passes, SOON } from '../../platform/events/passes.ts'
import { currentIncidents, type AttentionDeps, type CurrentIncident } from './derive.ts'
import {
  deleteEndedBefore,
  incidentKey,
  insertIncident,
  openIncidents,
  presentValues,
  rowKey,
  updateIncident,
  type IncidentRow,
} from './store.ts'

const LOOK_EVERY_MS = 30_000
const DAY_MS = 86_400_000
const BEFORE_MS = 600_000
const CHANGES_MAX = 50
const REMEMBERED_MAX = 500

export interface IncidentLogDeps extends AttentionDeps {
  readonly context: ReadContext & Pick<StoreContext, 'db'>
  readonly bus: Bus
  readonly logger: Logger
  /** Whether the disks have been read since the daemon started. */
  readonly hasReadDisks: () => boolean
  readonly hasReadNetworks: () => boolean
}

export class IncidentLog {
  readonly #deps: IncidentLogDeps
  readonly #passes: Passes
  #ends: (() => void)[] = []
  #looking: Promise<void> = Promise.resolve()
  #changes: HostChange[] = []

  constructor(deps: IncidentLogDeps) {
    this.#deps = deps
    this.#passes = new Passes(() => this.look(), { ...SOON, period_ms: () => LOOK_EVERY_MS }, deps.logger)
  }

  start(): void {
    const { bus } = this.#deps
    const soon = (): void => this.#passes.request('event')
    const names = ['reconcile.changed', 'reconcile.first', 'route.health', 'route.first'] as const
    this.#ends = [
      ...names.map((name) => bus.subscribe(name, soon)),
      bus.subscribeIn('tunnel.state', async () => soon()),
      bus.subscribe('host.changed', ({ events }) => this.#remember(events)),
    ]
    soon()
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) end()
    this.#ends = []
    await this.#passes.close()
    await this.#looking
  }

  /** Stores what is new, worse or over. What cannot be stored is logged, and tried again with the next look. */
  look(): Promise<void> {
    this.#looking = this.#looking
      .then(() => this.#look())
      .catch((err: unknown) => this.#deps.logger.error({ err }, 'incidents could not be stored'))
    return this.#looking
  }

  #remember(events: readonly HostEvent[]): void {
    const at = this.#deps.context.now().toISOString()
    for (const { subject, interface_name, is_removal, by } of events)
      if (subject !== 'window' && subject !== 'lost')
        this.#changes.push({ at, subject, interface_name, is_removal, by: by ?? null })
    this.#changes = this.#changes.slice(-REMEMBERED_MAX)
  }

  async #look(): Promise<void> {
    const { context, monitor } = this.#deps
    const { db, now, settings } = context
    await monitor.settled()
    const found = new Map((await currentIncidents(context, this.#deps)).map((one) => [incidentKey(one), one]))
    const open = await openIncidents(db)
    const at = now()
    await db.transaction().execute(async (transaction) => {
      for (const row of open) {
        const one = found.get(rowKey(row))
        found.delete(rowKey(row))
        if (one) await update(transaction, row, one)
        else if (this.#isLookedAt(row))
          await updateIncident(transaction, row.incident_id, { ended_date: at.toISOString() })
      }
      for (const one of found.values()) await this.#insert(transaction, one, at)
      // As long as the audit log, which says what was done about them.
      const keptMs = settings.get('system.audit_retention_days') * DAY_MS
      await deleteEndedBefore(transaction, new Date(at.getTime() - keptMs).toISOString())
    })
  }

  #insert(db: WriteDb, one: CurrentIncident, now: Date): Promise<void> {
    const began_date = one.since !== null && Date.parse(one.since) < now.getTime() ? one.since : now.toISOString()
    const from = Date.parse(began_date) - BEFORE_MS
    const changes = this.#changes.filter(({ at }) => Date.parse(at) >= from)
    return insertIncident(db, {
      kind: one.kind,
      subject_id: one.id,
      state: one.state,
      began_date,
      host_changes: JSON.stringify(distinct(changes).slice(-CHANGES_MAX)),
      ...presentValues(one),
    })
  }

  /** A daemon that has just started knows of nothing that is wrong: what was open then lasts until it is looked at. */
  #isLookedAt({ kind, subject_id, reason }: IncidentRow): boolean {
    const { watch, routeWatch, monitor, hasReadDisks, hasReadNetworks } = this.#deps
    if (kind === 'disk') return hasReadDisks()
    if (kind === 'network') return hasReadNetworks()
    if (kind === 'route') return routeWatch.last() !== null
    if (kind !== 'tunnel') return true
    const tunnel = monitor.summary().tunnels.find(({ tunnel_id }) => tunnel_id === subject_id)
    if (watch.last() === null) return false
    return isDrift(reason) || !tunnel?.tunnel_enabled || tunnel.state !== 'Unknown'
  }
}

/** What the probes of the monitor do not find. */
const DRIFT: readonly string[] = ['attention.missing', 'attention.drifted', 'attention.inconsistent']
const isDrift = ({ message_id }: IncidentRow['reason']): boolean => DRIFT.includes(message_id)

async function update(db: WriteDb, row: IncidentRow, one: CurrentIncident): Promise<void> {
  const values = {
    ...presentValues(one),
    affected_connections: most(row, one),
    state: row.state === 'down' ? row.state : one.state,
  }
  const before = {
    subject_name: row.subject_name,
    reason: JSON.stringify(row.reason),
    route_rule_ids: JSON.stringify(row.route_rule_ids),
    affected: JSON.stringify(row.affected),
    affected_connections: row.affected_connections,
    state: row.state,
  }
  if (JSON.stringify(values) !== JSON.stringify(before)) await updateIncident(db, row.incident_id, values)
}

/** The most that were open at a look. */
const most = (row: IncidentRow, { affected_connections: now }: CurrentIncident): number | null =>
  row.affected_connections === null || now === null
    ? (now ?? row.affected_connections)
    : Math.max(now, row.affected_connections)

/** A change of many addresses or rules is one line. */
const distinct = (changes: readonly HostChange[]): HostChange[] => {
  const lines = new Map(changes.map((one) => [JSON.stringify({ ...one, at: one.at.slice(0, 19) }), one]))
  return [...lines.values()]
}

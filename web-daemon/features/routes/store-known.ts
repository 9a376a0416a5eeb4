// Every living rule as it is stored, for who reads all of them again and again. SQLite itself notes which ones are
// written, whatever writes them, so the others are the very objects of the last time, and what follows from one of them
// need not be found out again.
import { sql } from 'kysely'
import type { StoreContext } from '../../platform/context.ts'
import type { RouteRecord } from './record.ts'
import { allRoutes, routesOf } from './store.ts'

/** Each table, and how its rows name their rule; `row` is the one that is written. */
const TABLES: Readonly<Record<string, (row: 'new' | 'old') => string>> = {
  route_rule: (row) => `${row}.route_rule_id`,
  route_destination: (row) => `${row}.route_rule_id`,
  route_allowed_source: (row) => `${row}.route_rule_id`,
  route_check: (row) => `${row}.route_rule_id`,
  route_destination_state: (row) =>
    `(select route_rule_id from route_destination where route_destination_id = ${row}.route_destination_id)`,
}
const EVENTS = { insert: ['new'], update: ['old', 'new'], delete: ['old'] } as const

interface Known {
  /** The last note that was taken into account. */
  readonly at: number
  /** Another one once another program has written to the store, whose writes are not noted. */
  readonly version: number
  readonly records: readonly RouteRecord[]
}

export class KnownRoutes {
  readonly #db: StoreContext['db']
  #known: Known | null = null

  constructor(db: StoreContext['db']) {
    this.#db = db
  }

  /** In their order. Call it outside of transactions. */
  async all(): Promise<readonly RouteRecord[]> {
    if (!this.#known) await noteWrites(this.#db)
    const { at, version } = await this.#newest()
    const known = this.#known?.version === version ? this.#known : null
    const records = known ? await this.#upToDate(known) : await allRoutes(this.#db)
    this.#known = { at, version, records }
    return records
  }

  async #upToDate({ at, records }: Known): Promise<readonly RouteRecord[]> {
    const written = new Set(await this.#writtenSince(at))
    if (written.size === 0) return records
    const read = await routesOf(this.#db, [...written])
    return [...records.filter(({ route_rule_id }) => !written.has(route_rule_id)), ...read].sort(byPlace)
  }

  async #newest(): Promise<Pick<Known, 'at' | 'version'>> {
    return this.#db
      .selectNoFrom([
        sql<number>`(select coalesce(max(at), 0) from route_written)`.as('at'),
        sql<number>`(select data_version from pragma_data_version)`.as('version'),
      ])
      .executeTakeFirstOrThrow()
  }

  async #writtenSince(at: number): Promise<number[]> {
    const written = sql<{ route_rule_id: number }>`(select route_rule_id from route_written where at > ${at})`
    const rows = await this.#db.selectFrom(written.as('written')).selectAll().execute()
    return rows.map(({ route_rule_id }) => route_rule_id)
  }
}

/** The order of the store. */
const byPlace = (a: RouteRecord, b: RouteRecord): number =>
  a.sort_order - b.sort_order || a.route_rule_id - b.route_rule_id

/** The notes belong to the connection, and a transaction that is rolled back takes its own with it. */
async function noteWrites(db: StoreContext['db']): Promise<void> {
  const statements = [
    'create temp table if not exists route_written (at integer primary key, route_rule_id integer not null)',
    'create index if not exists temp.route_written_of on route_written (route_rule_id)',
    ...Object.entries(TABLES).flatMap(([table, ruleOf]) =>
      Object.entries(EVENTS).map(
        ([event, rows]) =>
          `create temp trigger if not exists ${table}_${event}_written after ${event} on main.${table} begin ${rows
            .map((row) => noteOf(ruleOf(row)))
            .join(' ')} end`,
      ),
    ),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** The newest note stays, so that numbers only rise. The conflict clause of a statement holds in its triggers, too. */
const noteOf = (rule: string): string =>
  `insert into route_written (route_rule_id) select ${rule} where ${rule} is not null; ` +
  `delete from route_written where route_rule_id = ${rule} and at < (select max(at) from route_written);`

// The tables that follow the host: what they held when a window was opened, what differs from it, and the way back.
import { sql } from 'kysely'
import type { SafeApplyItem } from '@panel/shared/api/safe-apply.ts'
import type { WriteDb } from '../../platform/context.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

export interface Followed {
  readonly table: string
  readonly key: string
  /** What a person calls a row. Rows of the others belong to one of these. */
  readonly named?: { readonly kind: SafeApplyItem['kind']; readonly title: string }
  readonly parent?: { readonly kind: SafeApplyItem['kind']; readonly table: string; readonly key: string }
  /** A row that goes stays, marked, so that its id keeps its meaning. */
  readonly isMarked?: true
}

/** Everything that an operator decides. The others hold what was measured, what was done, and who may come in. */
export const FOLLOWED: readonly Followed[] = [
  { table: 'address_pool', key: 'address_pool_id', named: { kind: 'pool', title: 'address_pool_title' } },
  { table: 'tunnel', key: 'tunnel_id', named: { kind: 'tunnel', title: 'interface_name' }, isMarked: true },
  ...childrenOf('tunnel', 'tunnel', ['tunnel_address']),
  { table: 'route_rule', key: 'route_rule_id', named: { kind: 'route', title: 'route_rule_title' }, isMarked: true },
  ...childrenOf('route', 'route_rule', ['route_destination', 'route_allowed_source']),
  { table: 'route_check', key: 'route_rule_id', parent: { kind: 'route', table: 'route_rule', key: 'route_rule_id' } },
  { table: 'network', key: 'network_id', named: { kind: 'network', title: 'network_title' }, isMarked: true },
  ...childrenOf('network', 'network', ['network_path', 'network_address']),
  { table: 'setting', key: 'key', named: { kind: 'setting', title: 'key' } },
]

function childrenOf(kind: SafeApplyItem['kind'], table: string, tables: readonly string[]): Followed[] {
  return tables.map((name) => ({ table: name, key: `${name}_id`, parent: { kind, table, key: `${table}_id` } }))
}

/** Call it in a transaction. */
export async function rememberAll(db: WriteDb): Promise<void> {
  await db.deleteFrom('safe_apply_row').execute()
  for (const { table, key } of FOLLOWED)
    await sql`insert into safe_apply_row select ${table}, ${sql.ref(key)}, ${await asJson(db, table)}
      from ${sql.table(table)}`.execute(db)
}

interface Difference {
  readonly row_key: string
  readonly before: string | null
  readonly now: string | null
}

async function differencesOf(db: WriteDb, { table, key }: Followed): Promise<readonly Difference[]> {
  const now = sql`select cast(${sql.ref(key)} as text) as row_key, ${await asJson(db, table)} as now from ${sql.table(table)}`
  const before = sql`select row_key, before from safe_apply_row where table_name = ${table}`
  const { rows } = await sql<Difference>`
    select row_key, before, now from (${before}) left join (${now}) using (row_key) where now is null or now <> before
    union all
    select row_key, null, now from (${now}) where row_key not in (select row_key from (${before}))
    order by 1`.execute(db)
  return rows
}

/** What a change that came to nothing leaves behind in a record, and what is found out about it meanwhile. */
export const NOTES: readonly string[] = [
  'updated_date',
  'apply_status_id',
  'last_apply_error',
  'last_apply_error_message',
  'last_applied_date',
  'local_endpoint_problem',
  'local_endpoint_problem_message',
  'remote_resolved_date',
  'remote_hostname_problem',
  'remote_hostname_problem_message',
]

const isOfNotesAlone = ({ before, now }: Difference): boolean => {
  const [was, is] = [rowIn(before), rowIn(now)]
  return was !== null && is !== null && Object.keys(is).every((name) => NOTES.includes(name) || was[name] === is[name])
}

/** What has been changed since, by name: one entry for each object. */
export async function changedItems(db: WriteDb): Promise<SafeApplyItem[]> {
  const items = new Map<string, SafeApplyItem>()
  for (const one of FOLLOWED)
    for (const difference of await differencesOf(db, one)) {
      if (isOfNotesAlone(difference)) continue
      const item = one.named ? itemOf(one.named, one, difference) : await parentItem(db, one, difference)
      const id = item && `${item.kind} ${item.target_id ?? item.title}`
      if (item && id !== null && !items.has(id)) items.set(id, item)
    }
  return [...items.values()]
}

type Row = Readonly<Record<string, unknown>>
const rowIn = (json: string | null): Row | null => (json === null ? null : (fromStoredJson(json) as Row))

function itemOf({ kind, title }: NonNullable<Followed['named']>, { key }: Followed, { before, now }: Difference) {
  const [was, is] = [rowIn(before), rowIn(now)]
  const row = is ?? was ?? {}
  const isGone = (of: Row | null): boolean => !of || typeof of['deleted_date'] === 'string'
  if (isGone(was) && isGone(is)) return null
  const target_id = typeof row[key] === 'number' ? row[key] : null
  // A setting is always there: without a row it has its default.
  const what = kind === 'setting' ? 'updated' : isGone(was) ? 'created' : isGone(is) ? 'deleted' : 'updated'
  return { kind, target_id, title: String(row[title]), what } as const
}

async function parentItem(db: WriteDb, { parent }: Followed, difference: Difference): Promise<SafeApplyItem | null> {
  const of = FOLLOWED.find(({ table }) => table === parent?.table)
  const id = rowIn(difference.now ?? difference.before)?.[parent?.key ?? '']
  if (!of?.named || typeof id !== 'number') return null
  const { rows } = await sql<{ title: string }>`select ${sql.ref(of.named.title)} as title from ${sql.table(of.table)}
    where ${sql.ref(of.key)} = ${id} and deleted_date is null`.execute(db)
  const [row] = rows
  return row ? { kind: of.named.kind, target_id: id, title: row.title, what: 'updated' } : null
}

/** Call it in a transaction. What was created since is marked as deleted, or deleted. */
export async function putAllBack(db: WriteDb, now: string): Promise<void> {
  // Rows refer to one another across the tables, and are whole again only at the end.
  await sql`pragma defer_foreign_keys = on`.execute(db)
  const all = await Promise.all(FOLLOWED.map(async (one) => [one, await differencesOf(db, one)] as const))
  for (const [one, differences] of all) await takeAway(db, one, differences, now)
  for (const [one, differences] of all)
    await writeBack(
      db,
      one,
      differences.filter(({ before }) => before !== null),
    )
  await db.deleteFrom('safe_apply_row').execute()
}

/** First of all tables: a name that is unique may have gone to another row meanwhile. */
async function takeAway(
  db: WriteDb,
  { table, key, isMarked }: Followed,
  differences: readonly Difference[],
  now: string,
): Promise<void> {
  for (const { row_key, before } of differences) {
    const where = sql`where ${sql.ref(key)} = ${row_key}`
    if (before === null && isMarked)
      await sql`update ${sql.table(table)} set deleted_date = coalesce(deleted_date, ${now}) ${where}`.execute(db)
    else await sql`delete from ${sql.table(table)} ${where}`.execute(db)
  }
}

/** In the columns that both know: an upgrade may have added one meanwhile, which has its default then. */
async function writeBack(db: WriteDb, { table }: Followed, differences: readonly Difference[]): Promise<void> {
  const known = rowIn(differences[0]?.before ?? null) ?? {}
  const names = (await columnsOf(db, table)).filter((name) => Object.hasOwn(known, name))
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const values = sql.join(names.map((name) => sql`json_extract(before, ${`$.${name}`})`))
  for (const { row_key } of differences)
    await sql`insert into ${sql.table(table)} (${columns}) select ${values} from safe_apply_row
      where table_name = ${table} and row_key = ${row_key}`.execute(db)
}

async function asJson(db: WriteDb, table: string) {
  const pairs = (await columnsOf(db, table)).flatMap((name) => [sql.lit(name), sql.ref(name)])
  return sql<string>`json_object(${sql.join(pairs)})`
}

async function columnsOf(db: WriteDb, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db)
  return rows.map(({ name }) => name)
}

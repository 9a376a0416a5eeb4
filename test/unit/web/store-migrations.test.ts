// A store of any earlier release, with rows in every table, becomes one of the next: nothing is lost, and a copy of what
// it was is kept.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import { MIGRATIONS } from '@panel/web-daemon/app/migrations.ts'
import type { NamedMigration } from '@panel/web-daemon/platform/db/migrate.ts'
import { openExistingStore, openStore } from '@panel/web-daemon/app/store.ts'

type Row = Record<string, unknown>
interface Column {
  readonly name: string
  readonly type: string
}

const ROWS = 3

/** How many migrations the first release has. A store with those is brought forward to each that comes after them. */
const FIRST_RELEASE = 11
const NEXT: NamedMigration = {
  name: '900-next',
  migration: { up: async (db) => void (await sql`alter table tunnel add column later text`.execute(db)) },
}
const WITH_NEXT = [...MIGRATIONS, NEXT]

const tablesOf = (db: SQLite.Database): string[] =>
  db
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%' order by rowid",
    )
    .pluck()
    .all() as string[]
const columnsOf = (db: SQLite.Database, table: string): Column[] => db.pragma(`table_info(${table})`) as Column[]

/**
 * Rows that differ in every column, and keep to references and to flags. Tables stand in the order of their making, so
 * what is referred to is there.
 */
const fill = (db: SQLite.Database): void => {
  for (const table of tablesOf(db)) {
    const references = new Map(
      (db.pragma(`foreign_key_list(${table})`) as { from: string }[]).map(({ from }) => [from, true]),
    )
    const columns = columnsOf(db, table)
    const insert = db.prepare(
      `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    )
    for (let row = 1; row <= ROWS; row++)
      insert.run(columns.map(({ name, type }) => valueFor(name, type, row, references.has(name))))
  }
}

const valueFor = (name: string, type: string, row: number, isReference: boolean): unknown => {
  if (type === 'TEXT') return `${name} ${row}`
  if (type === 'REAL') return row + 0.5
  if (type === 'BLOB') return Buffer.from(`${name} ${row}`)
  if (/^(is|has)_/.test(name)) return row % 2
  return isReference || name.endsWith('_id') ? 1000 + row : row
}

const contentOf = (db: SQLite.Database, columns: ReadonlyMap<string, readonly string[]>): Map<string, Row[]> =>
  new Map(
    [...columns].map(([table, names]) => [
      table,
      db.prepare(`select ${names.join(', ')} from ${table} order by ${names.join(', ')}`).all() as Row[],
    ]),
  )
const schemaOf = (db: SQLite.Database): Map<string, string[]> =>
  new Map(tablesOf(db).map((table) => [table, columnsOf(db, table).map(({ name }) => name)]))

describe('A store of an earlier release', () => {
  let directory: string
  let path: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'panel-migrate-'))
    path = join(directory, 'panel.db')
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  /** Closes it again. */
  const looking = <T>(file: string, look: (db: SQLite.Database) => T): T => {
    const db = new SQLite(file)
    try {
      return look(db)
    } finally {
      db.close()
    }
  }
  const make = async (
    list: readonly NamedMigration[],
  ): Promise<{ schema: Map<string, string[]>; content: Map<string, Row[]> }> => {
    await (await openStore(path, list)).destroy()
    return looking(path, (db) => {
      fill(db)
      const schema = schemaOf(db)
      return { schema, content: contentOf(db, schema) }
    })
  }

  for (const [at, next] of WITH_NEXT.entries()) {
    if (at < FIRST_RELEASE) continue
    it(`that has no ${next.name} yet keeps all that it holds, and a copy of itself`, async () => {
      const { schema, content } = await make(WITH_NEXT.slice(0, at))
      assert.ok([...content.values()].every((rows) => rows.length >= ROWS))
      await (await openStore(path, WITH_NEXT)).destroy()
      looking(path, (db) => {
        assert.deepEqual(contentOf(db, schema), content)
        assert.deepEqual([db.pragma('integrity_check', { simple: true }), db.pragma('foreign_key_check')], ['ok', []])
        assert.deepEqual(
          db.prepare('select name from kysely_migration order by name').pluck().all(),
          WITH_NEXT.map((one) => one.name),
        )
      })
      const copy = `${path}.before-${next.name}`
      assert.deepEqual(readdirSync(directory).sort(), ['panel.db', `panel.db.before-${next.name}`])
      assert.equal(statSync(copy).mode & 0o777, 0o600)
      looking(copy, (db) => {
        assert.deepEqual([schemaOf(db), contentOf(db, schema)], [schema, content])
        assert.equal(db.pragma('integrity_check', { simple: true }), 'ok')
      })
    })
  }

  it('that is of a build newer than this one is refused, and not a byte of it is touched', async () => {
    await make([...MIGRATIONS, { name: '900-later', migration: { up: async () => undefined } }])
    const bytes = readFileSync(path)
    await assert.rejects(
      openStore(path),
      /written by a newer build \(it has 900-later\)\. Install that build again, or put back a copy/,
    )
    assert.ok(readFileSync(path).equals(bytes))
    assert.deepEqual(readdirSync(directory), ['panel.db'])
  })

  it('that was never released, which gave a number to another migration, is refused, and not a byte of it is touched', async () => {
    const [first, ...others] = MIGRATIONS
    await make([{ ...first!, name: '001-accounts-and-audit' }, ...others])
    const bytes = readFileSync(path)
    const refusal = { name: 'StoreUnreleasedError', message: /001-accounts-and-audit.*export a backup/ }
    await assert.rejects(openStore(path), refusal)
    await assert.rejects(openExistingStore(path), refusal)
    assert.ok(readFileSync(path).equals(bytes))
    assert.deepEqual(readdirSync(directory), ['panel.db'])
  })

  it('can be gone back to by its copy', async () => {
    const { schema, content } = await make(MIGRATIONS)
    await (await openStore(path, WITH_NEXT)).destroy()
    const copy = `${path}.before-${NEXT.name}`
    await (await openStore(copy)).destroy()
    looking(copy, (db) => assert.deepEqual(contentOf(db, schema), content))
  })
})

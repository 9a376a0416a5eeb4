// The store on disk: private, durable, migrated with a copy kept, and never opened by a build that is too old for it.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import { insertFirstAccount } from '@panel/web-daemon/features/auth/store.ts'
import { MIGRATIONS } from '@panel/web-daemon/app/migrations.ts'
import type { NamedMigration } from '@panel/web-daemon/platform/db/migrate.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'

const LATER: NamedMigration = {
  name: '900-later',
  migration: { up: async (db) => void (await sql`ALTER TABLE user_account ADD COLUMN later TEXT`.execute(db)) },
}
const BROKEN: NamedMigration = {
  name: '901-broken',
  migration: { up: async (db) => void (await sql`CREATE TABLE half (a)`.execute(db), await sql`NONSENSE`.execute(db)) },
}

describe('the store', () => {
  let directory: string
  let path: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'panel-store-'))
    path = join(directory, 'panel.db')
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('is readable by its owner only, its companions too', async () => {
    const db = await openStore(path)
    await insertFirstAccount(db, 'operator', 'hash', new Date().toISOString())
    for (const name of readdirSync(directory)) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name)
    assert.deepEqual(readdirSync(directory).sort(), ['panel.db', 'panel.db-shm', 'panel.db-wal'])
    await db.destroy()
  })

  it('writes ahead, syncs fully, holds to foreign keys, and never waits for a lock in the thread that answers everybody', async () => {
    const db = await openStore(path)
    const pragma = async (name: string): Promise<unknown> =>
      Object.values((await sql.raw<object>(`PRAGMA ${name}`).execute(db)).rows[0] ?? {})[0]
    assert.deepEqual(await Promise.all(['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map(pragma)), [
      'wal',
      2,
      1,
      0,
    ])
    await db.destroy()
  })

  it('keeps a copy of itself before it is migrated, and none when there is nothing to migrate', async () => {
    const first = await openStore(path)
    await insertFirstAccount(first, 'operator', 'hash', new Date().toISOString())
    await first.destroy()
    await (await openStore(path)).destroy()
    assert.deepEqual(readdirSync(directory), ['panel.db'])
    await (await openStore(path, [...MIGRATIONS, LATER])).destroy()
    const copy = `${path}.before-900-later`
    assert.equal(statSync(copy).mode & 0o777, 0o600)
    const old = new SQLite(copy, { readonly: true })
    assert.deepEqual(old.prepare('SELECT username FROM user_account').all(), [{ username: 'operator' }])
    assert.ok(!(old.pragma('table_info(user_account)') as { name: string }[]).some(({ name }) => name === 'later'))
    old.close()
  })

  it('is as it was where a migration fails half-way', async () => {
    await (await openStore(path)).destroy()
    await assert.rejects(openStore(path, [...MIGRATIONS, LATER, BROKEN]))
    const db = await openStore(path)
    const tables = (await db.introspection.getTables()).map(({ name }) => name)
    assert.ok(!tables.includes('half'))
    await db.destroy()
  })

  it('of a newer build is refused in words, and left alone', async () => {
    await (await openStore(path, [...MIGRATIONS, LATER])).destroy()
    await assert.rejects(openStore(path), /written by a newer build \(it has 900-later\)/)
    await (await openStore(path, [...MIGRATIONS, LATER])).destroy()
    assert.ok(!existsSync(`${path}.before-900-later`))
  })

  it('names its migrations in the order in which they run', () => {
    const names = MIGRATIONS.map(({ name }) => name)
    assert.deepEqual(names.slice(0, 3), ['001-auth', '002-pools', '003-tunnels'])
    assert.deepEqual(names, [...names].sort())
  })
})

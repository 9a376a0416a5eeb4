// A store that cannot be opened: the panel does not start on it, and says which file, why, what to do and which copy
// there is.
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { MIGRATIONS } from '@panel/web-daemon/app/migrations.ts'
import { openExistingStore, openStore } from '@panel/web-daemon/app/store.ts'
import { BUSY_WAIT_MS } from '@panel/web-daemon/platform/db/state.ts'
import { StoreUnusableError } from '@panel/web-daemon/platform/db/trouble.ts'
import { holdLock } from '../../api/support/held-lock.ts'

const PAGE = 4096

describe('A store that cannot be opened', () => {
  let directory: string
  let path: string
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'panel-unusable-'))
    path = join(directory, 'panel.db')
    await (await openStore(path)).destroy()
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const refused = async (...patterns: (RegExp | string)[]): Promise<void> => {
    await assert.rejects(openStore(path), (failure) => {
      assert.ok(failure instanceof StoreUnusableError)
      for (const part of [path, ...patterns])
        assert.ok(
          typeof part === 'string' ? failure.message.includes(part) : part.test(failure.message),
          failure.message,
        )
      return true
    })
  }
  /** Bytes that SQLite never writes, in the place of one page, counted from 1. */
  const overwrite = (page: number): void => {
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(PAGE, 0xa5), 0, PAGE, (page - 1) * PAGE)
    closeSync(file)
  }
  /** The first page of a table. */
  const rootOf = (table: string): number => {
    const db = new SQLite(path, { readonly: true })
    try {
      return db.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(table) as number
    } finally {
      db.close()
    }
  }

  for (const [what, change] of [
    ['a trigger', 'create trigger kept after update on user_account begin select 1; end'],
    ['a view', 'create view seen as select * from user_account'],
    ['a table', 'create table more (one text)'],
    ['an index', 'create index quick on tunnel (note)'],
    ['a column', 'alter table tunnel add column more text'],
    ['no table where one of its own was', 'drop table monitor_tick'],
  ] as const)
    it(`since something else has put ${what} into it, is refused by the daemon and by the commands`, async () => {
      const db = new SQLite(path)
      db.exec(change)
      db.close()
      await refused(/PANEL_ALTERED/, /tables of the panel's store are not those that the panel makes/)
      await assert.rejects(openExistingStore(path), /PANEL_ALTERED|not what the migrations make/)
    })

  it('is opened with statistics of SQLite in it, and after a vacuum', async () => {
    const db = new SQLite(path)
    db.exec('analyze; vacuum')
    db.close()
    await (await openStore(path)).destroy()
    await (await openExistingStore(path)).destroy()
  })

  for (const table of ['user_account', 'setting', 'tunnel', 'tunnel_address', 'route_rule', 'kysely_migration']) {
    it(`since ${table} is damaged, is refused before anything relies on it`, async () => {
      overwrite(rootOf(table))
      await refused(
        /SQLITE_CORRUPT/,
        /is damaged, or its disk fails\..* stop the panel, put the newest copy in the file's place/,
        /There is no copy of it beside it/,
      )
    })
  }

  it('since its first page is damaged, or it is no store at all, or was cut off, is refused, and left as it is', async () => {
    const whole = readFileSync(path)
    const spoil = [
      () => overwrite(1),
      () => writeFileSync(path, 'not a store'.repeat(1000)),
      () => truncateSync(path, whole.length - 20 * PAGE),
    ]
    for (const change of spoil) {
      writeFileSync(path, whole)
      change()
      const spoilt = readFileSync(path)
      await refused(/SQLITE_(CORRUPT|NOTADB)/)
      assert.ok(readFileSync(path).equals(spoilt))
    }
  })

  it('is reported with the newest of its copies, which opens in its place', async () => {
    const copies = MIGRATIONS.slice(1, 4).map(({ name }) => `${path}.before-${name}`)
    for (const [at, copy] of copies.entries()) {
      copyFileSync(path, copy)
      utimesSync(copy, at, at)
    }
    writeFileSync(`${path}.before-900-later.unfinished`, '')
    overwrite(rootOf('user_account'))
    await refused(/The newest copy of it: /, copies.at(-1)!)
    copyFileSync(copies.at(-1)!, path)
    await (await openStore(path)).destroy()
  })

  it('since it was emptied, is not taken for a new one, in which anybody could make the account', async () => {
    copyFileSync(path, `${path}.before-002-pools`)
    truncateSync(path, 0)
    await refused(/SQLITE_CORRUPT/, `${path}.before-002-pools`)
    assert.equal(statSync(path).size, 0)
  })

  it('since it is locked, is waited for and then refused, and opens once it is not', async () => {
    const release = await holdLock(path, 'pragma locking_mode = exclusive; begin exclusive')
    const started = Date.now()
    await refused(/SQLITE_BUSY/, /Another program holds the panel's store locked/)
    assert.ok(Date.now() - started >= BUSY_WAIT_MS - 100)
    await release()
    await (await openStore(path)).destroy()
  })

  it('since its folder is not there, is refused too', async () => {
    path = join(directory, 'none', 'panel.db')
    await assert.rejects(openStore(path), { code: 'ENOENT' })
    assert.ok(!existsSync(path))
  })

  it('differs from one whose history alone is damaged, which opens', async () => {
    overwrite(rootOf('monitor_bucket'))
    await (await openStore(path)).destroy()
  })
})

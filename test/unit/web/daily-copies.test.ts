// The daily copy of the store: one a day, two kept, whole or not at all, and never one of a store that is damaged.
import assert from 'node:assert/strict'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { insertFirstAccount, onlyAccount } from '@panel/web-daemon/features/auth/store.ts'
import { copyIfDue } from '@panel/web-daemon/platform/db/daily-copies.ts'
import { makeDailyCopy } from '@panel/web-daemon/platform/db/daily-copy.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'

const DAY_S = 24 * 60 * 60
const NOW = Date.parse('2030-01-01T00:00:00Z') / 1000

describe('The daily copy of the store', function () {
  let folder: string
  let path: string
  let db: Store
  let now: number
  let isWorthCopying: boolean
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-copies-'))
    path = join(folder, 'panel.db')
    db = await openStore(path)
    await insertFirstAccount(db, 'first', 'hash', 'now')
    now = NOW
    isWorthCopying = true
  })
  afterEach(async () => {
    await db.destroy()
    rmSync(folder, { recursive: true })
  })
  const newest = (): string => `${path}.daily-1`
  const before = (): string => `${path}.daily-2`
  const copies = (): string[] => readdirSync(folder).filter((name) => name.includes('.daily-'))
  /** Looks, as it does every hour; a copy gets the time of the test's clock. */
  const look = async (): Promise<void> => {
    const inode = existsSync(newest()) ? statSync(newest()).ino : 0
    await copyIfDue({
      db,
      now: () => new Date(now * 1000),
      logger: makeLogger({ write: () => undefined }),
      isWorthCopying: async () => isWorthCopying,
    })
    if (existsSync(newest()) && statSync(newest()).ino !== inode) utimesSync(newest(), now, now)
  }
  const nameIn = async (copy: string): Promise<string> => {
    const opened = await openStore(copy)
    const account = await onlyAccount(opened)
    await opened.destroy()
    return account?.username ?? ''
  }
  const rename = (username: string): Promise<unknown> => db.updateTable('user_account').set({ username }).execute()

  it('is made once a day, of mode 0600, and that of the day before is kept', async () => {
    await look()
    assert.deepEqual([copies(), statSync(newest()).mode & 0o777], [['panel.db.daily-1'], 0o600])
    await rename('second')
    now += DAY_S - 1
    await look()
    assert.equal(await nameIn(newest()), 'first')
    now += 1
    await look()
    assert.deepEqual([await nameIn(newest()), await nameIn(before())], ['second', 'first'])
    await rename('third')
    now += DAY_S
    await look()
    assert.deepEqual([await nameIn(newest()), await nameIn(before())], ['third', 'second'])
    assert.equal(db.copyTrouble, null)
  })

  it('has what only the WAL holds yet', async () => {
    await rename('in the WAL')
    makeDailyCopy(path)
    assert.equal(await nameIn(newest()), 'in the WAL')
  })

  it('is not made before there is an account', async () => {
    isWorthCopying = false
    await look()
    assert.deepEqual(copies(), [])
  })

  it('is due again after one that was made while the clock was ahead', async () => {
    now = NOW + 400 * DAY_S
    await look()
    await rename('later')
    now = NOW
    await look()
    assert.equal(await nameIn(newest()), 'later')
  })

  it('takes the place of what a daemon that was killed has left of one', async () => {
    writeFileSync(`${newest()}.unfinished`, 'half a copy')
    await look()
    assert.deepEqual(copies(), ['panel.db.daily-1'])
    assert.equal(await nameIn(newest()), 'first')
  })

  for (const table of ['setting', 'audit_log', 'monitor_bucket'])
    it(`is not made of a store whose ${table} is damaged: the copies stay, and health says so`, async () => {
      for (let day = 0; day < 2; day += 1) {
        await look()
        now += DAY_S
      }
      const kept = [newest(), before()].map((copy) => readFileSync(copy))
      await damage(table)
      await look()
      assert.deepEqual(
        [newest(), before()].map((copy, at) => readFileSync(copy).equals(kept[at] ?? Buffer.alloc(0))),
        [true, true],
      )
      assert.deepEqual(copies(), ['panel.db.daily-1', 'panel.db.daily-2'])
      assert.equal((await db.trouble())?.reason, 'damaged')
    })

  it('is not made where it cannot be written, which health says until one is', async () => {
    const { path: is } = db
    Object.assign(db, { path: join(folder, 'gone', 'panel.db') })
    await look()
    assert.match(db.copyTrouble?.message ?? '', /could not be made/)
    Object.assign(db, { path: is })
    await look()
    assert.deepEqual([db.copyTrouble, copies()], [null, ['panel.db.daily-1']])
  })

  /** Overwrites the first page of the table in the file, with all of the WAL in it. */
  const damage = async (table: string): Promise<void> => {
    const sqlite = new SQLite(path)
    sqlite.pragma('wal_checkpoint(truncate)')
    const page = sqlite.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(table) as number
    sqlite.close()
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096)
    closeSync(file)
  }
})

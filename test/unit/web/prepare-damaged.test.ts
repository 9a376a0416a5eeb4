// A store or a signing key that is damaged in whatever way when the web daemon starts: it is left as it is, and the way
// back is reported (decisions.md, Y13, Y16).
import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import SQLite from 'better-sqlite3'
import { CONTENT, StartUp } from './start-up.ts'

describe('What the panel finds damaged when it starts', () => {
  let panel: StartUp
  let store: string
  let key: string
  beforeEach(() => {
    panel = new StartUp()
    ;({ store, key } = panel)
  })
  afterEach(() => panel.remove())
  const prepared = () => panel.prepared()
  const setUp = () => panel.setUp()
  const refusesUntouched = (...reasons: string[]) => panel.refusesUntouched(...reasons)

  describe('A store that is damaged', () => {
    beforeEach(async () => {
      await setUp()
      copyFileSync(store, `${store}.daily-1`)
    })
    const overwrite = (bytes: Buffer, at = 0): void => {
      const file = openSync(store, 'r+')
      writeSync(file, bytes, 0, bytes.length, at)
      closeSync(file)
    }
    const damages: Record<string, readonly [reason: string, () => void]> = {
      'has another header': ['damaged', () => overwrite(Buffer.from(CONTENT))],
      'is cut to half': ['damaged', () => truncateSync(store, Math.floor(statSync(store).size / 2))],
      'is zero-filled': ['damaged', () => overwrite(Buffer.alloc(statSync(store).size))],
      'is text': ['damaged', () => writeFileSync(store, CONTENT.repeat(1000))],
      'has a name of garbage in its schema': [
        'damaged',
        () => overwrite(Buffer.from(CONTENT.padEnd(30)), readFileSync(store).indexOf('CREATE TABLE "user_account"')),
      ],
      'is a folder': [
        'unreachable',
        () => {
          rmSync(store)
          mkdirSync(store)
        },
      ],
      'is a link that leads nowhere': [
        'unopened',
        () => {
          rmSync(store)
          symlinkSync('/nowhere/at/all', store)
        },
      ],
      'is a database of another program': [
        'foreign',
        () => {
          rmSync(store)
          new SQLite(store)
            .exec(`create table ${CONTENT} (a text); insert into ${CONTENT} values ('${CONTENT}')`)
            .close()
        },
      ],
      'has a setting that is no JSON': [
        'damaged',
        () => {
          const sqlite = new SQLite(store)
          sqlite
            .prepare('insert into setting (key, value, updated_date) values (?, ?, ?)')
            .run('display.theme', `{"${CONTENT}`, 'now')
          sqlite.pragma('wal_checkpoint(truncate)')
          sqlite.close()
        },
      ],
      'is of a newer version': [
        'too_new',
        () => {
          const sqlite = new SQLite(store)
          sqlite.prepare('insert into kysely_migration (name, timestamp) values (?, ?)').run(CONTENT, 'now')
          sqlite.pragma('wal_checkpoint(truncate)')
          sqlite.close()
        },
      ],
    }
    for (const [what, [reason, damage]] of Object.entries(damages))
      it(`since it ${what} is left as it is, and reported with the way back: ${reason}`, async () => {
        damage()
        const why = await refusesUntouched(reason)
        if (reason !== 'unreachable') assert.ok(why.includes(`cp -p ${store}.daily-1 ${store}`), why)
      })

    it('since it is of a version that was never released is left as it is, and reported with the way to an empty one', async () => {
      const sqlite = new SQLite(store)
      sqlite.exec("update kysely_migration set name = '001-accounts-and-audit' where name = '001-auth'")
      sqlite.pragma('wal_checkpoint(truncate)')
      sqlite.close()
      const why = await refusesUntouched('unreleased')
      assert.match(why, /export a backup.*tunnel-panel set-aside panel\.db && tunnel-panel open-setup/s)
      assert.ok(!why.includes('cp -p'), why)
    })

    it('is named together with a key that is damaged', async () => {
      overwrite(Buffer.from(CONTENT))
      truncateSync(key, 0)
      await refusesUntouched('damaged', 'signing_key')
    })
  })

  describe('A signing key that is damaged', () => {
    beforeEach(setUp)
    const damages: Record<string, () => void> = {
      'is empty': () => truncateSync(key, 0),
      'is cut short': () => truncateSync(key, 31),
      'is too long': () => appendFileSync(key, CONTENT),
      'is zero-filled': () => writeFileSync(key, Buffer.alloc(32)),
      'is a folder': () => {
        rmSync(key)
        mkdirSync(key, { mode: 0o700 })
      },
      'is a link that leads nowhere': () => {
        rmSync(key)
        symlinkSync('/nowhere/at/all', key)
      },
    }
    for (const [what, damage] of Object.entries(damages))
      it(`since it ${what} is left as it is, and reported with the command that sets it aside`, async () => {
        damage()
        assert.match(await refusesUntouched('signing_key'), /tunnel-panel set-aside session\.key/)
      })

    it('since other users can read it is reported with the command that mends it', async () => {
      chmodSync(key, 0o644)
      assert.match(await refusesUntouched('signing_key'), /chmod 600 .*session\.key/)
    })

    it('is made again once it is gone while the store is there, and the account stays', async () => {
      rmSync(key)
      const { db, signing_key } = await prepared()
      assert.equal((await db.selectFrom('user_account').selectAll().execute()).length, 1)
      await db.destroy()
      assert.ok(readFileSync(key).equals(signing_key.export()))
      assert.ok(panel.log.some((line) => line.includes('everyone signs in again')))
    })
  })
})

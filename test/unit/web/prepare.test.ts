// What the web daemon finds when it starts: a panel, a first start that root vouches for, or why it cannot start
// (decisions.md, Y12, Y13). Whatever it finds, it changes nothing before it can serve.
import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import type { Ours } from '@panel/shared/host/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { prepare, type Prepared } from '@panel/web-daemon/app/prepare.ts'
import type { Fault } from '@panel/web-daemon/app/fault.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { signingKey } from '@panel/web-daemon/features/auth/key.ts'
import { openedSetupFile, openSetupByRoot } from '@panel/web-daemon/features/auth/opened-setup.ts'
import { insertFirstAccount } from '@panel/web-daemon/features/auth/store.ts'
import type { HelperClient } from '@panel/web-daemon/platform/helper/client.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'

const NOTHING: Ours = { tunnels: 0, rules: 0, is_any: false }
const SOMETHING: Ours = { tunnels: 2, rules: 3, is_any: true }
/** Stands in every damaged file, and must stand in no message. */
const CONTENT = 'qX7content'

describe('What the panel finds when it starts', () => {
  let folder: string
  let store: string
  let key: string
  let log: string[]
  let answer: () => Ours | null
  let isAsked: boolean
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'panel-prepare-'))
    store = join(folder, 'panel.db')
    key = join(folder, 'session.key')
    log = []
    isAsked = false
    answer = () => NOTHING
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const look = (): ReturnType<typeof prepare> =>
    prepare({
      state_dir: folder,
      logger: makeLogger({ write: (line) => void log.push(line) }),
      request: (async () => {
        isAsked = true
        return { ours: answer() }
      }) as unknown as HelperClient['request'],
    })
  const faultsOf = async (): Promise<readonly Fault[]> => {
    const found = await look()
    if ('db' in found) await found.db.destroy()
    assert.ok(!('db' in found), 'the panel can start')
    return found
  }
  const prepared = async (): Promise<Prepared> => {
    const found = await look()
    assert.ok('db' in found, JSON.stringify(found))
    return found
  }
  const starts = async (): Promise<void> => (await prepared()).db.destroy()
  const text = (faults: readonly Fault[]): string =>
    faults.flatMap(({ sentences }) => sentences.map((one) => one.message)).join(' ')
  const makeAccount = async ({ db, onFirstAccount }: Prepared): Promise<void> => {
    await insertFirstAccount(db, 'operator', 'hash', new Date().toISOString(), onFirstAccount)
    await db.destroy()
  }
  /** A panel that was set up. */
  const setUp = async (): Promise<void> => makeAccount(await prepared())
  const picture = (): string[] =>
    readdirSync(folder)
      .sort()
      .map((name) => {
        const path = join(folder, name)
        return `${name} ${lstatSync(path).isFile() ? readFileSync(path).toString('base64') : 'no file'}`
      })
  const refusesUntouched = async (...reasons: string[]): Promise<string> => {
    const before = picture()
    const faults = await faultsOf()
    assert.deepEqual(
      faults.map(({ reason }) => reason),
      reasons,
    )
    assert.deepEqual(picture(), before)
    for (const line of [text(faults), ...log]) assert.ok(!line.includes(CONTENT), line)
    return text(faults)
  }

  describe('A first start', () => {
    it('is one without a key where root holds nothing, and makes the key with the first account', async () => {
      await starts()
      assert.deepEqual([isAsked, existsSync(key)], [true, false])
      await setUp()
      assert.equal(statSync(key).mode & 0o777, 0o600)
      isAsked = false
      await starts()
      assert.equal(isAsked, false)
    })

    it('is one still when the daemon was restarted before there was an account', async () => {
      for (let start = 0; start < 3; start += 1) await starts()
    })

    it('is one although the last was cut short at any moment', async () => {
      writeFileSync(store, '', { mode: 0o600 })
      await starts()
      rmSync(store)
      new SQLite(store).exec('pragma journal_mode = wal').close()
      await starts()
    })

    it('is none where root holds something: the store is lost', async () => {
      answer = () => SOMETHING
      const why = await refusesUntouched('lost')
      assert.match(why, /Tunnels: 2, relay rules: 3\./)
      assert.match(why, /tunnel-panel open-setup/)
    })

    it('is not known before root has answered, and nothing is written', async () => {
      answer = () => {
        throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_away'))
      }
      const why = await refusesUntouched('first_start_unknown')
      assert.match(why, /cannot be reached or does not answer/)
      assert.match(why, /Setup stays closed until it does/)
      answer = () => null
      await refusesUntouched('first_start_unknown')
      answer = () => NOTHING
      await starts()
    })

    it('is none with a key that another start has made meanwhile', async () => {
      const first = await prepared()
      signingKey(key)
      const bytes = readFileSync(key)
      await makeAccount(first)
      assert.ok(readFileSync(key).equals(bytes))
    })
  })

  describe('A store is lost', () => {
    beforeEach(async () => {
      await setUp()
      isAsked = false
    })
    const lost: Record<string, () => unknown> = {
      'that is missing': () => rmSync(store),
      'that is empty': () => truncateSync(store, 0),
      'that is cut to so few bytes that SQLite takes it for empty': () => truncateSync(store, 100),
      'that is missing beside its WAL': () => {
        rmSync(store)
        writeFileSync(`${store}-wal`, CONTENT)
      },
      'that has tables and no account': async () => {
        rmSync(store)
        await (await openStore(store)).destroy()
      },
      'without its key, where a copy of it is left': () => {
        copyFileSync(store, `${store}.daily-1`)
        rmSync(store)
        rmSync(key)
      },
      'without its key, where its WAL is left': () => {
        rmSync(store)
        rmSync(key)
        writeFileSync(`${store}-wal`, CONTENT)
      },
      'beside a key that is damaged': () => {
        rmSync(store)
        writeFileSync(key, CONTENT)
      },
    }
    for (const [what, lose] of Object.entries(lost))
      it(`${what}, and nobody can make an account in it`, async () => {
        await lose()
        const why = await refusesUntouched('lost')
        assert.equal(isAsked, false)
        assert.match(why, /Setup stays closed/)
        assert.match(why, /tunnel-panel open-setup/)
      })

    it('with everything of it, which root tells by what it holds', async () => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name))
      answer = () => SOMETHING
      await refusesUntouched('lost')
    })

    it('and is found again by its copy, which is named', async () => {
      copyFileSync(store, `${store}.daily-1`)
      rmSync(store)
      assert.ok((await refusesUntouched('lost')).includes(`cp -p ${store}.daily-1 ${store}`))
      copyFileSync(`${store}.daily-1`, store)
      await starts()
    })
  })

  describe('Setup that root has opened', () => {
    beforeEach(async () => {
      await setUp()
      rmSync(store)
    })
    const isRoot = process.getuid?.() === 0
    const opened = (): string => openedSetupFile(folder)

    it('is good for one account, also after a restart, and for none after that', async function () {
      if (!isRoot) this.skip()
      openSetupByRoot(folder)
      await starts()
      await setUp()
      assert.ok(!existsSync(opened()))
      rmSync(store)
      await refusesUntouched('lost')
    })

    it('is closed again where root takes the file back, or somebody else has changed it', async function () {
      if (!isRoot) this.skip()
      openSetupByRoot(folder)
      const panel = await prepared()
      rmSync(opened())
      await assert.rejects(insertFirstAccount(panel.db, 'a', 'hash', 'now', panel.onFirstAccount), { name: 'Refusal' })
      assert.deepEqual(await panel.db.selectFrom('user_account').selectAll().execute(), [])
      await panel.db.destroy()
      await refusesUntouched('lost')
    })

    it('is not kept for the day on which the store is lost again', async function () {
      if (!isRoot) this.skip()
      await prepared().catch(() => undefined)
      openSetupByRoot(folder)
      await setUp()
      openSetupByRoot(folder)
      await starts()
      assert.ok(!existsSync(opened()))
    })

    const forged: Record<string, () => void> = {
      'a file of another user': () => {
        openSetupByRoot(folder)
        chownSync(opened(), 65534, 65534)
      },
      'a file that others may write': () => {
        openSetupByRoot(folder)
        chmodSync(opened(), 0o666)
      },
      'an empty file': () => writeFileSync(opened(), ''),
      'a file of root with other content': () => writeFileSync(opened(), CONTENT),
      'a folder': () => mkdirSync(opened()),
      'a link to a file of root': () => symlinkSync('/etc/hostname', opened()),
      'a second name of a file of root': () => {
        openSetupByRoot(folder)
        linkSync(opened(), `${opened()}.other`)
      },
    }
    for (const [what, forge] of Object.entries(forged))
      it(`is not what ${what} says`, async function () {
        if (!isRoot) this.skip()
        forge()
        await refusesUntouched('lost')
      })
  })

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
      it(`since it ${what} is left as it is, and said with the way back: ${reason}`, async () => {
        damage()
        const why = await refusesUntouched(reason)
        if (reason !== 'unreachable') assert.ok(why.includes(`cp -p ${store}.daily-1 ${store}`), why)
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
      it(`since it ${what} is left as it is, and said with the command that sets it aside`, async () => {
        damage()
        assert.match(await refusesUntouched('signing_key'), /tunnel-panel set-aside session\.key/)
      })

    it('since others can read it is said with the command that mends it', async () => {
      chmodSync(key, 0o644)
      assert.match(await refusesUntouched('signing_key'), /chmod 600 .*session\.key/)
    })

    it('is made again once it is gone while the store is there, and the account stays', async () => {
      rmSync(key)
      const { db, signing_key } = await prepared()
      assert.equal((await db.selectFrom('user_account').selectAll().execute()).length, 1)
      await db.destroy()
      assert.ok(readFileSync(key).equals(signing_key.export()))
      assert.ok(log.some((line) => line.includes('everyone signs in again')))
    })
  })
})

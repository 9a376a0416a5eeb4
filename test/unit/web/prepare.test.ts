// What the web daemon finds when it starts: a panel, a first start that root vouches for, or why it cannot start
// (decisions.md, Y12, Y13). Whatever it finds, it changes nothing before it can serve.
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { message } from '@panel/shared/messages/message.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { signingKey } from '@panel/web-daemon/features/auth/key.ts'
import { openedSetupFile, openSetupByRoot } from '@panel/web-daemon/features/auth/opened-setup.ts'
import { insertFirstAccount } from '@panel/web-daemon/features/auth/store.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { CONTENT, NOTHING, StartUp } from './start-up.ts'
import type { Ours } from '@panel/shared/host/model.ts'

const SOMETHING: Ours = { tunnels: 2, rules: 3, is_any: true }

describe('What the panel finds when it starts', () => {
  let panel: StartUp
  let folder: string
  let store: string
  let key: string
  beforeEach(() => {
    panel = new StartUp()
    ;({ folder, store, key } = panel)
  })
  afterEach(() => panel.remove())
  const prepared = () => panel.prepared()
  const starts = () => panel.starts()
  const setUp = () => panel.setUp()
  const refusesUntouched = (...reasons: string[]) => panel.refusesUntouched(...reasons)

  describe('A first start', () => {
    it('is one without a key where root holds nothing, and makes the key with the first account', async () => {
      await starts()
      assert.deepEqual([panel.isRequested, existsSync(key)], [true, false])
      await setUp()
      assert.equal(statSync(key).mode & 0o777, 0o600)
      panel.isRequested = false
      await starts()
      assert.equal(panel.isRequested, false)
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
      panel.answer = () => SOMETHING
      const why = await refusesUntouched('lost')
      assert.match(why, /Tunnels: 2, relay rules: 3\./)
      assert.match(why, /tunnel-panel open-setup/)
    })

    it('is not known before root has answered, and nothing is written', async () => {
      panel.answer = () => {
        throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_away'))
      }
      const why = await refusesUntouched('first_start_unknown')
      assert.match(why, /cannot be reached or does not answer/)
      assert.match(why, /Setup stays closed until it does/)
      panel.answer = () => null
      await refusesUntouched('first_start_unknown')
      panel.answer = () => NOTHING
      await starts()
    })

    it('is none with a key that another start has made meanwhile', async () => {
      const first = await prepared()
      signingKey(key)
      const bytes = readFileSync(key)
      await panel.makeAccount(first)
      assert.ok(readFileSync(key).equals(bytes))
    })
  })

  describe('A store is lost', () => {
    beforeEach(async () => {
      await setUp()
      panel.isRequested = false
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
        assert.equal(panel.isRequested, false)
        assert.match(why, /Setup stays closed/)
        assert.match(why, /tunnel-panel open-setup/)
      })

    it('and is set aside by the commands only where something of it is left', async () => {
      truncateSync(store, 0)
      assert.match(
        await refusesUntouched('lost'),
        /run as root: tunnel-panel set-aside panel\.db && tunnel-panel open-setup/,
      )
      rmSync(store)
      assert.match(await refusesUntouched('lost'), /run as root: tunnel-panel open-setup/)
    })

    it('under a running panel, which makes no account either', async () => {
      const { db, onFirstAccount } = await prepared()
      await db.deleteFrom('user_account').execute()
      await assert.rejects(insertFirstAccount(db, 'a', 'hash', 'now', onFirstAccount), { code: 'SERVICE_UNAVAILABLE' })
      assert.deepEqual(await db.selectFrom('user_account').selectAll().execute(), [])
      await db.destroy()
    })

    it('with everything of it, which root tells by what it holds', async () => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name))
      panel.answer = () => SOMETHING
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

    it('is closed again where root takes the file back', async function () {
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
})

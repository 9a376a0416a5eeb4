// kill -9 at random moments under write load: the file opens, and every write that was answered is there. PANEL_KILLS
// says how often.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import { bundle, ROOT } from '../../../packaging/build/build.ts'
import { MIGRATIONS } from '@panel/web-daemon/app/migrations.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import { repetitions } from '../../support/counts.ts'
import { missing } from './kills/writes.ts'

const KILLS = repetitions('PANEL_KILLS')
/** Each fourth kill is of a daemon that brings an old store up to date. */
const MIGRATING = Math.floor(KILLS / 4)
/** The longest life of a writer, from its first write. */
const LIFE_MS = 60

describe('The store under kill -9', function () {
  let folder: string
  let path: string
  let writer: string
  /** How long a writer takes to its first write, and how much of that is Node. */
  let start_ms = 0
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-kills-'))
    path = join(folder, 'panel.db')
    writer = join(folder, 'writer.cjs')
    await bundle('test/unit/web/kills/writer.ts', writer)
    copyFileSync(
      join(ROOT, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'),
      join(folder, 'better_sqlite3.node'),
    )
  })
  after(() => rmSync(folder, { recursive: true }))

  /** What a writer answered until it was killed, `after_ms` from its first answer or from its start. */
  const life = async (store: string, first: number, from: 'start' | 'answer', after_ms: number): Promise<number[]> => {
    const child = spawn(process.execPath, [writer, store, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    let output = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    const started = performance.now()
    if (from === 'answer') {
      await Promise.race([once(child.stdout, 'data'), ended])
      start_ms = Math.max(start_ms, performance.now() - started)
    }
    await sleep(after_ms)
    assert.deepEqual([child.exitCode, child.signalCode], [null, null], 'the writer ended by itself')
    child.kill('SIGKILL')
    await ended
    return output.split('\n').slice(0, -1).map(Number)
  }

  const check = async (store: Store, written: readonly number[]): Promise<void> => {
    const pragma = async (name: string): Promise<unknown[]> =>
      (await sql.raw<unknown>(`pragma ${name}`).execute(store)).rows
    assert.deepEqual(
      [await pragma('integrity_check'), await pragma('foreign_key_check')],
      [[{ integrity_check: 'ok' }], []],
    )
    assert.deepEqual(await missing(store, written), [])
  }

  it(`opens after each of ${KILLS - MIGRATING} deaths, with every answered write`, async () => {
    const written: number[] = []
    let first = 1
    for (let kill = 0; kill < KILLS - MIGRATING; kill++) {
      const answered = await life(
        path,
        first,
        kill % 5 === 4 ? 'start' : 'answer',
        Math.random() * (kill % 5 === 4 ? start_ms : LIFE_MS),
      )
      written.push(...answered)
      // One write may have been committed and not answered, so the next numbers begin well above.
      first = (Math.floor((answered.at(-1) ?? first) / 5) + 2) * 5 + 1
      // The next writer finds what the dead one left, and not what this process has put in order.
      if (kill % 3 !== 0) continue
      const store = await openStore(path)
      await check(store, answered)
      await store.destroy()
    }
    const store = await openStore(path)
    await check(store, written)
    await store.destroy()
    assert.ok(written.length > KILLS, `${written.length} writes were answered`)
    if (KILLS > 100) console.log(`      ${written.length} writes were answered`)
  })

  it(`is of the old version or of the new one after each of ${MIGRATING} deaths while it is migrated, with all that it held`, async () => {
    const old = join(folder, 'old.db')
    const before = MIGRATIONS.slice(0, 2)
    await (await openStore(old, before)).destroy()
    const content = (file: string): unknown[] => {
      const db = new SQLite(file, { readonly: true })
      try {
        return [db.pragma('integrity_check', { simple: true }), db.prepare('select * from address_pool').all()]
      } finally {
        db.close()
      }
    }
    const expected = content(old)
    for (let kill = 0; kill < MIGRATING; kill++) {
      const store = join(folder, `migrating-${kill}.db`)
      copyFileSync(old, store)
      await life(store, 1, 'start', start_ms * (0.4 + 0.6 * Math.random()))
      const copy = `${store}.before-${MIGRATIONS[2]?.name}`
      if (existsSync(copy)) assert.deepEqual(content(copy), expected)
      await (await openStore(store)).destroy()
      assert.deepEqual([content(store), content(copy)], [expected, expected])
    }
  })
})

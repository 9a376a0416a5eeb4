// An event that is stored and its notification are written together: whenever the daemon is killed, the next one finds
// both or neither. What is only seen on the host is reported by one of the two, and once (decisions.md, N2).
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import SQLite from 'better-sqlite3'
import type { NoticeKind } from '@panel/shared/api/webhooks.ts'
import { repetitions } from '../support/counts.ts'
import { program } from '../support/programs.ts'
import { SEEN, STORED } from './support/kills/scenes.ts'
import { startPanel } from './support/panel.ts'

const DYING_PANEL = await program(new URL('support/kills/dying-panel.ts', import.meta.url))
const PAGE = fileURLToPath(new URL('support/plain-page', import.meta.url))

/** The shortest of the transactions with a row: it begins, writes the row, reads the target, writes the notification. */
const TRANSACTION = 5
/** The number of statements by which a run may differ from the one that was counted. */
const MARGIN = 3
const AT_ONCE = 2
const STRIDE = repetitions('PANEL_KILL_STRIDE')
const NEVER = Number.MAX_SAFE_INTEGER

interface Left {
  readonly rows: number
  readonly notifications: number
}

describe('An event and its notification, over kill -9 at statement after statement', function () {
  const folder = mkdtempSync(join(tmpdir(), 'panel-between-'))
  after(() => rmSync(folder, { recursive: true }))

  interface Life extends Left {
    /** The statements of a life that was not killed. */
    readonly statements: readonly string[]
  }

  const storeOf = (event: NoticeKind, killedBefore: number): string => join(folder, `${event}-${killedBefore}.db`)

  const live = async (event: NoticeKind, killedBefore: number): Promise<Life> => {
    const store = storeOf(event, killedBefore)
    const statements = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [DYING_PANEL, store, PAGE, event, String(killedBefore)], (failure, out, err) => {
        if (failure && failure.signal !== 'SIGKILL') reject(new Error(`${event}: ${err}`))
        else resolve(out)
      })
    })
    return { statements: statements === '' ? [] : (JSON.parse(statements) as string[]), ...leftIn(store, event) }
  }

  const leftIn = (store: string, event: NoticeKind): Left => {
    const db = new SQLite(store)
    const notices = `(select count(*) from webhook_delivery where notice ->> 'kind' = '${event}')`
    const left = db.prepare(`select ${STORED[event]?.rows ?? 0} as rows, ${notices} as notifications`).get() as Left
    db.close()
    return left
  }

  /** The numbers of the statements from shortly before the transaction with the notification to shortly after it. */
  const around = (statements: readonly string[]): number[] => {
    const written = statements.findIndex((text) => text.startsWith('insert into "webhook_delivery"'))
    const begins = statements.lastIndexOf('begin immediate', written)
    const ends = statements.indexOf('commit', written)
    assert.ok(begins >= 0 && ends > written, statements.join('\n'))
    const first = Math.max(1, begins + 1 - MARGIN)
    const all = Array.from({ length: ends + 1 + MARGIN - first }, (_, at) => first + at)
    return all.filter((_, at) => at % STRIDE === 0)
  }

  /** Looks at a life that was not ended, and at each that ended before one of these statements. */
  const eachOf = async <T>(event: NoticeKind, look: (killedBefore: number, left: Left) => Promise<T>): Promise<T[]> => {
    const whole = await live(event, NEVER)
    const numbers = around(whole.statements)
    const found = [await look(NEVER, whole)]
    for (let at = 0; at < numbers.length; at += AT_ONCE)
      found.push(
        ...(await Promise.all(numbers.slice(at, at + AT_ONCE).map(async (one) => look(one, await live(event, one))))),
      )
    return found
  }

  for (const event of Object.keys(STORED) as NoticeKind[])
    it(`${event}: both are there or neither`, async () => {
      const lives = await eachOf(event, async (killedBefore, left) => ({ killedBefore, ...left }))
      const torn = lives.filter(({ rows, notifications }) => rows !== notifications)
      assert.deepEqual(torn, [], 'killed before these statements it leaves one of the two')
      const neither = lives.filter(({ rows }) => rows === 0).length
      assert.ok(
        neither >= Math.floor(TRANSACTION / STRIDE) && neither < lives.length,
        `${neither} of ${lives.length} leave neither`,
      )
    })

  /** Over a host that has nothing of what is stored. */
  const nextDaemon = async (store: string): Promise<void> => {
    const panel = await startPanel({ store, notifications: { resolve: () => undefined, timeout_ms: 20 } })
    panel.notifications.start(async () => [])
    await panel.watch.pass('start')
    await panel.routeWatch.pass('start')
    await panel.notifications.outbox.stored()
    await panel.close()
  }

  for (const event of Object.keys(SEEN) as NoticeKind[])
    it(`${event}: is reported once by the daemon that saw it first or by the next one`, async () => {
      const lives = await eachOf(event, async (killedBefore, { notifications: before }) => {
        const store = storeOf(event, killedBefore)
        await nextDaemon(store)
        return { killedBefore, before, after: leftIn(store, event).notifications }
      })
      assert.deepEqual(
        lives.filter(({ after }) => after !== 1),
        [],
      )
      assert.deepEqual(new Set(lives.map(({ before }) => before)), new Set([0, 1]))
    })
})

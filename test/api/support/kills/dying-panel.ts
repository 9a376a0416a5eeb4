// A panel that makes one event happen, and is killed (SIGKILL) right before the given statement that it has for the
// store from then on: dying-panel <store> <folder of the page> <event> <statement>. If it lives on, it prints all of
// these statements as JSON.
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import type { NoticeKind } from '@panel/shared/api/webhooks.ts'
import { SEEN, STORED } from './scenes.ts'

const prepare = SQLite.prototype.prepare
let lastOne = Number.POSITIVE_INFINITY
let statements: string[] = []

SQLite.prototype.prepare = function (this: SQLite.Database, text: string): SQLite.Statement {
  if (statements.push(text) === lastOne) process.kill(process.pid, 'SIGKILL')
  return prepare.call(this, text)
} as typeof prepare

async function live(store: string, page_dir: string, event: NoticeKind, statement: number): Promise<void> {
  const scene = STORED[event] ?? SEEN[event]
  if (!scene) throw new Error(`there is no ${event}`)
  // Nothing arrives, so nothing is written of it.
  const happen = await scene.prepare({
    store,
    page_dir,
    notifications: { resolve: () => new Promise(() => undefined) },
  })
  const beside = new SQLite(store)
  lastOne = statement
  statements = []
  await happen()
  const isOver = prepare.call(
    beside,
    `select ${STORED[event]?.rows ?? 1} and (select count(*) from webhook_delivery) as over`,
  )
  while ((isOver.get([]) as { over: number }).over === 0) await sleep(5)
  writeSync(1, JSON.stringify(statements))
  process.exit(0)
}

const [store = '', page_dir = '', event = '', statement = ''] = process.argv.slice(2)
live(store, page_dir, event as NoticeKind, Number(statement)).catch((failure: unknown) => {
  console.error(failure)
  process.exit(1)
})

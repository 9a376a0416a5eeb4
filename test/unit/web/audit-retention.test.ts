// What is older than the operator keeps it goes from the audit log while the panel serves (decisions.md, U4).
import assert from 'node:assert/strict'
import type { Kysely } from 'kysely'
import { insertEntry } from '@panel/web-daemon/features/audit/store.ts'
import { keepPruning } from '@panel/web-daemon/features/audit/retention.ts'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import type { Database } from '@panel/web-daemon/platform/db/database.ts'
import { Bus } from '@panel/web-daemon/platform/events/bus.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { settingsWith } from '../../support/settings.ts'

const DAY_MS = 86_400_000
const OLD = 3000

describe('The audit log', () => {
  let db: Kysely<Database>
  let log: string[]
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
    log = []
  })

  const entry = (age_days: number) => ({
    audit_action_id: 10,
    user_id: null,
    username: '',
    target_type: '',
    target_id: null,
    request: '{}',
    operations: '[]',
    is_success: 1,
    error_message: '',
    error_reason: '{}',
    duration_ms: 1,
    client_ip: '',
    request_id: '',
    created_date: new Date(Date.now() - age_days * DAY_MS).toISOString(),
  })
  const total = async (): Promise<number> =>
    (
      await db
        .selectFrom('audit_log')
        .select((e) => e.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
    ).total
  const prune = (): (() => Promise<void>) => {
    const logger = makeLogger({ write: (line) => void log.push(line) })
    return keepPruning({
      db,
      bus: new Bus(logger),
      settings: settingsWith({ 'system.audit_retention_days': 30 }),
      now: () => new Date(),
      logger,
    })
  }

  it('loses what is too old, and nothing else, a slice at a time with room for others in between', async () => {
    for (let at = 0; at < OLD; at++) await insertEntry(db, entry(31 + (at % 50)))
    for (const age of [0, 29]) await insertEntry(db, entry(age))
    const end = prune()
    const seen = new Set<number>()
    while ((await total()) > 2) {
      seen.add(await total())
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(seen.size >= 3, `${seen.size}`)
    await end()
    assert.equal(await total(), 2)
    await db.destroy()
  })

  it('is left in the middle of it when the panel ends', async () => {
    for (let at = 0; at < OLD; at++) await insertEntry(db, entry(31))
    const end = prune()
    await total()
    await end()
    assert.ok((await total()) >= OLD - 1000)
    await db.destroy()
  })

  it("that cannot be written keeps nobody from starting, and the daemon's own log tells", async () => {
    await db.schema.dropTable('audit_log').execute()
    const end = prune()
    while (!log.some((line) => line.includes('old audit entries could not be deleted')))
      await new Promise((resolve) => setImmediate(resolve))
    await end()
    await db.destroy()
  })
})

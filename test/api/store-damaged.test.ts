// Damage that shows while the panel runs: health names it, and no answer or line of the log quotes what the store holds.
import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

const CONTENT = 'qX7content'
const POOL = { address_pool_title: 'One more', cidr: '10.99.0.0/16', prefix_length: 30 }

describe('A running panel whose store is damaged', () => {
  let folder: string
  let path: string
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-damaged-'))
    path = join(folder, 'panel.db')
    panel = await startPanel({ store: path })
    operator = await panel.setUp()
  })
  afterEach(async () => {
    await panel.close()
    rmSync(folder, { recursive: true })
  })
  const database = async (): Promise<HealthAnswer['components'][number] | undefined> =>
    (await operator.get<HealthAnswer>('/system/health')).body.components.find(({ name }) => name === 'database')

  it('marks the database in health while no entry of the audit log can be written, for whatever reason', async () => {
    await sql`alter table audit_log rename to audit_gone`.execute(panel.db)
    assert.equal((await operator.post('/pools', POOL)).status, 201)
    const { status, detail = '' } = (await database()) ?? {}
    assert.equal(status, 'error')
    assert.match(detail, /An entry of the audit log could not be written/)
    await sql`alter table audit_gone rename to audit_log`.execute(panel.db)
    assert.equal((await database())?.status, 'error')
    assert.equal(
      (await operator.post('/pools', { ...POOL, address_pool_title: 'Two', cidr: '10.98.0.0/16' })).status,
      201,
    )
    assert.equal((await database())?.status, 'ok')
  })

  it('marks the database in health once a page cannot be made out', async () => {
    await sql`pragma wal_checkpoint(truncate)`.execute(panel.db)
    const sqlite = new SQLite(path, { readonly: true })
    const page = sqlite.prepare('select rootpage from sqlite_schema where name = ?').pluck().get('audit_log') as number
    sqlite.close()
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096)
    closeSync(file)
    await sql`pragma shrink_memory`.execute(panel.db)
    const { status, error } = await operator.get('/audit')
    assert.deepEqual([status, error.code, error.details], [503, 'SERVICE_UNAVAILABLE', { reason: 'damaged' }])
    assert.equal((await database())?.status, 'error')
    assert.match((await database())?.detail ?? '', /is damaged, or its disk fails/)
  })

  it('marks the database in health once a value cannot be made out, and quotes it nowhere', async () => {
    await sql`update audit_log set operations = ${`["${CONTENT}`}`.execute(panel.db)
    const { status, error, text } = await operator.get('/audit')
    assert.deepEqual([status, error.code, error.details], [503, 'SERVICE_UNAVAILABLE', { reason: 'damaged' }])
    assert.equal((await database())?.status, 'error')
    for (const line of [text, ...panel.log]) assert.ok(!line.includes(CONTENT), line)
  })
})

// Requests while the store's file is locked, moved or damaged: the answer says so, nothing stored is lost, and the
// panel recovers without a restart.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, openSync, closeSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openStore } from '@panel/web-daemon/app/store.ts'
import type { Client } from './support/client.ts'
import { holdLock } from './support/held-lock.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel, deleteTunnel, listTunnels } from './support/tunnels.ts'

const POOL = { address_pool_title: 'One more', cidr: '10.99.0.0/16', prefix_length: 30 }

describe('The store', () => {
  let directory: string
  let path: string
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'panel-store-'))
    path = join(directory, 'panel.db')
    panel = await startPanel({ store: path })
    operator = await panel.setUp()
  })
  afterEach(async () => {
    await panel.close()
    rmSync(directory, { recursive: true })
  })

  const database = async (): Promise<{ status: string; detail: string }> => {
    const { status, body } = await operator.get<{ components: { name: string; status: string; detail: string }[] }>(
      '/system/health',
    )
    assert.equal(status, 200)
    return body.components.find(({ name }) => name === 'database')!
  }
  const refusedFor = async (
    reason: string,
    reply: Promise<{ status: number; error: { code: string; message: string; details: Record<string, unknown> } }>,
  ): Promise<void> => {
    const { status, error } = await reply
    assert.deepEqual([status, error.code, error.details], [503, 'SERVICE_UNAVAILABLE', { reason }])
    assert.ok(!error.message.includes(directory), 'no path is told')
  }
  const logged = (reason: string): Record<string, unknown>[] =>
    panel.log.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['reason'] === reason)
  const worksAgain = async (): Promise<void> => {
    assert.equal((await operator.post('/pools', POOL)).status, 201)
    const { status, detail } = (await database()) ?? {}
    assert.deepEqual([status, detail], ['ok', 'The store answers'])
    assert.equal(panel.log.filter((line) => line.includes('the store works again')).length, 1)
  }

  it('locked by another program is waited for, and others are answered meanwhile', async () => {
    const release = await holdLock(path)
    let isAnswered = false
    const made = operator.post('/pools', POOL).finally(() => (isAnswered = true))
    for (let requests = 0; requests < 5; requests++) assert.equal((await panel.visitor().raw('GET', '/')).status, 200)
    assert.equal(isAnswered, false)
    await release()
    assert.equal((await made).status, 201)
    assert.equal((await database()).status, 'ok')
  })

  it('locked for longer than anybody waits is 503 with what to do, in health and the log too, and reads go on; the lock gone, all is well', async () => {
    assert.equal((await createTunnel(operator)).status, 201)
    const picture = panel.kernel.picture()
    const release = await holdLock(path)
    const began = performance.now()
    await refusedFor('locked', createTunnel(operator))
    const waited = performance.now()
    await refusedFor('locked', deleteTunnel(operator, 1))
    assert.ok(performance.now() - waited < waited - began, 'nobody waits again for what all have waited for')
    assert.equal(panel.kernel.picture(), picture)
    assert.equal((await listTunnels(operator)).body.total, 1)
    assert.match((await database()).detail, /Another program holds the panel's store locked/)
    assert.deepEqual(
      logged('locked').map(({ store, code }) => [store, code]),
      [[path, 'SQLITE_BUSY']],
    )
    await release()
    await worksAgain()
  })

  it('moved away under the panel is 503, and works again once it is back', async () => {
    renameSync(path, `${path}.elsewhere`)
    await refusedFor('moved', operator.post('/pools', POOL))
    assert.equal((await database()).status, 'error')
    renameSync(`${path}.elsewhere`, path)
    await worksAgain()
  })

  it('damaged under the panel is 503 and no crash, and stays an error until the panel is started with a whole file, which it asks for', async () => {
    await createTunnel(operator)
    await sql`pragma wal_checkpoint(truncate)`.execute(panel.db)
    copyFileSync(path, join(directory, 'whole'))
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(statSync(path).size - 4096, 0xa5), 0, undefined, 4096)
    closeSync(file)
    await sql`pragma shrink_memory`.execute(panel.db)
    await refusedFor('damaged', operator.get('/tunnels'))
    assert.equal((await panel.visitor().raw('GET', '/')).status, 200)
    assert.equal((await database()).status, 'error')
    assert.deepEqual(
      logged('damaged').map(({ store, newest_copy }) => [store, newest_copy]),
      [[path, null]],
    )
    await panel.close()
    await assert.rejects(
      openStore(path),
      (failure) =>
        failure instanceof Error &&
        failure.message.includes(path) &&
        /SQLITE_CORRUPT[^]*is damaged[^]*There is no copy/.test(failure.message),
    )
    copyFileSync(join(directory, 'whole'), path)
    panel = await startPanel({ store: path })
    assert.equal((await listTunnels(await panel.signIn())).body.total, 1)
  })
})

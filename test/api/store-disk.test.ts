// A disk that is full or read-only: the answer says so, nothing stored or running is lost, and all goes on once there
// is room, without a restart.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { MIGRATIONS } from '@panel/web-daemon/app/migrations.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { copyIfDue } from '@panel/web-daemon/platform/db/daily-copies.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { StoreUnusableError } from '@panel/web-daemon/platform/db/trouble.ts'
import { eventually } from '../support/eventually.ts'
import { Client, type Reply } from './support/client.ts'
import { startDaemonIn } from './support/daemon-on-disk.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { createRoute } from './support/routes.ts'
import { fillUp, makeRoom, remount, runOnSmallDisk, smallDisk } from './support/small-disk.ts'
import { createTunnel, deleteTunnel, listTunnels } from './support/tunnels.ts'

const LONG_AGO = '2026-01-01T00:00:00.000Z'
const rowOf = (key: string) => ({ key, value: '1', updated_date: LONG_AGO })

describe('The store on a disk that fails', function () {
  if (smallDisk === null) outside()
  else inside(smallDisk)
})

function outside(): void {
  it('says so, loses nothing, and goes on by itself once the disk does not', function () {
    const folder = mkdtempSync(join(tmpdir(), 'panel-disk-'))
    runOnSmallDisk(fileURLToPath(import.meta.url), folder)
    rmSync(folder, { recursive: true })
  })
}

function inside(disk: string): void {
  const path = join(disk, 'panel.db')
  afterEach(() => {
    remount(disk, 'rw')
    for (const name of readdirSync(disk)) rmSync(join(disk, name))
  })

  describe('while the panel runs, full to the last page,', () => {
    let panel: TestPanel
    let operator: Client
    beforeEach(async () => {
      panel = await startPanel({ store: path })
      operator = await panel.setUp()
      assert.equal((await createTunnel(operator)).status, 201)
      assert.equal((await createRoute(operator)).status, 201)
      await sql`pragma wal_checkpoint(truncate)`.execute(panel.db)
      fillUp(disk)
    })
    afterEach(() => panel.close())

    const database = async (): Promise<{ status: string; detail: string }> =>
      (
        await operator.get<{ components: { name: string; status: string; detail: string }[] }>('/system/health')
      ).body.components.find(({ name }) => name === 'database')!
    const TABLES = ['tunnel', 'tunnel_address', 'route_rule', 'route_destination', 'address_pool', 'setting'] as const
    const stored = async (): Promise<unknown[]> => [
      ...(await Promise.all(TABLES.map((table) => panel.db.selectFrom(table).selectAll().execute()))),
      (await operator.get('/settings')).body,
    ]

    const changes: Record<string, () => Promise<Reply<unknown>>> = {
      'makes a tunnel': () => createTunnel(operator, { remote_endpoint: '198.51.100.77' }),
      'changes a tunnel': () => operator.patch('/tunnels/1', { mtu: 1300 }),
      'changes the outer header of a tunnel': () => operator.patch('/tunnels/1', { ttl: 9 }),
      'recreates a tunnel': () => operator.patch('/tunnels/1', { tunnel_type_id: 20, confirm_recreate: true }),
      'takes a tunnel down': () => operator.post('/tunnels/1/down'),
      'deletes a tunnel': () => deleteTunnel(operator, 1),
      'makes a relay rule': () => createRoute(operator, { route_rule_title: 'another', bind_port: 4433 }),
      'changes a relay rule': () => operator.patch('/routes/1', { bind_port: 4434 }),
      'takes a relay rule out': () => operator.post('/routes/1/disable'),
      'deletes a relay rule': () => operator.delete('/routes/1'),
      'makes a pool': () =>
        operator.post('/pools', { address_pool_title: 'One more', cidr: '10.99.0.0/16', prefix_length: 30 }),
      'signs in': () => panel.visitor().post('/auth/login', OPERATOR),
      'changes settings': () => operator.put('/settings', { 'monitor.interval_seconds': 3 }),
    }
    for (const [what, change] of Object.entries(changes)) {
      it(`refuses what ${what} by 503 with what to do, leaves kernel and store as they were, and does it once there is room`, async () => {
        const [picture, before] = [panel.kernel.picture(), await stored()]
        const { status, error } = await change()
        assert.deepEqual(
          [status, error.code, error.details],
          [503, 'SERVICE_UNAVAILABLE', { reason: 'disk_full' }],
          JSON.stringify(error),
        )
        assert.match(error.message, /disk .* is full.* Make room/)
        assert.equal(panel.kernel.picture(), picture)
        assert.deepEqual(await stored(), before)
        makeRoom(disk)
        const again = await change()
        assert.ok(again.status < 300, again.text)
      })
    }

    it('is in health and the log as soon as something could not be stored, and its end without a further write', async () => {
      await changes['makes a pool']!()
      assert.deepEqual([(await database()).status, (await listTunnels(operator)).body.total], ['error', 1])
      assert.match((await database()).detail, /is full/)
      const lines = panel.log.map((line) => JSON.parse(line) as Record<string, unknown>)
      assert.deepEqual(
        lines.filter(({ reason }) => reason === 'disk_full').map(({ store, code, level }) => [store, code, level]),
        [[path, 'SQLITE_FULL', 50]],
      )
      makeRoom(disk)
      await eventually(async () => (await database()).status === 'ok', 'the store works again', { pause_ms: 100 })
      assert.ok(panel.log.some((line) => line.includes('the store works again')))
    })

    it('is not over by a statement that finds nothing to change', async () => {
      await changes['makes a pool']!()
      const none = panel.db.deleteFrom('setting').where('key', '=', 'none')
      await none.execute()
      await panel.db.transaction().execute((trx) => trx.executeQuery(none))
      assert.equal(panel.db.state.trouble?.reason, 'disk_full')
      makeRoom(disk)
      await panel.db.transaction().execute(async (trx) => {
        await trx.insertInto('setting').values(rowOf('one')).execute()
        await trx.executeQuery(none)
      })
      assert.equal(panel.db.state.trouble, null)
    })

    it('makes no daily copy of the store, and says so in health until there is room', async () => {
      const look = (): Promise<void> =>
        copyIfDue({ db: panel.db, now: panel.clock.now, logger: makeLogger(), isWorthCopying: async () => true })
      const files = readdirSync(disk)
      await look()
      assert.deepEqual(readdirSync(disk), files)
      assert.equal((await database()).status, 'degraded')
      assert.match((await database()).detail, /^No daily copy of the store is made: its disk has \d+ MiB left/)
      makeRoom(disk)
      await look()
      assert.equal((await database()).status, 'ok')
      assert.ok(readdirSync(disk).includes('panel.db.daily-1'))
    })

    it('loses nothing of what was stored before', async () => {
      for (const change of Object.values(changes)) await change()
      await panel.close()
      makeRoom(disk)
      const store = await openStore(path)
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(store)
      assert.deepEqual(rows, [{ integrity_check: 'ok' }])
      assert.equal((await store.selectFrom('tunnel').selectAll().where('deleted_date', 'is', null).execute()).length, 1)
      assert.equal(
        (await store.selectFrom('route_rule').selectAll().where('deleted_date', 'is', null).execute()).length,
        1,
      )
      await store.destroy()
      panel = await startPanel()
    })
  })

  describe('when the panel is started,', () => {
    const refused = async (pattern: RegExp): Promise<void> => {
      await assert.rejects(
        openStore(path),
        (failure) =>
          failure instanceof StoreUnusableError && failure.message.includes(path) && pattern.test(failure.message),
      )
    }

    /** Leaves the history of a tunnel that was deleted since: a start deletes it. */
    const leaveHistory = async (): Promise<void> => {
      const panel = await startPanel({ store: path })
      const { body } = await createTunnel(await panel.signIn())
      const { tunnel_id } = body.tunnel
      const event = { tunnel_id, from_monitor_state_id: 10, to_monitor_state_id: 20, reason: '', reason_message: '{}' }
      await panel.db
        .insertInto('monitor_event')
        .values({ ...event, created_date: LONG_AGO })
        .execute()
      await panel.db.updateTable('tunnel').set({ deleted_date: LONG_AGO }).execute()
      await panel.close()
    }

    /** Leaves a row in the WAL alone, like a power cut. */
    const leaveUnfinished = async (): Promise<void> => {
      const store = await openStore(path)
      await store.insertInto('setting').values(rowOf('one')).execute()
      for (const part of ['', '-wal']) copyFileSync(`${path}${part}`, `${path}${part}.cut`)
      await store.destroy()
      for (const part of ['', '-wal']) renameSync(`${path}${part}.cut`, `${path}${part}`)
    }

    const ways = {
      disk_full: [() => fillUp(disk), () => makeRoom(disk), 'SQLITE_FULL'],
      read_only: [() => remount(disk, 'ro'), () => remount(disk, 'rw'), 'SQLITE_READONLY'],
    } as const
    for (const [reason, [spoil, mend, code]] of Object.entries(ways)) {
      it(`reads what is stored where it is ${reason}, also what only the WAL holds yet, and changes it once it is not`, async () => {
        await leaveUnfinished()
        spoil()
        const store = await openStore(path)
        const rows = async () => (await store.selectFrom('setting').selectAll().execute()).length
        assert.deepEqual([(await store.trouble())?.reason, await rows()], [reason, 1])
        const change = () => store.insertInto('setting').values(rowOf('other')).execute()
        await assert.rejects(change, { code })
        mend()
        await change()
        await store.destroy()
        const again = await openStore(path)
        assert.equal((await again.selectFrom('setting').selectAll().execute()).length, 2)
        await again.destroy()
      })

      it(`serves what can be read where it is ${reason}, with the reason in health, in the log and in each refusal, and goes on once it is not`, async () => {
        const first = await startDaemonIn(disk)
        const operator = new Client(first.base)
        assert.equal((await operator.post('/auth/setup', OPERATOR)).status, 201)
        await first.stop()
        await leaveHistory()
        spoil()
        const daemon = await startDaemonIn(disk)
        const again = new Client(daemon.base)
        for (const [name, value] of operator.cookies) again.cookies.set(name, value)
        const total = async () => (await again.get<{ pools: unknown[] }>('/pools')).body.pools.length
        const make = () => again.post('/pools', { address_pool_title: 'More', cidr: '10.99.0.0/16', prefix_length: 30 })
        assert.equal(await total(), 4)
        for (const change of [make, () => new Client(daemon.base).post('/auth/login', OPERATOR)]) {
          const { status, error } = await change()
          assert.deepEqual([status, error.code, error.details], [503, 'SERVICE_UNAVAILABLE', { reason }])
        }
        const { components } = (await again.get<{ components: { name: string; status: string }[] }>('/system/health'))
          .body
        assert.equal(components.find(({ name }) => name === 'database')?.status, 'error', daemon.log())
        assert.match(daemon.log(), new RegExp(`"reason":"${reason}"`))
        mend()
        assert.deepEqual([(await make()).status, await total()], [201, 5])
        await daemon.stop()
      })
    }

    it('that is too full for the copy before a migration is reported, with the store unchanged', async () => {
      const old = MIGRATIONS.slice(0, 3)
      await (await openStore(path, old)).destroy()
      const store = await openStore(path, old)
      fillUp(disk)
      await refused(/is full/)
      await store.destroy()
      await (await openStore(path, old)).destroy()
      makeRoom(disk)
      await (await openStore(path)).destroy()
      assert.deepEqual(readdirSync(disk).sort(), ['panel.db', `panel.db.before-${MIGRATIONS[3]!.name}`])
    })

    it('that is read-only is reported if the store is of an earlier version, or there is none, and opens once it is not', async () => {
      remount(disk, 'ro')
      await refused(/EROFS[^]*read-only. Make that writable/)
      remount(disk, 'rw')
      await (await openStore(path, MIGRATIONS.slice(0, 3))).destroy()
      remount(disk, 'ro')
      await refused(/EROFS[^]*read-only. Make that writable/)
      remount(disk, 'rw')
      await (await openStore(path)).destroy()
    })
  })
}

// The stored rules for who reads all of them again and again.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { CHECK_DEFAULTS } from '@panel/shared/api/routes/check.ts'
import { messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { IN_MEMORY, openExistingStore, openStore } from '@panel/web-daemon/app/store.ts'
import { storeStates } from '@panel/web-daemon/features/failover/store.ts'
import { KnownRoutes } from '@panel/web-daemon/features/routes/store-known.ts'
import {
  insertRoute,
  markApplied,
  markDeleted,
  removeRoute,
  replaceRoute,
  setFastPath,
  setPlaces,
} from '@panel/web-daemon/features/routes/store-write.ts'
import { allRoutes } from '@panel/web-daemon/features/routes/store.ts'
import type { WriteDb } from '@panel/web-daemon/platform/context.ts'
import { namedRoute, newDestination } from '../../support/records.ts'

type Db = Awaited<ReturnType<typeof openStore>>

const NOW = '2026-01-01T00:00:00.000Z'
const MARK = {
  apply_status_id: APPLY_STATUSES.Applied,
  ...messageFields('last_apply_error', verbatim('')),
  last_applied_date: NOW,
}
const rule = (id: number, ports: readonly number[] = [80], isChecked = false) =>
  namedRoute({
    route_rule_id: id,
    route_rule_title: `Rule ${id}`,
    bind_port: 1000 + id,
    destinations: ports.map((port) => newDestination('192.0.2.1', port)),
    allowed_sources: ports.map((port) => ({ cidr: `10.0.0.${port}/32`, description: '' })),
    check: isChecked ? CHECK_DEFAULTS : null,
  })

async function setState(db: WriteDb, id: number, to: 'up' | 'down'): Promise<void> {
  const found = await db.selectFrom('route_destination').selectAll().where('route_rule_id', '=', id).execute()
  const changes = found.map(({ route_destination_id }) => ({ route_rule_id: id, route_destination_id }))
  await storeStates(
    db,
    changes.map((one) => ({ ...one, from: 'unknown', to, reason: verbatim(''), flips: 0 })),
    NOW,
  )
}

/** Everything that writes what a rule is. */
const WRITES: Readonly<Record<string, (db: WriteDb, id: number) => Promise<unknown>>> = {
  replaced: (db, id) => replaceRoute(db, rule(id, [81, 82], true)),
  'replaced without checks': (db, id) => replaceRoute(db, rule(id, [80])),
  deleted: (db, id) => markDeleted(db, id, NOW),
  removed: (db, id) => removeRoute(db, id),
  marked: (db, id) => markApplied(db, [id], MARK, NOW),
  moved: (db, id) => setPlaces(db, [{ route_rule_id: id, sort_order: 100 - id }]),
  'on the fast path': (db, id) => setFastPath(db, [{ route_rule_id: id, fast_path_state: 'on' }]),
  up: (db, id) => setState(db, id, 'up'),
  down: (db, id) => setState(db, id, 'down'),
  drained: (db, id) =>
    db.updateTable('route_destination').set({ drained_until: NOW }).where('route_rule_id', '=', id).execute(),
}

const step = fc.record({
  what: fc.constantFrom(...Object.keys(WRITES), 'made' as const),
  id: fc.integer({ min: 1, max: 5 }),
  isUndone: fc.boolean(),
})

describe('The stored rules, read again and again', () => {
  let db: Db
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
    for (const id of [1, 2, 3]) await insertRoute(db, rule(id))
  })
  afterEach(() => db.destroy())

  it('are what the store has, whatever is written to them, and whatever is rolled back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const [store, made] = [await openStore(IN_MEMORY), new Set<number>()]
        const known = new KnownRoutes(store)
        for (const { what, id, isUndone } of steps) {
          const write = made.has(id)
            ? (WRITES[what] ?? WRITES['marked']!)
            : (into: WriteDb) => insertRoute(into, rule(id))
          const undo = new Error('undone')
          await store
            .transaction()
            .execute(async (transaction) => {
              await write(transaction, id)
              if (isUndone) throw undo
            })
            .catch((failure: unknown) => assert.equal(failure, undo))
          if (!isUndone) made.add(id)
          if (!isUndone && what === 'removed' && made.has(id))
            if (!(await store.selectFrom('route_rule').selectAll().where('route_rule_id', '=', id).executeTakeFirst()))
              made.delete(id)
          assert.deepEqual(await known.all(), await allRoutes(store))
        }
        await store.destroy()
      }),
      { numRuns: 60 },
    )
  })

  for (const [what, write] of Object.entries(WRITES))
    it(`are the very objects of the last time where another one is ${what}`, async () => {
      await replaceRoute(db, rule(2, [80], true))
      const known = new KnownRoutes(db)
      const before = await known.all()
      await write(db, 2)
      const after = await known.all()
      assert.deepEqual(after, await allRoutes(db))
      assert.notEqual(after, before)
      for (const id of [1, 3]) {
        const of = (all: typeof before) => all.find(({ route_rule_id }) => route_rule_id === id)
        assert.equal(of(after), of(before))
      }
      assert.equal(await known.all(), after, 'and nothing is read where nothing was written')
    })

  it('are read as another program wrote them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'panel-known-'))
    try {
      const own = await openStore(join(folder, 'panel.db'))
      await insertRoute(own, rule(1))
      const known = new KnownRoutes(own)
      await known.all()
      const other = await openExistingStore(join(folder, 'panel.db'))
      await replaceRoute(other, rule(1, [443]))
      await other.destroy()
      assert.deepEqual(
        (await known.all()).map(({ destinations }) => destinations.map(({ port }) => port)),
        [[443]],
      )
      await own.destroy()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

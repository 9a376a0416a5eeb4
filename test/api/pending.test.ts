// What is under way is stored as Pending before root is called, and a panel that was killed in the middle of it leaves
// that, to be found out by looking (decisions.md, S1, S7).
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { onlyAt } from '../support/faulty.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { NOUNS, type Asking } from './support/nouns.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { createRoute } from './support/routes.ts'
import { startFaultyPanel } from './support/tunnels.ts'

/** The table of a list that each has. */
const LISTS: Record<string, string> = { rule: 'route_destination', tunnel: 'tunnel_address', network: 'network_path' }

type Hook = (carryOut: () => Promise<unknown>) => Promise<unknown>
const asAsked: Hook = (carryOut) => carryOut()

for (const [
  noun,
  { method, furnish, create, others, status, changes, reapply, look, total, reported },
] of Object.entries(NOUNS)) {
  describe(`A ${noun} that is under way`, () => {
    let folder: string
    let kernel: FakeKernel
    let panel: TestPanel
    let client: Client
    const panels: TestPanel[] = []
    /** What becomes of a change that has come to root. */
    let atRoot: Hook
    /** Nothing that is sent to root is answered. */
    let isAway = false

    async function start(): Promise<void> {
      const helper = requestThrough(inProcessHelper(kernel).request)
      const request = ((requests: 'tunnel.apply', params: never) => {
        if (isAway) return Promise.reject(helperAway('gone'))
        return requests === method ? atRoot(() => helper(requests, params)) : helper(requests, params)
      }) as Writer
      panel = await startPanel({ request, store: join(folder, 'panel.db') })
      panels.push(panel)
    }

    /** The answer never comes, and another panel is started over what the first one left. */
    async function killedIn(asking: Asking, before: Hook): Promise<void> {
      await new Promise<void>((resolve) => {
        atRoot = async (carryOut) => {
          await before(carryOut)
          resolve()
          return new Promise(() => undefined)
        }
        void asking(client).catch(() => undefined)
      })
      atRoot = asAsked
      await start()
      client = await panel.signIn()
    }
    const beforeRootBegan: Hook = async () => undefined

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'panel-pending-'))
      kernel = new FakeKernel()
      atRoot = asAsked
      await start()
      client = await panel.setUp()
      await furnish?.(client)
    })
    afterEach(async () => {
      for (const one of panels.splice(0)) await one.close()
      rmSync(folder, { recursive: true })
    })

    it('to be made is stored and shown as Pending before root is called, and Applied when it was read back', async () => {
      let seen = ''
      atRoot = async (carryOut) => {
        seen = await status(client)
        return carryOut()
      }
      assert.equal((await create(client)).status, 201)
      assert.deepEqual([seen, await status(client)], ['Pending', 'Applied'])
    })

    for (const [what, change] of Object.entries(changes)) {
      it(`is Pending during ${what}, and Applied or gone after it`, async () => {
        await create(client)
        await others(client)
        const seen: string[] = []
        atRoot = async (carryOut) => {
          seen.push(await status(client))
          return carryOut()
        }
        const { status: answered, text } = await change(client)
        assert.deepEqual([answered, seen.at(-1)], [200, 'Pending'], text)
        if (what !== 'deleting') assert.equal(await status(client), 'Applied')
      })

      it(`and was cut short in ${what} is stored as it was, and Pending until it is seen to be so or reapplied`, async () => {
        await create(client)
        await others(client)
        const picture = kernel.picture()
        await killedIn(change, asAsked)
        assert.equal(await status(client), 'Pending')
        await look(panel)
        assert.equal(await status(client), kernel.picture() === picture ? 'Applied' : 'Pending')
        assert.deepEqual([(await reapply(client)).status, await status(client)], [200, 'Applied'])
      })
    }

    it('and was cut short before root began is Pending, which a look leaves so; reapply makes it', async () => {
      await killedIn(create, beforeRootBegan)
      assert.deepEqual([await total(client), await status(client)], [1, 'Pending'])
      await look(panel)
      assert.equal(await status(client), 'Pending')
      assert.match(
        await reported(client),
        /^(pending: A change was started, and its outcome is unknown|Missing: .* Reapply (creates it|puts it in)\.)$/,
      )
      assert.deepEqual([(await reapply(client)).status, await status(client)], [200, 'Applied'])
    })

    it('and was cut short when root had done it is Pending until the next look, which finds it as stored: Applied', async () => {
      await killedIn(create, asAsked)
      assert.equal(await status(client), 'Pending')
      await look(panel)
      assert.equal(await status(client), 'Applied')
    })

    it('and whose helper goes away before it began leaves no record, once the helper says that nothing was done', async () => {
      let isUp = false
      atRoot = (carryOut) => (isUp ? carryOut() : Promise.reject(helperAway('gone')))
      setTimeout(() => (isUp = true), 600)
      const { status: answered, error } = await create(client)
      assert.deepEqual([answered, error.code, await total(client)], [503, 'HELPER_UNAVAILABLE', 0])
    })

    for (const [when, work, settled] of [
      ['before it began', async () => undefined, 0],
      ['after it was done', (carryOut: () => Promise<unknown>) => carryOut(), 1],
    ] as const) {
      it(`and whose helper goes away ${when} and stays away is Pending, and ${settled === 0 ? 'gone' : 'Applied'} at the next look`, async () => {
        atRoot = async (carryOut) => {
          await work(carryOut)
          isAway = true
          throw helperAway('gone')
        }
        const { status: answered, error } = await create(client)
        assert.deepEqual(
          [
            answered,
            error.code,
            error.details['outcome'],
            error.details[`${noun === 'rule' ? 'route_rule' : noun}_id`],
          ],
          [503, 'HELPER_UNAVAILABLE', 'unknown', 1],
        )
        assert.match(error.message, /is not known: it is pending/)
        isAway = false
        atRoot = asAsked
        assert.deepEqual([await total(client), await status(client)], [1, 'Pending'])
        await look(panel)
        assert.equal(await total(client), settled)
        if (settled === 1) assert.equal(await status(client), 'Applied')
        await look(panel)
        assert.equal(await total(client), settled)
      })
    }

    for (const [what, change] of Object.entries(changes)) {
      it(`and whose helper goes away in ${what} and stays away says at the next look what became of it`, async () => {
        await create(client)
        await others(client)
        for (const isDone of [false, true]) {
          const picture = kernel.picture()
          atRoot = async (carryOut) => {
            if (isDone) await carryOut()
            isAway = true
            throw helperAway('gone')
          }
          assert.equal((await change(client)).error.details['outcome'], 'unknown')
          isAway = false
          atRoot = asAsked
          assert.equal(await status(client), 'Pending')
          await look(panel)
          if (!isDone) assert.equal(kernel.picture(), picture)
          if (isDone && what === 'deleting') return assert.equal(await total(client), noun === 'rule' ? 2 : 0)
          // A restart is two changes: between them the host holds neither state.
          if (isDone && what === 'restarting') return assert.equal(await status(client), 'Pending')
          assert.equal(await status(client), 'Applied')
          assert.match(await reported(client), /^(healthy|disabled|InSync)/)
        }
      })
    }

    it('and cannot be stored is not even begun', async () => {
      await sql`create trigger no_room before insert on ${sql.table(LISTS[noun] ?? '')} begin select raise(abort, 'disk full'); end`.execute(
        panel.db,
      )
      const begun = kernel.changes.length
      const { status: answered } = await create(client)
      assert.deepEqual([answered, kernel.changes.slice(begun), await total(client)], [500, [], 0])
    })

    it('and cannot be stored as Applied is taken off the host again, and leaves no record', async () => {
      const [picture, begun] = [kernel.picture(), kernel.changes.length]
      await sql`create trigger no_room before update of apply_status_id on ${sql.table(noun === 'rule' ? 'route_rule' : noun)} begin select raise(abort, 'disk full'); end`.execute(
        panel.db,
      )
      const { status: answered, error } = await create(client)
      assert.deepEqual(
        [answered, error.code, kernel.picture(), await total(client)],
        [500, 'INTERNAL_ERROR', picture, 0],
      )
      assert.ok(kernel.changes.length > begun)
    })
  })
}

describe('A rule that could not be made', () => {
  it('leaves nothing in the store, not even what moved through it meanwhile', async () => {
    const panel = await startFaultyPanel()
    const client = await panel.setUp()
    panel.arm(onlyAt(1, 'half'))
    assert.equal((await createRoute(client)).status, 409)
    await panel.traffic.save()
    for (const table of [
      'route_rule',
      'route_destination',
      'route_allowed_source',
      'route_total',
      'route_bucket',
    ] as const)
      assert.deepEqual(await panel.db.selectFrom(table).selectAll().execute(), [], table)
    await panel.close()
  })
})

// A file, or a restore, that comes while another command is under way: it starts from what that one leaves.
import assert from 'node:assert/strict'
import { promised } from '../support/promised.ts'
import type { Client } from './support/client.ts'
import { apply, exportFile, GAME, TUNNEL } from './support/desired.ts'
import type { TestPanel } from './support/panel.ts'
import { differencesSince, lastRevision, restore } from './support/revisions.ts'
import { createRoute, listRoutes, patchRoute } from './support/routes.ts'
import { startWindowPanel } from './support/windows.ts'

const { tunnel: _tunnel, ...RULE } = GAME

describe('While another command is under way', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
    assert.equal((await apply(client, { tunnels: [TUNNEL], routes: [RULE] })).status, 200)
  })
  afterEach(() => panel.close())

  /** The kernel takes the next change of the ruleset once `go` is called. */
  function held(): { readonly reached: Promise<void>; readonly go: () => void } {
    const { rulesets } = panel.kernel
    const submit = rulesets.submit.bind(rulesets)
    const [reached, gate] = [promised(), promised()]
    rulesets.submit = async (gone, put) => {
      rulesets.submit = submit
      reached.resolve()
      await gate.promise
      return submit(gone, put)
    }
    return { reached: reached.promise, go: gate.resolve }
  }

  /** Sends the second while the first is at the kernel. */
  async function during<T>(first: () => Promise<{ status: number }>, second: () => Promise<T>): Promise<T> {
    const { reached, go } = held()
    const one = first()
    await reached
    const other = second()
    await planned()
    go()
    assert.ok((await one).status < 300)
    return other
  }
  /** The whole waits for the panel to itself. */
  const planned = async (): Promise<void> => {
    for (;;) {
      const { status } = await client.put('/settings', { 'monitor.interval_seconds': 1 })
      if (status === 409) return
    }
  }
  const ports = async (): Promise<number[]> =>
    (await listRoutes(client)).body.routes.map(({ route }) => route.bind_port)

  it('a file undoes what that one changes otherwise', async () => {
    const { status, text, body } = await during(
      () => patchRoute(client, 1, { bind_port: 4000 }),
      () =>
        apply(client, {
          tunnels: [TUNNEL],
          routes: [RULE],
          pools: [{ address_pool_title: 'site', cidr: '10.99.0.0/16' }],
        }),
    )
    assert.equal(status, 200, text)
    assert.deepEqual(await ports(), [GAME.bind_port])
    assert.deepEqual(body.items.map(({ kind }) => kind).sort(), ['pool', 'route'])
  })

  it('a file makes something beside what that one makes', async () => {
    const other = { ...RULE, route_rule_title: 'other', bind_port: 4001 }
    const { status, text } = await during(
      () => createRoute(client, { bind_port: 4000, route_rule_title: 'by hand' }),
      () => apply(client, { routes: [other] }),
    )
    assert.equal(status, 200, text)
    assert.deepEqual((await ports()).sort(), [GAME.bind_port, 4000, 4001].sort())
  })

  it('a file that names its base is refused, since that one changed the panel', async () => {
    const { digest: base } = await exportFile(client)
    const { status, error } = await during(
      () => patchRoute(client, 1, { bind_port: 4000 }),
      () => apply(client, { routes: [{ ...RULE, bind_port: 4002 }] }, { base }),
    )
    assert.deepEqual([status, error.code, await ports()], [409, 'DESIRED_IS_STALE', [4000]])
  })

  it('a restore undoes what that one changes too', async () => {
    const { revision_id } = await lastRevision(client)
    assert.equal((await patchRoute(client, 1, { description: 'later' })).status, 200)
    const { status, text } = await during(
      () => patchRoute(client, 1, { bind_port: 4000 }),
      () => restore(client, revision_id),
    )
    assert.equal(status, 200, text)
    assert.deepEqual(await differencesSince(client, revision_id), [])
  })
})

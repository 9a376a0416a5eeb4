// Whose a link is, through HTTP and past it: root changes what the panel made or adopted, and nothing else
// (decisions.md, S18).
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { exampleTunnel } from '../support/example.ts'
import { inProcessHelper, type InProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { adopt, byHand, forget, plantByHand, reapply } from './support/reconcile.ts'
import { act, createTunnel, deleteTunnel, getTunnel, patchTunnel } from './support/tunnels.ts'
import { FakeKernel } from '../support/fake-kernel.ts'

const NAME = 'by-hand'
const theirs: TunnelState = { interface_name: NAME, link: byHand(), saved: null }

let kernel: FakeKernel
let helper: InProcessHelper
let panel: TestPanel
let client: Client
const begin = async (): Promise<void> => {
  kernel = new FakeKernel()
  helper = inProcessHelper(kernel)
  panel = await startPanel({ request: requestThrough(helper.request) })
  client = await panel.setUp()
}
const isOurs = async (name = NAME): Promise<boolean | undefined> =>
  (await helper.request('tunnel.probe', { interface_names: [name] })).tunnels[0]?.is_ours

describe('A foreign link', () => {
  beforeEach(async () => {
    await begin()
    plantByHand(kernel, NAME)
  })
  afterEach(() => panel.close())

  it('is adopted, changed and deleted through the panel', async () => {
    assert.equal((await adopt(client, { interface_name: NAME })).status, 201)
    assert.deepEqual([kernel.changes, await isOurs()], [[], true])
    assert.equal((await patchTunnel(client, 1, { mtu: 1300 })).status, 200)
    assert.equal(kernel.held.get(NAME)?.state?.config.mtu, 1300)
    assert.equal((await deleteTunnel(client, 1)).status, 200)
    assert.equal(kernel.held.has(NAME), false)
  })

  it('is foreign again if it was adopted in a window that is put back', async () => {
    assert.equal((await client.post('/safe-apply', {})).status, 201)
    await adopt(client, { interface_name: NAME })
    const { window } = (await client.get<SafeApplyAnswer>('/safe-apply')).body
    assert.deepEqual([window?.changes, await isOurs()], [1, true])
    assert.equal((await client.post('/safe-apply/cancel', { window_id: window?.window_id })).status, 200)
    assert.deepEqual([(await getTunnel(client, 1)).status, await isOurs()], [404, false])
    assert.equal((await adopt(client, { interface_name: NAME })).status, 201)
  })

  it('is safe from a web daemon in other hands, which cannot change it without an adoption that root logs', async () => {
    const picture = kernel.picture()
    for (const after of [
      null,
      { ...theirs, link: byHand({ mtu: 1300 }) },
      { ...theirs, link: byHand({}, false) },
      { ...theirs, link: byHand({ addresses: [] }) },
      exampleTunnel({}, NAME),
    ])
      await assert.rejects(helper.request('tunnel.apply', { before: theirs, after }), { code: 'protected_interface' })
    assert.deepEqual([kernel.picture(), kernel.changes], [picture, []])
  })

  it('is foreign again once it is forgotten, and not adopted if that cannot be stored', async () => {
    await adopt(client, { interface_name: NAME })
    assert.equal((await forget(client, 1)).status, 200)
    assert.equal(await isOurs(), false)
    await sql`create trigger no_room before insert on tunnel begin select raise(abort, 'disk full'); end`.execute(
      panel.db,
    )
    assert.equal((await adopt(client, { interface_name: NAME })).status, 500)
    assert.deepEqual([await isOurs(), kernel.changes], [false, []])
  })
})

describe('The link of a stored tunnel', () => {
  beforeEach(async () => {
    await begin()
    assert.equal((await createTunnel(client, { persistence_type_id: 30 })).status, 201)
    helper.requested.length = 0
  })
  afterEach(() => panel.close())

  for (const [what, change] of Object.entries({
    'a change': () => patchTunnel(client, 1, { mtu: 1300 }),
    'taking it down': () => act(client, 1, 'down'),
    'a reapply': async () => {
      kernel.held.get('gre-a-1')!.state!.is_up = false
      return reapply(client, 1)
    },
    'deleting it': () => deleteTunnel(client, 1),
  }))
    it(`is adopted by ${what}, where root has no record of having made it`, async () => {
      kernel.ownLinks.only(new Set())
      assert.equal(await isOurs('gre-a-1'), false)
      assert.equal((await change()).status, 200)
      assert.equal(helper.requested.filter((method) => method === 'tunnel.adopt').length, 1)
    })

  it('is not deleted if another was put in its place, and the refusal says what to do', async () => {
    kernel.plant('gre-a-1', { state: byHand() })
    const { status, error } = await deleteTunnel(client, 1)
    assert.deepEqual([status, error.code], [409, 'PROTECTED_INTERFACE'])
    assert.match(error.message, /gre-a-1.*reapply the tunnel first.*forget the tunnel/)
    assert.deepEqual(kernel.held.get('gre-a-1')?.state, byHand())
    assert.equal((await getTunnel(client, 1)).status, 200)
    assert.equal((await reapply(client, 1)).status, 200)
    assert.equal((await deleteTunnel(client, 1)).status, 200)
    assert.equal(kernel.held.size, 0)
  })
})

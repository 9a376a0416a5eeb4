// Ignoring, forgetting, reapplying, and the pass in the background (reference.md, Reconcile; decisions.md, S14, S15,
// S17).
import assert from 'node:assert/strict'
import type { LastPass } from '@panel/shared/api/reconcile.ts'
import { passView } from '@panel/web-daemon/features/reconcile/watch.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { adopt, forget, ignore, itemOf, itemsOf, plantByHand, reapply, reconcile } from './support/reconcile.ts'
import { createTunnel, deleteTunnel, getTunnel, listTunnels } from './support/tunnels.ts'

let panel: TestPanel
let client: Client
const begin = async (): Promise<void> => {
  panel = await startPanel()
  client = await panel.setUp()
  await createTunnel(client)
  panel.kernel.changes.length = 0
}
const setMtu = (name: string, mtu: number): void => {
  const state = panel.kernel.held.get(name)?.state
  assert(state)
  state.config = { ...state.config, mtu }
}
const names = async (query = ''): Promise<string[]> =>
  (await itemsOf(client, query)).map(({ interface_name }) => interface_name)
const audited = async (action: number): Promise<unknown[]> =>
  (
    await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', '=', action)
      .orderBy('audit_log_id')
      .execute()
  ).map(({ target_id, is_success }) => [target_id, is_success])

describe('Ignoring an interface', () => {
  beforeEach(begin)
  beforeEach(() => plantByHand(panel.kernel, 'by-hand'))
  afterEach(() => panel.close())

  it('takes it out of the report, and answers with the list', async () => {
    const { status, body } = await ignore(client, { interface_name: 'by-hand' })
    assert.deepEqual([status, body.ignored_interfaces], [200, ['by-hand']])
    assert.match(body.note, /by-hand.*Nothing was changed/)
    const answer = (await reconcile(client)).body
    assert.deepEqual(
      [answer.items.map(({ interface_name }) => interface_name), answer.counts.Unmanaged, answer.ignored_interfaces],
      [['gre-a-1'], 0, ['by-hand']],
    )
    assert.deepEqual(panel.kernel.changes, [])
  })

  it('leaves it visible with include_ignored, as ignored, to be adopted or reported again', async () => {
    await ignore(client, { interface_name: 'by-hand' })
    const item = await itemOf(client, 'by-hand', '?include_ignored=true')
    assert.deepEqual([item.status, item.is_ignored, item.actions], ['Unmanaged', true, ['adopt', 'unignore']])
    assert.deepEqual(await names('?include_ignored=false'), ['gre-a-1'])
  })

  it('is taken back by "ignored": false, and both can be repeated', async () => {
    for (let times = 0; times < 2; times += 1)
      assert.deepEqual((await ignore(client, { interface_name: 'by-hand', ignored: true })).body.ignored_interfaces, [
        'by-hand',
      ])
    for (let times = 0; times < 2; times += 1)
      assert.deepEqual(
        (await ignore(client, { interface_name: 'by-hand', ignored: false })).body.ignored_interfaces,
        [],
      )
    assert.deepEqual(await names(), ['gre-a-1', 'by-hand'])
  })

  it('is kept in the setting system.ignored_interfaces, for several and for one that is not there yet', async () => {
    for (const interface_name of ['zoo', 'by-hand']) await ignore(client, { interface_name })
    const rows = await panel.db.selectFrom('setting').select(['key', 'value']).execute()
    assert.deepEqual(rows, [{ key: 'system.ignored_interfaces', value: '["by-hand","zoo"]' }])
  })

  it('is not for a tunnel of the panel, nor for what is no name', async () => {
    const { status, error } = await ignore(client, { interface_name: 'gre-a-1' })
    assert.deepEqual([status, error.code, error.field], [409, 'CONFLICT', 'interface_name'])
    for (const body of [
      {},
      { interface_name: '' },
      { interface_name: 'a/b' },
      { interface_name: 'by-hand', ignored: 'no' },
    ])
      assert.equal((await ignore(client, body)).status, 422)
  })

  it('is in the audit log as ReconcileIgnore', async () => {
    await ignore(client, { interface_name: 'by-hand' })
    assert.deepEqual(await audited(1010), [[null, 1]])
  })
})

describe('Forgetting a tunnel', () => {
  beforeEach(begin)
  afterEach(() => panel.close())

  it('drops the record and leaves interface and unit file alone, and says so', async () => {
    const picture = panel.kernel.picture()
    const { status, body } = await forget(client, 1)
    assert.deepEqual(
      [status, body.forgotten, body.tunnel.tunnel_id, body.tunnel.is_managed, body.tunnel.observed.exists],
      [200, true, 1, false, true],
    )
    assert.match(body.note, /left as it is.*tunnel-panel-link-gre-a-1\.service.*left in place/)
    assert.deepEqual(
      [
        panel.kernel.picture(),
        panel.kernel.changes,
        (await listTunnels(client)).body.total,
        (await getTunnel(client, 1)).status,
      ],
      [picture, [], 0, 404],
    )
  })

  it('makes it Unmanaged, and adopting it makes it InSync again, kept by the same unit', async () => {
    await forget(client, 1)
    assert.equal((await itemOf(client, 'gre-a-1')).status, 'Unmanaged')
    const { body } = await adopt(client, { interface_name: 'gre-a-1' })
    assert.deepEqual(
      [body.tunnel.persistence_type_id, (await itemOf(client, 'gre-a-1')).status, panel.kernel.changes],
      [10, 'InSync', []],
    )
  })

  it('of what is not there, or was forgotten or deleted, is 404', async () => {
    await forget(client, 1)
    assert.equal((await forget(client, 1)).status, 404)
    assert.equal((await forget(client, 9)).status, 404)
    const { body } = await createTunnel(client)
    await deleteTunnel(client, body.tunnel.tunnel_id)
    assert.equal((await forget(client, body.tunnel.tunnel_id)).status, 404)
  })

  it('works while the root helper is away', async () => {
    const kernel = new FakeKernel()
    const { request } = inProcessHelper(kernel)
    let isAway = false
    await panel.close()
    panel = await startPanel({
      request: (method, params) =>
        isAway ? Promise.reject(helperAway('ENOENT')) : requestThrough(request)(method, params),
    })
    client = await panel.setUp()
    await createTunnel(client)
    isAway = true
    const { status, body } = await forget(client, 1)
    assert.deepEqual([status, body.tunnel.observed.is_known], [200, false])
  })

  it('is in the audit log as TunnelForget with the tunnel', async () => {
    await forget(client, 1)
    await forget(client, 1)
    assert.deepEqual(await audited(1020), [
      [1, 1],
      [null, 0],
    ])
  })
})

describe('Reapplying from the report', () => {
  beforeEach(begin)
  afterEach(() => panel.close())

  it('rebuilds the tunnel from what is stored, and it is InSync', async () => {
    const picture = panel.kernel.picture()
    setMtu('gre-a-1', 1111)
    const { status, body } = await reapply(client, 1)
    assert.deepEqual(
      [
        status,
        body.action,
        body.verification.ok,
        body.warnings,
        body.tunnel.tunnel_id,
        body.plan.steps.map(({ kind }) => kind),
      ],
      [200, 'reapply', true, [], 1, ['link_set_mtu']],
    )
    panel.kernel.held.clear()
    assert.deepEqual(
      (await reapply(client, 1)).body.plan.steps.map(({ kind }) => kind),
      ['link_create', 'address_add', 'link_up'],
    )
    assert.deepEqual([panel.kernel.picture(), (await itemOf(client, 'gre-a-1')).status], [picture, 'InSync'])
  })

  it('of what is not there is 404, and it is in the audit log as TunnelReapply', async () => {
    await reapply(client, 1)
    assert.equal((await reapply(client, 9)).status, 404)
    assert.deepEqual(await audited(90), [
      [1, 1],
      [null, 0],
    ])
  })
})

describe('The pass in the background', () => {
  const reported: LastPass[] = []
  beforeEach(async () => {
    reported.length = 0
    panel = await startPanel()
    panel.bus.subscribe('reconcile.changed', (pass) => reported.push(pass))
    client = await panel.setUp()
    await createTunnel(client)
  })
  afterEach(() => panel.close())

  const lastPass = async (): Promise<LastPass | null> => (await reconcile(client)).body.last_pass
  const changes = (pass: LastPass | undefined | null): unknown[] =>
    (pass?.changed ?? []).map(({ interface_name, from, to }) => [interface_name, from, to])

  const passOf = ({ watch }: TestPanel): LastPass | null => {
    const last = watch.last()
    return last && passView(last)
  }

  it('is shown with when, why and what it counted; before the first there is none', async () => {
    assert.equal(await lastPass(), null)
    assert.equal((await itemOf(client, 'gre-a-1')).noticed, null)
    await panel.watch.pass('start')
    const pass = await lastPass()
    assert.deepEqual([pass?.because, pass?.counts.InSync, pass?.changed, reported], ['start', 1, [], []])
    assert.ok(Math.abs(Date.parse(pass?.at ?? '') - Date.now()) < 60_000)
  })

  it('announces and logs drift when it appears and when it clears, once each', async () => {
    await panel.watch.pass('start')
    setMtu('gre-a-1', 1400)
    for (const because of ['event', 'period'] as const) await panel.watch.pass(because)
    assert.deepEqual(reported.map(changes), [[['gre-a-1', 'InSync', 'Drifted']]])
    assert.ok(panel.log.some((line) => line.includes('reconcile') && line.includes('Drifted')))
    await reapply(client, 1)
    await panel.watch.pass('change')
    assert.deepEqual(changes(reported[1]), [['gre-a-1', 'Drifted', 'InSync']])
  })

  it('says of each item when and by what its status was noticed, while it has that status', async () => {
    await panel.watch.pass('start')
    setMtu('gre-a-1', 1400)
    assert.equal((await itemOf(client, 'gre-a-1')).noticed, null)
    await panel.watch.pass('event')
    await panel.watch.pass('period')
    assert.equal((await itemOf(client, 'gre-a-1')).noticed?.because, 'event')
    assert.equal((await lastPass())?.because, 'period')
  })

  it('begins with whatever is not in sync, and tells of interfaces that come and go, but not of ignored ones', async () => {
    setMtu('gre-a-1', 1400)
    plantByHand(panel.kernel, 'by-hand')
    await ignore(client, { interface_name: 'secret' })
    plantByHand(panel.kernel, 'secret')
    await panel.watch.pass('start')
    assert.deepEqual(changes(reported[0]), [
      ['gre-a-1', null, 'Drifted'],
      ['by-hand', null, 'Unmanaged'],
    ])
    panel.kernel.held.delete('by-hand')
    await panel.watch.pass('event')
    assert.deepEqual(changes(reported[1]), [['by-hand', 'Unmanaged', null]])
  })

  it('that cannot be made is logged, keeps the last one, and the next sees what it would have seen', async () => {
    const { request } = inProcessHelper(panel.kernel)
    let isAway = false
    const other = await startPanel({
      db: panel.db,
      request: (method, params) =>
        isAway ? Promise.reject(helperAway('ENOENT')) : requestThrough(request)(method, params),
    })
    await other.watch.pass('start')
    const before = other.watch.last()
    isAway = true
    setMtu('gre-a-1', 1400)
    await other.watch.pass('event')
    assert.equal(other.watch.last(), before)
    assert.ok(other.log.some((line) => line.includes('HELPER_UNAVAILABLE')))
    isAway = false
    await other.watch.pass('period')
    assert.deepEqual(changes(passOf(other)), [['gre-a-1', 'InSync', 'Drifted']])
    other.server.close()
  })

  it('waits for a change under way, and does not take what is half done for drift', async () => {
    await panel.watch.pass('start')
    const made = createTunnel(client)
    await panel.watch.pass('event')
    await made
    await panel.watch.pass('event')
    assert.ok(reported.every((pass) => pass.changed.every(({ to }) => to === 'InSync')))
  })
})

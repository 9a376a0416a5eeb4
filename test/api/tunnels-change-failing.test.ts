// What is answered and stored when a change of a tunnel, or an action on it, fails at a step, cannot be undone, or
// cannot be stored (decisions.md, S1).
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { from, onlyAt } from '../support/faulty.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client, Reply } from './support/client.ts'
import { requestThrough, startPanel } from './support/panel.ts'
import { act, createTunnel, getTunnel, patchTunnel, startFaultyPanel, type FaultyPanel } from './support/tunnels.ts'

type Asking = (client: Client) => Promise<Reply<unknown>>

/** Each with the number of changes that it takes. */
const CHANGES: Record<string, [number, Asking]> = {
  'a change in place': [
    4,
    (client) =>
      patchTunnel(client, 1, {
        mtu: 1300,
        tx_queue_length: 5,
        addresses: [
          { address: '10.9.0.1', prefix_length: 30 },
          { address: '172.17.1.1', peer_address: '172.17.1.2', prefix_length: 30 },
        ],
      }),
  ],
  'a change that recreates the link': [
    5,
    (client) => patchTunnel(client, 1, { tunnel_type_id: 20, confirm_recreate: true }),
  ],
  'a change of name': [8, (client) => patchTunnel(client, 1, { interface_name: 'berlin', confirm_recreate: true })],
  'a change of persistence': [
    2,
    (client) => patchTunnel(client, 1, { persistence_type_id: 30, confirm_recreate: true }),
  ],
  down: [2, (client) => act(client, 1, 'down')],
  restart: [2, (client) => act(client, 1, 'restart')],
}

describe('A change of a tunnel that fails', () => {
  let panel: FaultyPanel
  let client: Client
  beforeEach(async () => {
    panel = await startFaultyPanel()
    client = await panel.setUp()
    await createTunnel(client, { display_name: 'as it was' })
  })
  afterEach(() => panel.close())

  for (const what of ['a change that recreates the link', 'a change of name'] as const)
    it(`leaves the link the sysctls that it had at every step of ${what}`, async () => {
      const [changes, request] = CHANGES[what] ?? assert.fail(what)
      const own = [{ family: 'ipv4', key: 'rp_filter', value: '2' }] as const
      panel.host.sysctls.set('gre-a-1', own)
      for (let at = 1; at <= changes + 1; at += 1) {
        panel.arm(onlyAt(at, 'refuses'))
        assert.equal((await request(client)).status, 409, `at ${at}`)
        assert.deepEqual([...panel.host.sysctls], [['gre-a-1', own]], `at ${at}`)
      }
    })

  for (const [what, [changes, request]] of Object.entries(CHANGES)) {
    it(`leaves host and record as they were at every step of ${what}: 409 APPLY_FAILED, and the record says that and why`, async () => {
      const picture = panel.host.picture()
      const { body: before } = await getTunnel(client, 1)
      for (let at = 1; at <= changes; at += 1) {
        for (const fault of ['refuses', 'half', 'lies'] as const) {
          panel.arm(onlyAt(at, fault))
          const { status, error } = await request(client)
          assert.deepEqual(
            [status, error.code, error.details['tunnel_id']],
            [409, 'APPLY_FAILED', 1],
            `${fault} at ${at}`,
          )
          assert.equal(panel.host.picture(), picture, `${fault} at ${at}`)
          const { body: after } = await getTunnel(client, 1)
          const {
            apply_status,
            apply_status_id: _id,
            last_apply_error,
            last_apply_error_message: _told,
            updated_date: _date,
            observed: _seen,
            ...wanted
          } = after
          assert.deepEqual(
            wanted,
            Object.fromEntries(Object.keys(wanted).map((field) => [field, before[field as keyof typeof before]])),
          )
          assert.equal(apply_status, 'Failed')
          assert(last_apply_error.length > 0)
        }
      }
      panel.disarm()
      assert.equal((await request(client)).status, 200)
      const { body } = await getTunnel(client, 1)
      assert.deepEqual([body.apply_status, body.last_apply_error], ['Applied', ''])
    })
  }

  it('and cannot be undone leaves it Inconsistent, with remedies: 409 TUNNEL_INCONSISTENT; reapply puts it right', async () => {
    const picture = panel.host.picture()
    panel.arm(from(3, 'refuses'))
    const { status, error } = await patchTunnel(client, 1, { tunnel_type_id: 20, confirm_recreate: true })
    assert.deepEqual([status, error.code], [409, 'TUNNEL_INCONSISTENT'])
    assert((error.details['remediation'] as string[]).length > 0)
    const { body } = await getTunnel(client, 1)
    assert.deepEqual([body.apply_status, body.tunnel_type_id], ['Inconsistent', 10])
    assert.match(body.last_apply_error, /could not be undone/)
    panel.disarm()
    const reapplied = await act(client, 1, 'reapply')
    assert.deepEqual(
      [reapplied.status, reapplied.body.tunnel.apply_status, panel.host.picture()],
      [200, 'Applied', picture],
    )
  })

  it('half-way through a restart and cannot be undone is Inconsistent, and up brings it back', async () => {
    panel.arm(from(2, 'refuses'))
    const { error } = await act(client, 1, 'restart')
    assert.equal(error.code, 'TUNNEL_INCONSISTENT')
    assert.deepEqual(
      [(await getTunnel(client, 1)).body.apply_status, panel.host.held.get('gre-a-1')?.state?.is_up],
      ['Inconsistent', false],
    )
    panel.disarm()
    assert.equal((await act(client, 1, 'up')).body.tunnel.observed.is_up, true)
  })

  it('is in the audit log as failed, with the steps that were made and undone', async () => {
    panel.arm(onlyAt(2, 'refuses'))
    await patchTunnel(client, 1, { mtu: 1300 })
    const entry = await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', '=', 50)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [entry.is_success, JSON.parse(entry.operations)],
      [0, ['link_set_mtu', 'link_set_mtu', 'restored']],
    )
  })
})

describe('While a change of a tunnel is under way', () => {
  const leaving = async () => {
    const state = { isAway: false }
    const kernel = new FakeKernel()
    const helper = requestThrough(inProcessHelper(kernel).request)
    const through: Writer = async (method, params) => {
      if (method === 'tunnel.apply' && state.isAway) throw helperAway('gone')
      return helper(method, params)
    }
    const panel = await startPanel({ request: through })
    const client = await panel.setUp()
    await createTunnel(client)
    return { panel, client, state }
  }

  it('the tunnel is Pending, and stays so where the helper goes away; reapply ends it', async () => {
    const { panel, client, state } = await leaving()
    state.isAway = true
    assert.equal((await patchTunnel(client, 1, { mtu: 1300 })).error.code, 'HELPER_UNAVAILABLE')
    const { body } = await getTunnel(client, 1)
    assert.deepEqual([body.apply_status, body.mtu], ['Pending', 1472])
    state.isAway = false
    assert.equal((await act(client, 1, 'reapply')).body.tunnel.apply_status, 'Applied')
    await panel.close()
  })
})

describe('A change of a tunnel that cannot be stored', () => {
  it('is taken back from the host, be it in place, a new name or a restart', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    await createTunnel(client)
    const picture = panel.kernel.picture()
    const { body: before } = await getTunnel(client, 1)
    await sql`create trigger no_room before insert on tunnel_address begin select raise(abort, 'disk full'); end`.execute(
      panel.db,
    )
    for (const request of [
      () => patchTunnel(client, 1, { mtu: 1300 }),
      () => patchTunnel(client, 1, { interface_name: 'berlin', confirm_recreate: true }),
      () => act(client, 1, 'restart'),
    ]) {
      panel.kernel.changes.length = 0
      const { status, error } = await request()
      assert.deepEqual([status, error.code, panel.kernel.picture()], [500, 'INTERNAL_ERROR', picture])
      assert(panel.kernel.changes.length > 0)
      const { body: after } = await getTunnel(client, 1)
      assert.deepEqual(
        [after.mtu, after.interface_name, after.addresses, after.apply_status],
        [before.mtu, before.interface_name, before.addresses, 'Applied'],
      )
    }
    await panel.close()
  })
})

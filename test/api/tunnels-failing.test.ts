// What is answered and stored when a change of a tunnel does not work, cannot be undone, cannot be stored, or when the
// helper is away (decisions.md, S1, section 4).
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { from, onlyAt } from '../support/faulty.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { requestThrough, startPanel } from './support/panel.ts'
import { createTunnel, deleteTunnel, getTunnel, listTunnels, patchTunnel, startFaultyPanel } from './support/tunnels.ts'

describe('A tunnel whose making fails', () => {
  const STEPS = ['link_create', 'address_add', 'link_up', 'file_write', 'systemd_enable']
  for (const [at, step] of STEPS.entries()) {
    it(`at ${step} leaves the host and the store as they were: 409 APPLY_FAILED`, async () => {
      const panel = await startFaultyPanel()
      const client = await panel.setUp()
      const picture = panel.host.picture()
      panel.arm(onlyAt(at + 1, 'half'))
      const { status, error } = await createTunnel(client)
      assert.deepEqual(
        [status, error.code, (error.details['failure'] as { step: string }).step],
        [409, 'APPLY_FAILED', step],
      )
      assert.equal(panel.host.picture(), picture)
      assert.equal((await listTunnels(client)).body.total, 0)
      panel.disarm()
      assert.equal((await createTunnel(client)).status, 201)
      await panel.close()
    })
  }

  it('only when it is read back names the check that failed', async () => {
    const panel = await startFaultyPanel()
    const client = await panel.setUp()
    panel.arm(onlyAt(3, 'lies'))
    const { status, error } = await createTunnel(client)
    const failures = error.details['failures'] as { name: string; expected: string; actual: string }[]
    assert.deepEqual(
      [status, error.code, failures.map(({ name, expected, actual }) => [name, expected, actual])],
      [409, 'APPLY_FAILED', [['is_up', 'yes', 'no']]],
    )
    assert.equal(panel.host.held.size, 0)
    await panel.close()
  })

  it('and cannot be undone is stored as Inconsistent and answered with remedies: 409 TUNNEL_INCONSISTENT; it can be deleted', async () => {
    const panel = await startFaultyPanel()
    const client = await panel.setUp()
    panel.arm(from(3, 'refuses'))
    const { status, error } = await createTunnel(client)
    assert.deepEqual([status, error.code, error.details['tunnel_id']], [409, 'TUNNEL_INCONSISTENT', 1])
    assert((error.details['remediation'] as string[]).length > 0)
    const { body } = await getTunnel(client, 1)
    assert.deepEqual([body.apply_status, body.last_applied_date, body.observed.exists], ['Inconsistent', null, true])
    assert.match(body.last_apply_error, /Injected fault/)
    const entry = await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', '=', 40)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [entry.is_success, entry.target_id, JSON.parse(entry.operations)],
      [0, 1, ['link_create', 'address_add', 'stuck']],
    )
    panel.disarm()
    assert.equal((await deleteTunnel(client, 1)).body.interface_found, true)
    assert.equal(panel.host.held.size, 0)
    await panel.close()
  })

  it('to be stored is taken off the host again', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    const picture = panel.kernel.picture()
    await sql`create trigger no_room before update of apply_status_id on tunnel begin select raise(abort, 'disk full'); end`.execute(
      panel.db,
    )
    const { status, error } = await createTunnel(client)
    assert.deepEqual([status, error.code], [500, 'INTERNAL_ERROR'])
    assert.equal(panel.kernel.picture(), picture)
    assert(panel.kernel.changes.includes('create gre-a-1'))
    assert.equal((await listTunnels(client)).body.total, 0)
    await panel.close()
  })
})

describe('A tunnel whose deleting fails', () => {
  it('stays as it was, and is marked Failed with the reason', async () => {
    const panel = await startFaultyPanel()
    const client = await panel.setUp()
    await createTunnel(client)
    const picture = panel.host.picture()
    panel.arm(onlyAt(3, 'refuses'))
    const { status, error, headers } = await deleteTunnel(client, 1)
    assert.deepEqual([status, error.code], [409, 'APPLY_FAILED'])
    const { params } = JSON.parse(String(headers['x-message'])) as { params: { what: { params: object }[] } }
    assert.deepEqual(
      params.what.map((named) => named.params),
      [{ name: 'gre-a-1', id: 1 }],
    )
    assert.equal(panel.host.picture(), picture)
    const { body } = await getTunnel(client, 1)
    assert.equal(body.apply_status, 'Failed')
    assert.match(body.last_apply_error, /Injected fault/)
    await panel.close()
  })

  it('and cannot be undone stays as Inconsistent, and can be deleted later', async () => {
    const panel = await startFaultyPanel()
    const client = await panel.setUp()
    await createTunnel(client)
    panel.arm(from(2, 'refuses'))
    assert.equal((await deleteTunnel(client, 1)).error.code, 'TUNNEL_INCONSISTENT')
    assert.equal((await getTunnel(client, 1)).body.apply_status, 'Inconsistent')
    panel.disarm()
    assert.equal((await deleteTunnel(client, 1)).status, 200)
    assert.deepEqual([panel.host.held.size, panel.host.files.size], [0, 0])
    await panel.close()
  })
})

describe('While the helper is away', () => {
  const leaving = () => {
    const kernel = new FakeKernel()
    const { request } = inProcessHelper(kernel)
    const state = { isAway: false, losesAnswers: false }
    const through: Writer = async (method, params) => {
      if (state.isAway) throw helperAway('gone')
      const answer = await requestThrough(request)(method, params)
      if (method === 'tunnel.apply' && state.losesAnswers) throw helperAway('cut off')
      return answer
    }
    return { kernel, state, request: through }
  }

  it('tunnels are read as stored, with the live side unknown; making and deleting answer 503', async () => {
    const { request, state, kernel } = leaving()
    const panel = await startPanel({ request })
    const client = await panel.setUp()
    await createTunnel(client)
    state.isAway = true
    const { status, body } = await listTunnels(client)
    assert.deepEqual(
      [status, body.total, body.tunnels[0]?.observed.is_known, body.tunnels[0]?.observed.exists],
      [200, 1, false, false],
    )
    assert.match(body.tunnels[0]?.observed.detail ?? '', /helper/)
    assert.equal((await getTunnel(client, 1)).status, 200)
    assert.equal((await createTunnel(client)).error.code, 'HELPER_UNAVAILABLE')
    assert.equal((await deleteTunnel(client, 1)).error.code, 'HELPER_UNAVAILABLE')
    assert.equal((await createTunnel(client, { mtu: 1 })).status, 422)
    assert(kernel.held.has('gre-a-1'))
    await panel.close()
  })

  it('what the kernel never sees can be changed, marked as not verified; anything else answers 503', async () => {
    const { request, state, kernel } = leaving()
    const panel = await startPanel({ request })
    const client = await panel.setUp()
    await createTunnel(client)
    state.isAway = true
    const picture = kernel.picture()
    const { status, body } = await patchTunnel(client, 1, { note: 'while away', monitor_packet_size: 99 })
    assert.deepEqual(
      [status, body.tunnel.note, body.tunnel.apply_status, body.tunnel.observed.is_known, body.verification.ok],
      [200, 'while away', 'Applied', false, false],
    )
    for (const change of [{ mtu: 1300 }, { note: 'no', is_enabled: false }, { addresses: [], force: true }])
      assert.equal((await patchTunnel(client, 1, change)).error.code, 'HELPER_UNAVAILABLE')
    assert.equal((await patchTunnel(client, 1, { note: 5 })).status, 422)
    assert.deepEqual([(await getTunnel(client, 1)).body.note, kernel.picture()], ['while away', picture])
    await panel.close()
  })

  it('an answer that was lost is found out by looking: the tunnel is there, so it is stored', async () => {
    const { request, state, kernel } = leaving()
    const panel = await startPanel({ request })
    const client = await panel.setUp()
    state.losesAnswers = true
    const { status, body } = await createTunnel(client)
    assert.deepEqual([status, body.verification.ok, body.tunnel.apply_status], [201, true, 'Applied'])
    assert.equal((await deleteTunnel(client, 1)).status, 200)
    assert.equal(kernel.held.size, 0)
    await panel.close()
  })
})

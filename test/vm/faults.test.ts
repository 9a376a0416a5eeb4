// Faults on a real kernel: at every step of a plan, in the reading back, in the undoing, the helper killed at every
// step, and a disk that the kernel takes no writes for.
import assert from 'node:assert/strict'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { Reply } from '../api/support/client.ts'
import { becomes } from './eventually.ts'
import { startLab, type Lab } from './lab/index.ts'
import type { FaultOrder } from './driver/faulty-helper.ts'
import { putDriver, putPanel } from './panel/bundles.ts'
import { isOnDisk } from './panel/disk.ts'
import { expect, Panel } from './panel/panel.ts'

const TUNNEL = {
  interface_name: 'gre-f-1',
  local_endpoint: '192.0.2.1',
  remote_endpoint: '192.0.2.2',
  ikey: 7,
  okey: 7,
  addresses: [
    { address: '172.17.9.1', prefix_length: 30 },
    { address: '2001:db8:9::1', prefix_length: 64 },
  ],
}
/** Link, two addresses, up, file, enabled: and the same the other way round. */
const CREATE_STEPS = 6
const DELETE_STEPS = 3

interface Created {
  tunnel: { tunnel_id: number }
  plan: { steps: unknown[] }
}

interface Reconciled {
  readonly statuses: string[]
  readonly paths: string[]
}

describe('A fault on a real kernel', function () {
  let lab: Lab
  let panel: Panel
  let faulty: { script: string; env: Record<string, string> }
  let turn = 0

  const order = (fault: FaultOrder['fault'], at: number, lasts = false): Promise<void> =>
    lab.write('/run/fault.json', JSON.stringify({ turn: ++turn, fault, at, lasts } satisfies FaultOrder))
  const create = () => panel.operator.post<Created>('/tunnels', TUNNEL)
  const createWell = async (): Promise<string> => {
    await order('refuses', 0)
    return `/tunnels/${expect(await create(), 201).tunnel.tunnel_id}`
  }

  before(async () => {
    lab = await startLab()
    const { a } = await lab.twoServers()
    await putPanel(lab)
    faulty = {
      script: await putDriver(lab, 'vm/driver/faulty-helper.ts'),
      env: { PANEL_FAULT_FILE: '/run/fault.json' },
    }
    await order('refuses', 0)
    panel = new Panel(a)
    await panel.startHelper(faulty)
    await panel.startWeb()
    await panel.setUp()
    // Asking what the kernel can do loads its modules, whose own links then stay; so they are there before the first
    // picture.
    expect(await panel.operator.get('/system/capabilities'), 200)
  })
  after(() => lab?.stop())

  for (const fault of ['refuses', 'half', 'lies'] as const) {
    it(`leaves links, addresses and unit files as they were when any step of a creation ${fault}`, async () => {
      const before = await panel.picture()
      for (let at = 1; at <= CREATE_STEPS; at += 1) {
        await order(fault, at)
        const { code, details } = (await create()).error
        assert.deepEqual([code, typeof details], ['APPLY_FAILED', 'object'], `step ${at}`)
        assert.equal(await panel.picture(), before, `step ${at}`)
      }
      assert.equal(expect(await panel.operator.get<{ total: number }>('/tunnels'), 200).total, 0)
    })

    it(`leaves links, addresses and unit files as they were when any step of a deletion ${fault}`, async () => {
      const path = await createWell()
      const before = await panel.picture()
      for (let at = 1; at <= DELETE_STEPS; at += 1) {
        await order(fault, at)
        assert.equal((await panel.operator.delete(path)).error.code, 'APPLY_FAILED', `step ${at}`)
        assert.equal(await panel.picture(), before, `step ${at}`)
      }
      await order('refuses', 0)
      expect(await panel.operator.delete(path), 200)
    })
  }

  it('is called stuck, stored and reported when undoing fails too, and a deletion clears it up', async () => {
    const before = await panel.picture()
    await order('refuses', 3, true)
    const { code, details } = (await create()).error
    assert.equal(code, 'TUNNEL_INCONSISTENT')
    assert.ok((details['remediation'] as string[]).length > 0)
    const { tunnels } = expect(
      await panel.operator.get<{ tunnels: { tunnel_id: number; apply_status: string; last_apply_error: string }[] }>(
        '/tunnels',
      ),
      200,
    )
    assert.deepEqual(
      tunnels.map((t) => t.apply_status),
      ['Inconsistent'],
    )
    assert.match(tunnels[0]!.last_apply_error, /Undoing it failed too/)
    await order('refuses', 0)
    expect(await panel.operator.delete(`/tunnels/${tunnels[0]!.tunnel_id}`), 200)
    assert.equal(await panel.picture(), before)
  })

  /** Waits until nothing is pending any more, which takes the panel one look at the host. */
  async function settled(): Promise<Reconciled> {
    const look = async () => {
      const { tunnels } = expect(await panel.operator.get<ListTunnelsAnswer>('/tunnels'), 200)
      const { routes } = expect(await panel.operator.get<ListRoutesAnswer>('/routes'), 200)
      return { tunnels, rules: routes.map(({ route }) => route) }
    }
    const { tunnels, rules } = await becomes(look, (stored) =>
      [...stored.tunnels, ...stored.rules].every(({ apply_status }) => apply_status !== 'Pending'),
    )
    const { items, routes } = expect(await panel.operator.get<ReconcileAnswer>('/reconcile'), 200)
    return {
      statuses: [...items, ...routes].map(({ status }) => status),
      paths: [
        ...tunnels.map(({ tunnel_id }) => `/tunnels/${tunnel_id}`),
        ...rules.map(({ route_rule_id }) => `/routes/${route_rule_id}`),
      ],
    }
  }

  it('that kills the helper at any step of a creation leaves, after its restart, the host as it was; the record is pending until the host is seen without it, and gone then', async () => {
    const before = await panel.picture()
    for (let at = 1; at <= CREATE_STEPS; at += 1) {
      await order(at % 2 ? 'dies' : 'dies-after', at)
      const { code, details } = (await create()).error
      assert.deepEqual([code, details['outcome']], ['HELPER_UNAVAILABLE', 'unknown'])
      await panel.helper.exited
      const { tunnels } = expect(await panel.operator.get<ListTunnelsAnswer>('/tunnels'), 200)
      assert.deepEqual(
        tunnels.map(({ tunnel_id, apply_status }) => [tunnel_id, apply_status]),
        [[details['tunnel_id'], 'Pending']],
      )
      await order('refuses', 0)
      await panel.startHelper(faulty)
      assert.deepEqual(await settled(), { statuses: [], paths: [] })
      assert.equal(await panel.picture(), before, `killed at step ${at}`)
    }
  })

  it('that kills the helper between the end of the work and its answer is reported truly, 20 times of 20', async () => {
    const RULE = { bind_address: '192.0.2.1', bind_port: 443, destination_address: '172.17.9.2', destination_port: 80 }
    const changes: [(found: Reconciled) => Promise<Reply<unknown>>, string[]][] = [
      [() => panel.operator.post('/tunnels', TUNNEL), ['InSync']],
      [({ paths: [tunnel = ''] }) => panel.operator.patch(tunnel, { mtu: 1300 }), ['InSync']],
      [() => panel.operator.post('/routes', RULE), ['InSync', 'InSync']],
      [({ paths: [, rule = ''] }) => panel.operator.delete(rule), ['InSync']],
      [({ paths: [tunnel = ''] }) => panel.operator.delete(tunnel), []],
    ]
    for (let done = 0; done < 20; done += 1) {
      const [change, statuses] = changes[done % changes.length]!
      const before = await settled()
      await order('dies-unanswered', 0)
      const answered = change(before)
      await panel.helper.exited
      await order('refuses', 0)
      // At once, or not before the panel has given up waiting.
      const isSoon = done % 2 === 1
      const [{ status, error }] = await Promise.all([answered, isSoon ? panel.startHelper(faulty) : null])
      if (!isSoon) await panel.startHelper(faulty)
      const reported = status < 300 ? 'done' : `${status} ${error.code} ${String(error.details['outcome'])}`
      assert.ok(['done', '503 HELPER_UNAVAILABLE unknown'].includes(reported), `${done}: ${reported}`)
      const after = await settled()
      assert.deepEqual([after.statuses, after.paths.length], [statuses, statuses.length], `${done}: ${reported}`)
    }
  })

  it('that kills the helper at any step of a deletion leaves, after its restart, the tunnel whole, and the same request succeeds', async () => {
    for (let at = 1; at <= DELETE_STEPS; at += 1) {
      const path = await createWell()
      const before = await panel.picture()
      await order('dies', at)
      assert.equal((await panel.operator.delete(path)).error.code, 'HELPER_UNAVAILABLE')
      await panel.helper.exited
      await order('refuses', 0)
      await panel.startHelper(faulty)
      assert.equal(await panel.picture(), before, `killed at step ${at}`)
      const { observed } = expect(await panel.operator.get<{ observed: { exists: boolean } }>(path), 200)
      assert.equal(observed.exists, true)
      expect(await panel.operator.delete(path), 200)
    }
  })

  isOnDisk(() => lab)
})

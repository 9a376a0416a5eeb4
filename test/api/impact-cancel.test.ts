// What cancelling a window would do: root says where it goes back to, and from what is found now (reference.md, Impact,
// Safe apply).
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import type { WindowWayBack } from '@panel/shared/window/model.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client, Reply } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { createRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

interface Case {
  readonly change: (client: Client) => Promise<Reply>
  readonly steps: readonly string[]
  readonly rules?: readonly number[]
  readonly tunnels?: readonly number[]
  readonly interruption?: string
}

/** On a host with one tunnel and one rule, for which the panel has turned IP forwarding on. */
const CASES: Readonly<Record<string, Case>> = {
  'a rule that was made goes': {
    change: (client) => createRoute(client, { bind_port: 444 }),
    steps: ['ruleset_submit', 'counters_remove'],
    rules: [2],
    interruption: 'new_only',
  },
  'a rule that was changed is as it was': {
    change: (client) => client.patch('/routes/1', { bind_port: 447 }),
    steps: ['ruleset_submit'],
    rules: [1],
    interruption: 'new_only',
  },
  'a rule that was deleted comes back': {
    change: (client) => client.delete('/routes/1', {}),
    steps: ['ruleset_submit'],
    rules: [],
    interruption: 'new_only',
  },
  'a tunnel that was made goes': {
    change: (client) => createTunnel(client, { remote_endpoint: '198.51.100.8' }),
    steps: ['systemd_disable', 'file_remove', 'link_delete'],
    tunnels: [2],
    interruption: 'lasting',
  },
  'a tunnel that was changed is as it was': {
    change: (client) => client.patch('/tunnels/1', { mtu: 1400 }),
    steps: ['link_set_mtu', 'file_write'],
    tunnels: [1],
  },
  'a tunnel that was deleted comes back': {
    change: (client) => client.delete('/tunnels/1', {}),
    steps: ['link_create', 'address_add', 'link_up', 'file_write', 'systemd_enable'],
  },
  'a switch that was put back is set again': {
    change: (client) => client.post('/system/forwarding/enable', { revert: true }),
    steps: ['forwarding_set', 'sysctl_file_write'],
  },
  'nothing happens after a change of the store alone': {
    change: (client) => client.patch('/tunnels/1', { note: 'another' }),
    steps: [],
  },
}

/** A page of one rule. */
const firstOf = ({ rules: [first, second] }: WindowWayBack): Pick<WindowWayBack, 'rules' | 'next_id'> => ({
  rules: first ? [first] : [],
  next_id: second?.route_rule_id ?? null,
})

describe('The impact of cancelling a window', () => {
  let panel: TestPanel
  let client: Client
  let window_id: string
  let before: string
  const foresee = (id: string = window_id, by: Client = client): Promise<Reply<ImpactAnswer>> =>
    by.post('/impact', { method: 'POST', path: '/safe-apply/cancel', body: { window_id: id } })
  const cancel = (): Promise<Reply> => client.post('/safe-apply/cancel', { window_id })
  const kinds = ({ plan }: ImpactAnswer): string[] => plan.steps.map(({ kind }) => kind)
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
    for (const made of [await createTunnel(client), await createRoute(client)])
      assert.equal(made.status, 201, made.text)
    before = panel.kernel.picture()
    window_id = (await client.post<SafeApplyAnswer>('/safe-apply', {})).body.window?.window_id ?? assert.fail()
  })
  afterEach(() => panel.close())

  for (const [what, { change, steps, rules = [], tunnels = [], interruption = 'none' }] of Object.entries(CASES))
    it(`says that ${what}, and does nothing itself`, async () => {
      const made = await change(client)
      assert.ok(made.status < 300, made.text)
      const changed = panel.kernel.picture()
      const { status, text, body } = await foresee()
      assert.equal(status, 200, text)
      assert.deepEqual(kinds(body), steps)
      assert.deepEqual(
        body.impact.rules.map(({ route_rule_id }) => route_rule_id),
        rules,
      )
      assert.deepEqual(
        body.impact.tunnels.map(({ tunnel_id }) => tunnel_id),
        tunnels,
      )
      assert.equal(body.impact.interruption, interruption)
      assert.equal(body.impact.summary_message.message_id === 'impact.nothing', steps.length === 0)
      assert.equal(panel.kernel.picture(), changed)
      assert.equal((await cancel()).status, 200)
      assert.equal(panel.kernel.picture(), before)
    })

  it('starts from what the host holds now, whatever was done to it by hand meanwhile', async () => {
    assert.equal((await client.patch('/tunnels/1', { mtu: 1400 })).status, 200)
    const link = panel.kernel.held.get('gre-a-1')
    assert(link?.state)
    link.state.config = { ...link.state.config, mtu: 1472 }
    assert.deepEqual(kinds((await foresee()).body), ['file_write'])
    link.state.config = { ...link.state.config, mtu: 1472, ttl: 9 }
    assert.deepEqual(kinds((await foresee()).body), ['link_set', 'file_write'])
    link.state.config = { ...link.state.config, kind: 'gretap' }
    assert.deepEqual(kinds((await foresee()).body), [
      'link_delete',
      'link_create',
      'address_add',
      'link_up',
      'file_write',
    ])
  })

  it('covers all rules of a window of which root names one to a page', async () => {
    const host = new FakeKernel()
    const through = requestThrough(inProcessHelper(host).request)
    const request: Writer = async (method, params) => {
      const answer = await through(method, params)
      return method === 'window.way_back' ? { ...answer, ...firstOf(answer as WindowWayBack) } : answer
    }
    const paged = await startPanel({ request })
    const operator = await paged.setUp()
    for (const bind_port of [443, 444, 445]) assert.equal((await createRoute(operator, { bind_port })).status, 201)
    const { window } = (await operator.post<SafeApplyAnswer>('/safe-apply', {})).body
    const before = structuredClone([...host.rulesets.rules])
    assert.equal((await operator.post('/routes/reorder', { route_rule_ids: [3, 2, 1] })).status, 200)
    const moved = before.filter(([id, rule]) => !isDeepStrictEqual(rule, host.rulesets.rules.get(id)))
    assert.ok(moved.length > 1)
    const { impact, plan } = (await foresee(window?.window_id, operator)).body
    assert.deepEqual(
      impact.rules.map(({ route_rule_id }) => route_rule_id).sort(),
      moved.map(([id]) => id),
    )
    assert.deepEqual(
      plan.steps.map(({ kind }) => kind),
      ['ruleset_submit'],
    )
    await paged.close()
  })

  it('is refused as the request itself would be: of no window, and of one that was confirmed', async () => {
    const unknown = '0'.repeat(32)
    const sent = await client.post('/safe-apply/cancel', { window_id: unknown })
    assert.deepEqual([(await foresee(unknown)).status, (await foresee(unknown)).error], [409, sent.error])
    assert.equal((await client.post('/safe-apply/confirm', { window_id })).status, 200)
    assert.equal((await foresee()).error.code, 'SAFE_APPLY_OVER')
  })

  it('is nothing of a window that was cancelled already', async () => {
    await createRoute(client, { bind_port: 444 })
    assert.equal((await cancel()).status, 200)
    const { status, body } = await foresee()
    assert.deepEqual([status, body.plan.steps, body.impact.summary_message.message_id], [200, [], 'impact.nothing'])
  })
})

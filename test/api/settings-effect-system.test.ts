// What the settings of the host's watching and of the panel's own records change, each at once.
import assert from 'node:assert/strict'
import { LOST } from '@panel/shared/events/model.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { keepPruning } from '@panel/web-daemon/features/audit/retention.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { GRACE_MS } from '@panel/web-daemon/change/remediate.ts'
import { keepWatchingTunnels } from '@panel/web-daemon/features/reconcile/watch.ts'
import { eventually } from '../support/eventually.ts'
import { effectsOf } from './support/effects.ts'
import { OPERATOR } from './support/panel.ts'
import { itemOf, itemsOf, plantByHand } from './support/reconcile.ts'
import { listRevisions } from './support/revisions.ts'
import { set, valueOf } from './support/settings.ts'
import { madeRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

const silent = makeLogger({ write: () => undefined })

interface Entries {
  entries: { action: string; target_id: number; username: string; is_success: boolean; operations: string[] }[]
  total: number
}

effectsOf('system', {
  'system.reconcile_interval_seconds': {
    does: 'is the time to the next pass over the host, also of one that is waited for already',
    test: async (client, { bus, settings }) => {
      const passes: string[] = []
      // A hundred times as fast, so that the test can wait for what takes ten seconds.
      const get: typeof settings.get = (key) =>
        key === 'system.reconcile_interval_seconds' ? ((Number(settings.get(key)) / 100) as never) : settings.get(key)
      const end = keepWatchingTunnels(
        { pass: async (because) => passes.push(because), hint: () => undefined },
        { bus, settings: { get }, logger: silent },
      )
      await set(client, { 'system.reconcile_interval_seconds': 86_400 })
      assert.deepEqual(passes, ['start'])
      await set(client, { 'system.reconcile_interval_seconds': 10 })
      await eventually(() => passes.includes('period'))
      await end()
    },
  },
  'system.audit_retention_days': {
    does: 'is the age at which entries of the audit log are deleted, at once where it is lowered',
    test: async (client, { db, bus, settings, clock }) => {
      const end = await keepPruning({ db, bus, settings, now: clock.now, logger: silent })
      const total = async (): Promise<number> => (await client.get<Entries>('/audit?action=Setup')).body.total
      clock.advance(40 * 86_400)
      await client.post('/auth/refresh')
      assert.equal((await client.post('/auth/login', OPERATOR)).status, 200)
      await set(client, { 'system.audit_retention_days': 41 })
      assert.equal(await total(), 1)
      await set(client, { 'system.audit_retention_days': 39 })
      await eventually(async () => (await total()) === 0)
      assert.ok((await client.get<Entries>('/audit')).body.total > 0)
      await end()
    },
  },
  'system.revisions_kept': {
    does: 'is how many revisions are kept, at once where it is lowered',
    test: async (client) => {
      for (const mtu of [1300, 1310, 1320]) await set(client, { 'tunnel.default_mtu': mtu })
      assert.ok((await listRevisions(client)).body.total > 2)
      await set(client, { 'system.revisions_kept': 2 })
      assert.equal((await listRevisions(client)).body.total, 2)
    },
  },
  'system.auto_reapply_on_drift': {
    does: "puts right what was changed or removed behind the panel's back, through the same pipeline and with an audit entry, and fights nobody",
    test: async (client, panel) => {
      const { kernel, watch, clock } = panel
      const name = (await createTunnel(client)).body.tunnel.interface_name
      const statusAfterPass = async (): Promise<string> => {
        await watch.pass('event')
        return (await itemOf(client, name)).status
      }
      clock.advance(GRACE_MS / 1000 + 1)
      await kernel.links.setMtu(name, 1400)
      assert.equal(await statusAfterPass(), 'Drifted')
      await set(client, { 'system.auto_reapply_on_drift': true })
      assert.equal(await statusAfterPass(), 'InSync')
      await kernel.links.delete(name)
      clock.advance(30)
      assert.equal(await statusAfterPass(), 'InSync')
      const { entries } = (await client.get<Entries>('/audit?action=TunnelReapply')).body
      assert.deepEqual(
        entries.map(({ action, target_id, username, is_success }) => [action, target_id, username, is_success]),
        [
          ['TunnelReapply', 1, '', true],
          ['TunnelReapply', 1, '', true],
        ],
      )
      assert.match(entries[1]?.operations[0] ?? '', /by the panel itself.*Drifted/)
      assert.ok((entries[1]?.operations.length ?? 0) > 1)
      const statuses: string[] = []
      for (let i = 0; i < 3; i += 1) {
        await kernel.links.setMtu(name, 1400)
        statuses.push(await statusAfterPass())
      }
      assert.deepEqual(statuses, ['Drifted', 'Drifted', 'Drifted'])
      clock.advance(120)
      assert.equal(await statusAfterPass(), 'InSync')
    },
  },
  'system.self_heal': {
    does: 'says what is put back by the panel itself: nothing, relay rules, or tunnels too',
    test: async (client, panel) => {
      const { kernel, watch, routeWatch, clock } = panel
      const name = (await createTunnel(client)).body.tunnel.interface_name
      await madeRoute(client, { bind_port: 1 })
      clock.advance(GRACE_MS / 1000 + 1)
      const afterPass = async (): Promise<[string, boolean]> => {
        await watch.pass('event')
        routeWatch.hint('all')
        await routeWatch.pass('event')
        return [(await itemOf(client, name)).status, kernel.rulesets.rules.has(1)]
      }
      await kernel.links.setMtu(name, 1400)
      kernel.rulesets.rules.clear()
      assert.deepEqual(await afterPass(), ['Drifted', false])
      await set(client, { 'system.self_heal': 'rules' })
      assert.deepEqual(await afterPass(), ['Drifted', true])
      await set(client, { 'system.self_heal': 'all' })
      assert.deepEqual(await afterPass(), ['InSync', true])
      const [{ tunnel_id }] = (await client.get<{ tunnels: [{ tunnel_id: number }] }>('/tunnels')).body.tunnels
      await client.patch(`/tunnels/${tunnel_id}`, { is_self_heal: false })
      await kernel.links.setMtu(name, 1400)
      assert.deepEqual(await afterPass(), ['Drifted', true])
      assert.equal((await itemOf(client, name)).heal?.is_wanted, false)
      await set(client, { 'system.self_heal': 'off' })
      await client.patch(`/tunnels/${tunnel_id}`, { is_self_heal: true })
      clock.advance(60)
      assert.deepEqual(await afterPass(), ['InSync', true])
    },
  },
  'system.safe_apply_mode': {
    does: 'is which commands wait for a confirmation without being asked to',
    test: async (client) => {
      const { tunnel_id } = (await createTunnel(client)).body.tunnel
      const waits = async (mtu: number): Promise<boolean> =>
        'safe_apply' in (await client.patch(`/tunnels/${tunnel_id}`, { mtu })).body
      assert.equal(await waits(1400), false)
      await set(client, { 'system.safe_apply_mode': 'always' })
      assert.equal(await waits(1300), true)
    },
  },
  'system.safe_apply_confirm_by': {
    does: 'is who confirms changes that wait, as the answer tells a page',
    test: async (client) => {
      await set(client, { 'system.safe_apply_confirm_by': 'reach' })
      const { body } = await client.post<SafeApplyAnswer>('/safe-apply', {})
      assert.equal(body.window?.confirm_by, 'reach')
    },
  },
  'system.safe_apply_seconds': {
    does: 'is how long changes wait for a confirmation where nobody says so',
    test: async (client) => {
      await set(client, { 'system.safe_apply_seconds': 90 })
      const { body } = await client.post<SafeApplyAnswer>('/safe-apply', {})
      assert.equal(body.window?.seconds_left, 90)
    },
  },
  'system.ruleset_protection': {
    does: 'is whether root keeps others off the relay rules, which it is told when it is back, and at once',
    test: async (client, { bus, kernel: { rulesets } }) => {
      bus.publish('host.changed', { events: [LOST] })
      await eventually(() => rulesets.wanted === true)
      await set(client, { 'system.ruleset_protection': 'off' })
      await eventually(() => rulesets.wanted === false)
    },
  },
  'system.ignored_interfaces': {
    does: 'leaves interfaces out of the report, and POST /reconcile/ignore sets it',
    test: async (client, { kernel }) => {
      plantByHand(kernel, 'by-hand')
      plantByHand(kernel, 'other', { remote_endpoint: '198.51.100.201' })
      assert.equal((await itemsOf(client)).length, 2)
      await set(client, { 'system.ignored_interfaces': ['by-hand'] })
      assert.deepEqual(
        (await itemsOf(client)).map(({ interface_name }) => interface_name),
        ['other'],
      )
      await client.post('/reconcile/ignore', { interface_name: 'other' })
      assert.deepEqual(await valueOf(client, 'system.ignored_interfaces'), ['by-hand', 'other'])
    },
  },
})

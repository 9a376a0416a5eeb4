// Events, each as it comes about in a panel with one target of notifications.
import { NOTICE_KINDS, type NoticeKind } from '@panel/shared/api/webhooks.ts'
import { FakeChecks, madeThree } from '../checks.ts'
import type { Client } from '../client.ts'
import { startWatching } from '../monitor.ts'
import { OPERATOR, startPanel, type TestPanel, type TestParts } from '../panel.ts'
import { madeRoute } from '../routes.ts'
import { set } from '../settings.ts'
import { createTunnel } from '../tunnels.ts'

interface Scene {
  /** Starts a panel, and returns what makes the event happen. */
  readonly prepare: (parts: TestParts) => Promise<() => Promise<unknown>>
}

interface StoredScene extends Scene {
  /** Counts what the event has left in the store, in SQL. */
  readonly rows: string
}

const count = (from: string): string => `(select count(*) from ${from})`
const AUDITED = `audit_log where error_message like 'INVALID_CREDENTIALS%'`

/** Those that are only seen on the host, which is not as it is stored. */
export const SEEN: Readonly<Partial<Record<NoticeKind, Scene>>> = {
  drift: {
    prepare: async (parts) => {
      const panel = await startPanel(parts)
      await createTunnel(await notified(panel))
      await panel.watch.pass('start')
      panel.kernel.held.clear()
      return () => panel.watch.pass('event')
    },
  },
  route_health: {
    prepare: async (parts) => {
      const panel = await startPanel(parts)
      await madeRoute(await notified(panel))
      await panel.routeWatch.pass('start')
      panel.kernel.rulesets.flush()
      return () => panel.routeWatch.pass('event')
    },
  },
}

export const STORED: Readonly<Partial<Record<NoticeKind, StoredScene>>> = {
  tunnel_state: {
    rows: count('monitor_event where to_monitor_state_id = 40'),
    prepare: async (parts) => {
      const panel = await startWatching(parts)
      await notified(panel, panel.operator)
      const { name, tunnel_id } = await panel.up()
      await panel.until(tunnel_id, 'Up')
      await panel.monitor.settled()
      return () => panel.host.links.delete(name)
    },
  },
  destination: {
    rows: count(`route_destination_state where state = 'down'`),
    prepare: async (parts) => {
      const checks = new FakeChecks()
      checks.fail('10.9.0.3')
      const panel = await startPanel({ ...parts, failover: { run: checks.run, random: () => 0 } })
      const operator = await notified(panel)
      await madeThree(operator)
      return () => panel.failover.start()
    },
  },
  safe_apply_ended: {
    rows: `max(${count('safe_apply where ended_how is not null')}, ${count('audit_log where audit_action_id = 1140')})`,
    prepare: async (parts) => {
      const panel = await startPanel(parts)
      const operator = await notified(panel)
      await operator.post('/safe-apply', { seconds: 30 })
      await set(operator, { 'display.server_name': 'Hamburg' })
      const { body } = await operator.get<{ window: { window_id: string } }>('/safe-apply')
      return () => operator.post('/safe-apply/cancel', { window_id: body.window.window_id })
    },
  },
  sign_in_new_network: {
    rows: `max(${count('known_address')}, ${count('session')} - 1)`,
    prepare: async (parts) => {
      const panel = await startPanel(parts)
      await notified(panel)
      await panel.db.deleteFrom('known_address').execute()
      return () => panel.visitor().post('/auth/login', OPERATOR)
    },
  },
  sign_in_failed: {
    rows: count(AUDITED),
    prepare: async (parts) => {
      const panel = await startPanel(parts)
      await set(await notified(panel), { 'webhooks.sign_in_failures': 1 })
      return () => panel.visitor().post('/auth/login', { ...OPERATOR, password: 'a wrong one' })
    },
  },
}

/** A panel with one target that is enabled and wants everything. */
async function notified(panel: TestPanel, signedIn?: Client): Promise<Client> {
  const operator = signedIn ?? (await panel.setUp())
  const body = { title: 'Hook', kind: 'json', url: 'https://hooks.example.net/panel', events: NOTICE_KINDS }
  const { status } = await operator.post('/webhooks', body)
  if (status !== 201) throw new Error(`no target: ${status}`)
  panel.notifications.start(async () => [])
  return operator
}

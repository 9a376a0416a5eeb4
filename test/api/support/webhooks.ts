// A panel that sends notifications, with a receiver of its own on this host.
import assert from 'node:assert/strict'
import { createHmac, generateKeySync } from 'node:crypto'
import type {
  ChangeWebhookAnswer,
  DeliveryView,
  ListDeliveriesAnswer,
  TestWebhookAnswer,
} from '@panel/shared/api/webhooks.ts'
import { message } from '@panel/shared/messages/message.ts'
import { openCredentials, type Receiver } from '@panel/web-daemon/features/webhooks/credentials.ts'
import { findWebhook } from '@panel/web-daemon/features/webhooks/store.ts'
import type { StoredEvents } from '@panel/web-daemon/platform/events/bus.ts'
import { SecretBox } from '@panel/web-daemon/platform/secret-box.ts'
import { eventually } from '../../support/eventually.ts'
import type { Client, Reply } from './client.ts'
import { startPanel, type TestPanel, type TestParts } from './panel.ts'
import { httpReceiver, type HttpReceiver } from './receivers.ts'
import { set } from './settings.ts'

export const HOOK = { title: 'Hook', kind: 'json', events: ['tunnel_state'] }

/** How a receiver that knows the secret signs what it received first. */
export const signatureOf = ({ received }: HttpReceiver, secret: string): string => {
  const [one] = received
  const signed = `${String(one?.headers['webhook-id'])}.${String(one?.headers['webhook-timestamp'])}.${one?.body}`
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

/** An event as published, with its stored fields. */
export const stored = <N extends keyof StoredEvents>(
  { db, bus }: Pick<TestPanel, 'db' | 'bus'>,
  name: N,
  event: StoredEvents[N],
): Promise<void> => db.transaction().execute((transaction) => bus.publishIn(transaction, name, [event]))

/** Until what is under way is over. */
export const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150))

export interface Notified {
  readonly panel: TestPanel
  readonly operator: Client
  readonly receiver: HttpReceiver
  /** The target 1 as the store has it, with what is sealed there. */
  readonly stored: () => Promise<Receiver>
  readonly add: (body?: object) => Promise<Reply<ChangeWebhookAnswer>>
  readonly deliveries: () => Promise<readonly DeliveryView[]>
  readonly test: () => Promise<TestWebhookAnswer>
  /** The monitor gives a tunnel a state. */
  readonly tunnel: (to: 'Up' | 'Down' | 'Degraded', tunnel_id?: number) => Promise<void>
  readonly arrives: (count: number) => Promise<void>
  /** Time passes, and the outbox looks again. */
  readonly pass: (seconds: number) => void
  readonly close: () => Promise<void>
}

export async function startNotified(parts: TestParts = {}): Promise<Notified> {
  const receiver = await httpReceiver()
  const signing_key = generateKeySync('hmac', { length: 256 })
  const box = new SecretBox(signing_key, 'notification targets')
  const panel = await startPanel({ signing_key, notifications: { timeout_ms: 500 }, ...parts })
  const operator = await panel.setUp()
  await set(operator, { 'webhooks.allow_private': true, 'display.server_name': 'Hamburg' })
  panel.notifications.start(panel.readIncidents)
  return {
    panel,
    operator,
    receiver,
    stored: async () => {
      const { sealed, ...webhook } = (await findWebhook(panel.db, 1)) ?? assert.fail()
      return { ...webhook, sealed: Buffer.alloc(0), ...(openCredentials(box, { sealed }) ?? assert.fail()) }
    },
    add: (body = {}) => operator.post('/webhooks', { ...HOOK, url: receiver.url, ...body }),
    // A session of its own, since hours may have passed.
    deliveries: async () =>
      (await (await panel.signIn()).get<ListDeliveriesAnswer>('/webhooks/1/deliveries')).body.deliveries,
    test: async () => (await operator.post<TestWebhookAnswer>('/webhooks/1/test')).body,
    tunnel: (to, tunnel_id = 1) => {
      const reason = message('monitor.unmeasured')
      const change = { tunnel_id, interface_name: `gre-a-${tunnel_id}`, from: 'Unknown', to, reason } as const
      return stored(panel, 'tunnel.state', change)
    },
    arrives: (count) => eventually(() => receiver.received.length >= count, `${count} notifications`),
    pass: (seconds) => {
      panel.clock.advance(seconds)
      panel.notifications.outbox.kick()
    },
    close: async () => {
      receiver.close()
      await panel.close()
    },
  }
}

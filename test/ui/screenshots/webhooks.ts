// The notifications: what a receiver was sent, the secret that is shown once, and what another kind asks for.
import type { DeliveryState, NoticeKind } from '@panel/shared/api/webhooks.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { insertDelivery, markTried } from '@panel/web-daemon/features/webhooks/store-deliveries.ts'
import { press } from './acts.ts'
import type { At, Scene } from './scene.ts'
import type { FullWorld } from './world.ts'

interface Sent {
  readonly kind: NoticeKind
  readonly text: Message
  readonly state: DeliveryState
  readonly minutes_ago: number
  readonly last_error?: Message
}

const SILENT = message('monitor.lost', { percent: 100, count: 10, target: '172.17.2.2' })
const REFUSED = message('notice.unreachable', { error: 'connect ECONNREFUSED 203.0.113.25:465' })
/** Oldest first. */
const SENT: readonly Sent[] = [
  {
    kind: 'sign_in_failed',
    text: message('notice.sign_in_failed', { count: 5, minutes: 10, address: '198.51.100.44' }),
    state: 'delivered',
    minutes_ago: 1500,
  },
  {
    kind: 'certificate',
    text: message('notice.host_resolved', { what: 'certificate', name: '' }),
    state: 'dropped',
    minutes_ago: 300,
  },
  {
    kind: 'tunnel_state',
    text: message('notice.tunnel_problem', { name: 'gre-a-2', state: 'Down', reason: SILENT }),
    state: 'failed',
    minutes_ago: 47,
    last_error: REFUSED,
  },
  {
    kind: 'tunnel_state',
    text: message('notice.tunnel_resolved', { name: 'gre-a-2' }),
    state: 'waiting',
    minutes_ago: 2,
    last_error: REFUSED,
  },
]

async function giveDeliveries({ host: { db } }: FullWorld): Promise<void> {
  for (const [at, { kind, text, state, minutes_ago, last_error = null }] of SENT.entries()) {
    const sent = new Date(Date.now() - minutes_ago * 60_000).toISOString()
    const notice = { event_id: `${at}`, at: sent, kind, severity: 'problem', level: 1, text } as const
    const subject = { type: kind, id: at, name: '' }
    // Not due while the picture is taken.
    const next_try_date = new Date(Date.now() + 3_600_000).toISOString()
    await insertDelivery(db, { webhook_id: 1, subject_key: `${at}`, notice: { ...notice, subject }, next_try_date })
    await markTried(db, [at + 1], {
      state,
      tries: 1,
      next_try_date: state === 'waiting' ? next_try_date : null,
      last_error,
    })
  }
}

const addSigned = async ({ page, say }: At): Promise<void> => {
  await page.locator('main [name=title]').fill('My program')
  await page.getByLabel(say('webhooks.field.kind')).selectOption({ label: say('webhooks.kind.json') })
  await page.locator('main [name=url]').fill('https://192.0.2.80/panel')
  await press(page, say('webhooks.create'))
  await page.getByText(/^whsec_/).waitFor()
}

export const WEBHOOKS: readonly Scene[] = [
  {
    name: 'webhook-deliveries',
    path: 'webhooks/1/edit',
    alone: giveDeliveries,
    arrive: ({ page, say }) => page.getByText(say('webhooks.delivery.waiting')).first().waitFor(),
  },
  { name: 'webhook-secret', path: 'webhooks/new', alone: () => undefined, arrive: addSigned },
  {
    name: 'webhook-of-telegram',
    path: 'webhooks/new',
    arrive: ({ page, say }) =>
      page.getByLabel(say('webhooks.field.kind')).selectOption({ label: say('webhooks.kind.telegram') }),
  },
]

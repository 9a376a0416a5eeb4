// Targets and deliveries as they are answered: never with what could be a secret.
import type { DeliveryView, WebhookView } from '@panel/shared/api/webhooks.ts'
import { messageFields } from '@panel/shared/messages/message.ts'
import type { Webhook } from './store.ts'
import type { Delivery } from './store-deliveries.ts'

export const webhookView = ({ url, secret, last_error, ...webhook }: Webhook): WebhookView => ({
  ...webhook,
  ...messageFields('last_error', last_error),
  events: [...webhook.events],
  address: addressOf(url),
  has_secret: secret !== '',
})

/** The address without its path, which is the secret for Slack, Discord and many others. */
export const addressOf = (url: string): string => {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

export const deliveryView = (delivery: Delivery): DeliveryView => ({
  delivery_id: delivery.delivery_id,
  event_id: delivery.event_id,
  kind: delivery.notice.kind,
  severity: delivery.notice.severity,
  ...messageFields('text', delivery.notice.text),
  state: delivery.state,
  tries: delivery.tries,
  created_at: delivery.created_date,
  next_try_at: delivery.next_try_date,
  ...messageFields('last_error', delivery.last_error),
})

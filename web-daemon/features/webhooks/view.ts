// Targets and deliveries as they are answered: never with what could be a secret.
import type { DeliveryView, WebhookView } from '@panel/shared/api/webhooks.ts'
import { messageFields } from '@panel/shared/messages/message.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import { openCredentials } from './credentials.ts'
import type { Webhook } from './store.ts'
import type { Delivery } from './store-deliveries.ts'

export const webhookView = (box: SecretBox, { sealed, last_error, ...webhook }: Webhook): WebhookView => ({
  ...webhook,
  ...messageFields('last_error', last_error),
  events: [...webhook.events],
  is_readable: openCredentials(box, { sealed }) !== null,
})

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

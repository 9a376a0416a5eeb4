// The endpoints of the section Notifications.
import { DELIVERIES_PAGE } from '@panel/shared/api/queries.ts'
import { command, ok, query } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { createWebhook, leadsElsewhere, removeWebhook, replaceWebhook, requireWebhook } from './change.ts'
import type { Outbox } from './outbox.ts'
import type { SendDeps } from './send/send.ts'
import { allWebhooks } from './store.ts'
import { pageOfDeliveries } from './store-deliveries.ts'
import { testNewWebhook, testWebhook } from './test-target.ts'
import { deliveryView, webhookView } from './view.ts'

const tag = 'webhooks'

export function webhookEndpoints(outbox: Pick<Outbox, 'kick'>, deps: Pick<SendDeps, 'resolve' | 'box' | 'backupFile'>) {
  const { box } = deps
  return [
    query('GET /webhooks', { tag, summary: 'List the targets of notifications.' }, async ({ db }) => {
      const webhooks = (await allWebhooks(db)).map((webhook) => webhookView(box, webhook))
      return ok({ webhooks, total: webhooks.length })
    }),
    command(
      'POST /webhooks',
      {
        tag,
        summary: 'Add a target of notifications.',
        statuses: [201],
        gathersProblems: true,
        audit: 'WebhookCreate',
        isCreating: true,
      },
      createWebhook(box),
    ),
    query('GET /webhooks/{id}', { tag, summary: 'One target of notifications.' }, async (context, { params }) =>
      ok(webhookView(box, await requireWebhook(context.db, params))),
    ),
    command(
      'PUT /webhooks/{id}',
      {
        tag,
        summary: 'Replace a target of notifications. Its address and its secret stay where the request has none.',
        gathersProblems: true,
        audit: 'WebhookUpdate',
        fresh: leadsElsewhere(box),
      },
      replaceWebhook(box, outbox),
    ),
    command(
      'DELETE /webhooks/{id}',
      {
        tag,
        summary: 'Remove a target of notifications and its deliveries.',
        audit: 'WebhookDelete',
      },
      removeWebhook,
    ),
    command(
      'POST /webhooks/try',
      {
        tag,
        summary: 'Send a test to a target that is not stored, now and once, and say what became of it.',
        gathersProblems: true,
        audit: 'WebhookTest',
      },
      testNewWebhook(deps),
    ),
    command(
      'POST /webhooks/{id}/test',
      {
        tag,
        summary: 'Send a test to a target, now and once, and say what became of it.',
        audit: 'WebhookTest',
      },
      testWebhook(deps),
    ),
    query(
      'GET /webhooks/{id}/deliveries',
      {
        tag,
        summary: 'What was sent to a target in the last days, and what became of it.',
      },
      async ({ db }, { params, query: given }) => {
        const { webhook_id } = await requireWebhook(db, params)
        const { total, deliveries } = await pageOfDeliveries(db, webhook_id, parsePaging(given, DELIVERIES_PAGE))
        return ok({ deliveries: deliveries.map(deliveryView), total })
      },
    ),
  ]
}

// Targets gain when something last arrived, as far as their deliveries are still stored.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook add column delivered_at text`.execute(db)
  await sql`
    update webhook set delivered_at = (
      select max(created_date) from webhook_delivery
      where webhook_delivery.webhook_id = webhook.webhook_id and state = 'delivered'
    )`.execute(db)
}

export const name = '015-webhook-delivered'
export const migration = { up }

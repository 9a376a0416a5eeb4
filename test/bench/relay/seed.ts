// Stores rules through the store's own code, as if they had been made over HTTP. The web daemon does not run meanwhile.
import { APPLY_STATUSES, ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { ruleOf, type NamedRoute } from '@panel/web-daemon/features/routes/record.ts'
import { insertRoute } from '@panel/web-daemon/features/routes/store-write.ts'
import { namedRoute } from '../../support/records.ts'
import { seedAccount } from '../driver/account.ts'

export async function seedRules(store: string, rules: readonly RelayRule[]): Promise<void> {
  const db = await openStore(store)
  await seedAccount(db)
  const now = new Date().toISOString()
  await db.transaction().execute(async (transaction) => {
    for (const rule of rules) await insertRoute(transaction, recordOf(rule, now))
  })
  await db.destroy()
}

/** The stored record of a rule made by `rulesOf`. */
function recordOf(rule: RelayRule, now: string): NamedRoute {
  const { protocol, balance: _balance, nat_mode: _nat, allowed_sources: _sources, destinations, ...same } = rule
  const record = namedRoute({
    ...same,
    route_rule_title: `Rule number ${rule.route_rule_id}`,
    tags: ['bench'],
    route_protocol_id: protocol === 'both' ? ROUTE_PROTOCOLS.Both : ROUTE_PROTOCOLS.TCP,
    apply_status_id: APPLY_STATUSES.Applied,
    last_applied_date: now,
    created_date: now,
    updated_date: now,
    destinations: destinations.map(({ rotation: _rotation, ...one }, sort_order) => ({
      ...one,
      is_enabled: true,
      sort_order,
      hostname: null,
      hostname_policy: null,
      drained_until: null,
      state: 'unknown' as const,
    })),
  })
  if (JSON.stringify(ruleOf(record)) !== JSON.stringify(rule))
    throw new Error(`What is stored of rule ${rule.route_rule_id} is another rule`)
  return record
}

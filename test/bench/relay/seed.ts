// Stores rules through the store's own code, as if they had been made over HTTP. The web daemon does not run meanwhile.
import {
  ADDRESS_FAMILIES,
  APPLY_STATUSES,
  LOAD_BALANCE_MODES,
  NAT_MODES,
  ROUTE_PROTOCOLS,
} from '@panel/shared/api/lookups.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { ruleOf, type NamedRoute } from '@panel/web-daemon/features/routes/record.ts'
import { insertRoute } from '@panel/web-daemon/features/routes/store.ts'

export async function seedRules(store: string, rules: readonly RelayRule[]): Promise<void> {
  const db = await openStore(store)
  const now = new Date().toISOString()
  await db.transaction().execute(async (transaction) => {
    for (const rule of rules) await insertRoute(transaction, recordOf(rule, now))
  })
  await db.destroy()
}

/** Of rules as `rulesOf` makes them. */
function recordOf(rule: RelayRule, now: string): NamedRoute {
  const { protocol, balance: _balance, nat_mode: _nat, allowed_sources: _sources, destinations, ...same } = rule
  const record: NamedRoute = {
    ...same,
    ...{
      route_rule_title: `Rule number ${rule.route_rule_id}`,
      description: '',
      tags: ['bench'],
      tunnel_id: null,
      is_enabled: true,
    },
    ...{
      route_protocol_id: protocol === 'both' ? ROUTE_PROTOCOLS.Both : ROUTE_PROTOCOLS.TCP,
      address_family_id: ADDRESS_FAMILIES.IPv4,
    },
    ...{ load_balance_mode_id: LOAD_BALANCE_MODES.None, nat_mode_id: NAT_MODES.Masquerade, allowed_sources: [] },
    ...{
      apply_status_id: APPLY_STATUSES.Applied,
      last_applied_date: now,
      last_apply_error: '',
      created_date: now,
      updated_date: now,
    },
    destinations: destinations.map((one, sort_order) => ({ ...one, is_enabled: true, sort_order })),
  }
  if (JSON.stringify(ruleOf(record)) !== JSON.stringify(rule))
    throw new Error(`What is stored of rule ${rule.route_rule_id} is another rule`)
  return record
}

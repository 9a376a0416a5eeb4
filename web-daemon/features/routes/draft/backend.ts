// Refuses what the rule backend of this host cannot do, each limit at the field that asks for it.
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import { ruleLimits, type RuleLimit } from '@panel/shared/ruleset/backend.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { ruleOf, type NamedRoute } from '../record.ts'
import type { DraftContext } from './context.ts'

type Place = readonly [field: string, code: FieldCode, remedy: Message]

const PLACES: Readonly<Record<RuleLimit['field'], Place>> = {
  is_fast_path: ['is_fast_path', 'INVALID_VALUE', message('route.remedy_fast_path')],
  destinations: ['load_balance_mode_id', 'INVALID_LOAD_BALANCE_MODE', message('route.remedy_balance')],
  connection_rate_limit: ['connection_rate_limit', 'INVALID_CONNECTION_LIMIT', message('route.remedy_connections')],
  max_connections_per_source: ['max_connections_per_source', 'INVALID_CONNECTION_LIMIT', message('route.remedy_rate')],
  bind_address: ['bind_address', 'INVALID_ADDRESS_FAMILY', message('route.remedy_ipv4')],
}

/** Call it once nothing else is wrong. A disabled rule is checked as if it were enabled. */
export function checkBackend({ facts, problems }: DraftContext, record: NamedRoute): void {
  const rule = problems.isEmpty ? ruleOf({ ...record, is_enabled: true }) : null
  for (const { field, why } of rule ? ruleLimits(facts.rule_backend, rule) : []) {
    const [at, code, remedy] = PLACES[field]
    problems.add(at, code, message('route.backend_bound', { why, remedy }))
  }
}

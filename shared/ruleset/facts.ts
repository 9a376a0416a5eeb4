// The facts of relay rules that a check can compare: each field by its name on the wire behind the id of its rule.
import { message } from '@panel/shared/messages/message.ts'
import type { RelayDestination, RelayRule, RulesetState } from './model.ts'
import { sameState } from '../change/change.ts'
import { compareFacts, type Check, type Fact } from '../change/check.ts'

/** A change of more rules than this lists the fields only of rules that are not as wanted. */
const LISTED_IN_FULL = 20

/** Passes wholly on a host that holds `wanted` under these ids and on no other. Both lists are canonical. */
export function checkRuleset(ids: readonly number[], wanted: RulesetState | null, found: RulesetState | null): Check[] {
  const wantedById = byId(wanted)
  const foundById = byId(found)
  return ids.flatMap((id) => {
    const [rule = null, other = null] = [wantedById.get(id), foundById.get(id)]
    const facts = ids.length > LISTED_IN_FULL && sameState(rule, other) ? existence : ruleFacts
    return compareFacts(message('root.rule', { number: id }).message, facts(id, rule), facts(id, other))
  })
}

const byId = (rules: RulesetState | null): Map<number, RelayRule> =>
  new Map((rules ?? []).map((rule) => [rule.route_rule_id, rule]))

const existence = (id: number, rule: RelayRule | null): Fact[] => [{ name: `${id}.exists`, value: rule ? 'yes' : 'no' }]

function ruleFacts(id: number, rule: RelayRule | null): Fact[] {
  if (!rule) return existence(id, rule)
  const { route_rule_id: _, ...fields } = rule
  return [
    ...existence(id, rule),
    ...Object.entries(fields).map(([field, value]) => ({ name: `${id}.${field}`, value: formatField(value) })),
  ]
}

function formatField(value: RelayRule[keyof RelayRule]): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (!Array.isArray(value)) return String(value)
  return value.map((item) => (typeof item === 'string' ? item : formatDestination(item))).join(', ') || 'none'
}

function formatDestination(destination: RelayDestination): string {
  const { address, port, port_range_end, weight, is_backup, rotation } = destination
  const end = `${address.includes(':') ? `[${address}]` : address}:${port}${port_range_end === null ? '' : `-${port_range_end}`}`
  const traits = [
    ...(weight === 1 ? [] : [`weight ${weight}`]),
    ...(is_backup ? ['backup'] : []),
    ...(rotation === 'out' ? ['out of rotation'] : []),
  ]
  return [end, ...traits].join(' ')
}

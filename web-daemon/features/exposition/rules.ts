// The families of the relay rules, from what is summed up and counted anyway.
import type { ReadDb } from '../../platform/context.ts'
import type { SettingValue } from '../settings/definitions.ts'
import { protocolOf } from '../routes/record.ts'
import { rulesInBrief, type RuleInBrief } from '../routes/store-brief.ts'
import type { TrafficDelta } from '../traffic/delta.ts'
import { labels, type Family, type FamilyType } from './format.ts'
import { statesOf } from './states.ts'

export interface RuleSources {
  readonly db: ReadDb
  readonly which: () => SettingValue<'metrics.prometheus_rules'>
  /** The totals since each rule was created. */
  readonly totals: () => Promise<ReadonlyMap<number, { readonly total: TrafficDelta }>>
  /** Null where nobody could count them. */
  readonly connections: (route_rule_id: number) => number | null
  readonly healths: () => ReadonlyMap<number, { readonly status: string; readonly severity: string }>
  readonly healthStates: readonly string[]
  readonly severities: readonly string[]
  /** Those that are checked. */
  readonly destinations: () => readonly CheckedDestination[]
}

export interface CheckedDestination {
  readonly route_rule_id: number
  readonly route_destination_id: number
  readonly state: string
}

const COUNTERS = [
  ['receive_bytes', 'Bytes that came back from the destinations of the rule since it was created.', 'rx_bytes'],
  ['transmit_bytes', 'Bytes sent to the destinations of the rule since it was created.', 'tx_bytes'],
  ['receive_packets', 'Packets that came back from the destinations of the rule since it was created.', 'rx_packets'],
  ['transmit_packets', 'Packets sent to the destinations of the rule since it was created.', 'tx_packets'],
] as const

export async function ruleFamilies(sources: RuleSources): Promise<Family[]> {
  const which = sources.which()
  if (which === 'none') return []
  const rules = await rulesInBrief(sources.db, which === 'tagged')
  const totals = await sources.totals()
  const own = rules.map(({ route_rule_id }) => `{rule="${route_rule_id}"}`)
  const each = (type: FamilyType, name: string, help: string, of: (id: number) => number | null): Family => ({
    name: `tunnel_panel_rule_${name}`,
    type,
    help,
    samples: samplesOf(rules, own, of),
  })
  return [
    {
      name: 'tunnel_panel_rule',
      type: 'info',
      help: 'Each relay rule, with what may change while its id stays.',
      samples: rules.map((rule) => ({ labels: infoOf(rule), value: 1 })),
    },
    ...COUNTERS.map(([name, help, key]) => each('counter', name, help, (id) => totals.get(id)?.total[key] ?? 0)),
    each('gauge', 'connections', 'Connections that the rule relays now; absent where they cannot be counted.', (id) =>
      sources.connections(id),
    ),
    ...stateFamilies(rules, sources),
    destinationFamily(rules, sources.destinations()),
  ]
}

function* samplesOf(rules: readonly RuleInBrief[], own: readonly string[], of: (id: number) => number | null) {
  for (const [at, { route_rule_id }] of rules.entries()) {
    const value = of(route_rule_id)
    if (value !== null) yield { labels: own[at] ?? '', value }
  }
}

function destinationFamily(rules: readonly RuleInBrief[], destinations: readonly CheckedDestination[]): Family {
  const named = new Set(rules.map(({ route_rule_id }) => route_rule_id))
  return {
    name: 'tunnel_panel_destination_up',
    type: 'gauge',
    help: '1 for a destination that its checks found up, 0 for one that they found down; absent while undecided.',
    samples: destinations
      .filter(({ route_rule_id, state }) => named.has(route_rule_id) && (state === 'up' || state === 'down'))
      .map(({ route_rule_id, route_destination_id, state }) => ({
        labels: labels({ rule: route_rule_id, destination: route_destination_id }),
        value: state === 'up' ? 1 : 0,
      })),
  }
}

function* stateFamilies(rules: readonly RuleInBrief[], { healths, healthStates, severities }: RuleSources) {
  const known = healths()
  const family = (name: string, help: string, words: readonly string[], of: 'status' | 'severity'): Family => {
    const states = statesOf('rule', words)
    return {
      name: `tunnel_panel_rule_${name}`,
      type: 'gauge',
      help,
      samples: rules.flatMap(({ route_rule_id }) => {
        const word = known.get(route_rule_id)?.[of]
        return word === undefined ? [] : states(route_rule_id, word)
      }),
    }
  }
  yield family(
    'health',
    '1 for how the rule was when it was last compared with the host, 0 for the others.',
    healthStates,
    'status',
  )
  yield family(
    'severity',
    '1 for how bad it was: down if it relays nothing, unknown if that is not known; 0 for the others.',
    severities,
    'severity',
  )
}

const infoOf = (rule: RuleInBrief) =>
  labels({
    rule: rule.route_rule_id,
    title: rule.route_rule_title,
    bind: rule.bind_address,
    port: rule.bind_port_range_end === null ? rule.bind_port : `${rule.bind_port}-${rule.bind_port_range_end}`,
    protocol: protocolOf(rule.route_protocol_id),
  })

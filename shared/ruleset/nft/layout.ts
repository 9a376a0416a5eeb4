// Compiles rules to our table: mostly elements of maps, and a chain where order or choice matters. Pure.
import { canonicalRuleset, familyOf, isWildcard } from '../canonical.ts'
import type { RelayDestination, RelayRule } from '../model.ts'
import { addClamp, addFwmark, ARRIVED, constantTable, HOOKS, type Hook } from './constant.ts'
import { ip } from './hooks.ts'
import { addFastPath, takeFastPath } from './fast-path.ts'
import { leadsOf } from '../leads.ts'
import { flowMark, hex, ruleMark } from '../mark.ts'
import { listensOn, groupByPort, type PortGroup, type Transport } from '../ports.ts'
import { drawnMark, destinationSlots } from '../slots.ts'
import { newSet, type Table } from './table.ts'

/** The rules may come in any order. */
export function layOut(rules: readonly RelayRule[]): Table {
  const table = constantTable()
  const ordered = canonicalRuleset(rules)
  if (ordered.some((rule) => rule.is_clamp_mss_to_pmtu)) addClamp(table)
  if (ordered.some((rule) => rule.fwmark !== null)) addFwmark(table)
  if (ordered.some((rule) => rule.is_fast_path)) addFastPath(table)
  for (const rule of ordered) whatItDoes(table, rule)
  for (const hook of HOOKS) {
    const caught = hook === 'in' ? ordered : ordered.filter((rule) => rule.is_include_local_originated)
    for (const transport of ['tcp', 'udp'] as const)
      listen(
        table,
        hook,
        transport,
        caught.filter((rule) => listensOn(rule, transport)),
      )
  }
  return table
}

export function put(table: Table, set: string, key: string, value = ''): void {
  table.sets.get(set)?.elements?.set(key, value)
}

function whatItDoes(table: Table, rule: RelayRule): void {
  const { route_rule_id: id } = rule
  const family = familyOf(rule)
  const [mark, ofNew] = [hex(ruleMark(id)), hex(flowMark(rule))]
  for (const [way, direction] of [
    ['tx', 'original'],
    ['rx', 'reply'],
  ]) {
    table.counters.add(`rule_${id}_${way}`)
    put(table, 'relay_account', `${mark} . ${direction}`, `rule_${id}_${way}`)
  }
  put(table, ARRIVED, ofNew)
  put(table, 'relay_order', mark, hex(rule.sort_order))
  if (rule.nat_mode === 'masquerade') put(table, 'relay_masquerade', ofNew)
  if (rule.snat_address !== null) put(table, `relay_snat${family}`, ofNew, rule.snat_address)
  // The answer to what began before the rule was on the fast path is clamped too.
  if (rule.is_clamp_mss_to_pmtu) for (const one of [mark, ofNew]) put(table, 'relay_clamp', one)
  if (rule.is_fast_path) takeFastPath(table, id, ofNew)
  if (rule.fwmark !== null) put(table, 'relay_fwmark', mark, hex(rule.fwmark))
  const weighted = rule.balance === 'weighted' ? rule.destinations.filter(({ is_backup }) => !is_backup) : []
  weighted.forEach(({ weight }, index) => put(table, 'relay_weight', hex(ruleMark(id, index)), hex(weight)))
  const leads = leadsOf(rule)
  destinationSlots(rule).forEach((home, slot) => {
    const [own, lead] = [rule.destinations[home], rule.destinations[leads[slot] ?? home]]
    const slotMark = hex(flowMark(rule, slot))
    const isDrawn = slot < leads.length
    if (own?.rotation === 'out') put(table, `relay_home${family}`, slotMark, endOf(own))
    else if (own && !isDrawn) put(table, `relay_to${family}`, slotMark, endOf(own))
    // A flow that finds no destination is nobody's, and the host refuses it.
    if (lead && isDrawn && !rule.is_closed) leadTo(table, rule, slotMark, lead)
  })
}

const endOf = ({ address, port }: Pick<RelayDestination, 'address' | 'port'>): string => `${address} . ${port}`

/** A range that keeps its ports needs no port at the destination; a shifted one has an element for each port. */
function leadTo(
  table: Table,
  rule: RelayRule,
  mark: string,
  { address, port, port_range_end }: RelayDestination,
): void {
  const family = familyOf(rule)
  if (port_range_end === null) return put(table, `relay_to${family}`, mark, endOf({ address, port }))
  if (port === rule.bind_port) return put(table, `relay_same${family}`, mark, address)
  for (let to = port; to <= port_range_end; to += 1)
    put(table, `relay_shift${family}`, `${mark} . ${rule.bind_port + to - port}`, `${address} . ${to}`)
}

function listen(table: Table, hook: Hook, transport: Transport, rules: readonly RelayRule[]): void {
  const { plain, single, ranges } = groupByPort(rules)
  for (const rule of plain) {
    const family = familyOf(rule)
    const mark = hex(flowMark(rule))
    if (isWildcard(rule.bind_address))
      put(table, `relay_${hook}_any${family}`, `${transport} . ${rule.bind_port}`, mark)
    else put(table, `relay_${hook}_id${family}`, `${transport} . ${rule.bind_address} . ${rule.bind_port}`, mark)
  }
  for (const group of single) {
    const name = `${hook}_${transport}_${group.first}`
    put(table, `relay_${hook}_ports`, `${transport} . ${group.first}`, `goto ${name}`)
    portChain(table, hook, name, group)
  }
  for (const group of ranges) {
    const name = `${hook}_${transport}_${group.first}_${group.last}`
    put(
      table,
      `relay_${hook}_ranges_${transport}`,
      group.first === group.last ? `${group.first}` : `${group.first}-${group.last}`,
      `goto ${name}`,
    )
    portChain(table, hook, name, group)
  }
}

/** First match wins, in the order of the rules. */
function portChain(table: Table, hook: Hook, name: string, { rules }: PortGroup): void {
  table.chains.set(name, {
    declaration: '',
    rules: rules.map((rule) => `${portMatch(hook, rule)} goto rule_${rule.route_rule_id}`),
  })
  for (const rule of rules) ruleChain(table, rule)
}

function portMatch(hook: Hook, rule: RelayRule): string {
  const family = familyOf(rule)
  const isAnySource = rule.allowed_sources.length === 0
  const anyAddress = isAnySource ? `meta nfproto ipv${family} fib daddr type local` : 'fib daddr type local'
  return [
    // A match on an address implies the family, and a listing does not repeat it.
    ...(isAnySource ? [] : [`${ip(family)} saddr @from${family}_${rule.route_rule_id}`]),
    isWildcard(rule.bind_address) ? anyAddress : `${ip(family)} daddr ${rule.bind_address}`,
    // What this host sends itself has not arrived by any interface.
    ...(rule.bind_interface === null || hook === 'out' ? [] : [`iifname "${rule.bind_interface}"`]),
  ].join(' ')
}

/** What a rule does with a flow that it owns, wherever it caught it. */
function ruleChain(table: Table, rule: RelayRule): void {
  const { route_rule_id: id, max_connections_per_source: most, connection_rate_limit: rate } = rule
  const family = familyOf(rule)
  const address = `ipv${family}_addr`
  if (table.chains.has(`rule_${id}`)) return
  if (rule.allowed_sources.length > 0) {
    table.sets.set(`from${family}_${id}`, newSet('set', address, ['interval']))
    for (const source of rule.allowed_sources) put(table, `from${family}_${id}`, source)
  }
  if (most !== null) table.sets.set(`open${family}_${id}`, newSet('set', address, ['dynamic']))
  const rules = [
    ...(most === null ? [] : [`add @open${family}_${id} { ${ip(family)} saddr ct count over ${most} } drop`]),
    ...(rate === null ? [] : [`limit rate over ${rate}/second burst ${rate} packets drop`]),
    ...(rule.is_logging_enabled ? [`log prefix "panel relay ${id}: " level info`] : []),
    `ct mark set ${drawnMark(rule)} goto relayed`,
  ]
  table.chains.set(`rule_${id}`, { declaration: '', rules })
}

// What iptables-save and iptables -S -v say, as our chains and what they counted: the inverse of what renderFamily
// makes of nothing.
import type { Family } from '../../address/ip.ts'
import { canonicalIp } from '../../address/ip.ts'
import type { RelayCounters } from '../model.ts'
import { COUNT_CHAIN, emptyTables, OURS, SOURCE_CHAIN, TABLES, type FamilyTables, type TableName } from './tables.ts'

/**
 * Throws a SyntaxError where a table of ours holds what iptables cannot list, so that nothing is mistaken for missing.
 */
export function readTables(saved: string, family: Family): FamilyTables {
  const tables = emptyTables()
  let table: TableName | null = null
  for (const line of saved.split('\n')) {
    const [, isIncomplete] = /^# Table [`'"]?([a-z]+)[`'"]? is incompatible/.exec(line) ?? []
    if (TABLES.some((name) => name === isIncomplete))
      throw new SyntaxError(`Somebody put into the table ${isIncomplete} by nft what iptables cannot read`)
    if (line.startsWith('*')) table = TABLES.find((name) => name === line.slice(1).trim()) ?? null
    if (!table) continue
    const [, declared] = /^:(\S+) /.exec(line) ?? []
    if (declared?.startsWith(OURS)) tables[table].chains.set(declared, [])
    const [, chain, rule] = /^-A (\S+) (.*)$/.exec(line) ?? []
    if (chain === undefined || rule === undefined || chain === SOURCE_CHAIN) continue
    if (chain.startsWith(OURS)) tables[table].chains.get(chain)?.push(normalizeLine(rule, family))
    else if (LEADS_HERE.test(rule))
      tables[table].hooks.set(chain, [...(tables[table].hooks.get(chain) ?? []), rule.trim()])
  }
  return tables
}

const LEADS_HERE = /(?:^| )-[jg] PANEL-\S+ *$/

/** glibc writes some IPv6 addresses otherwise than RFC 5952 does. */
export function normalizeLine(rule: string, family: Family): string {
  const line = rule.trim()
  if (family === 4) return line
  const address = (text: string): string => {
    try {
      return canonicalIp(text)
    } catch {
      return text
    }
  }
  return line.replace(
    /(-[sd] |--to-destination \[?|--to-source )([0-9a-f:.]+:[0-9a-f:.]*)/g,
    (_, before: string, text: string) => before + address(text),
  )
}

/** `listed` is the table mangle by `iptables -S -v`. In the order of their ids. */
export function readCounted(listed: string): RelayCounters[] {
  const found = new Map<number, RelayCounters>()
  for (const line of listed.split('\n')) {
    const [, chain = '', direction, packets, bytes] =
      /^-A (\S+) -m conntrack --ctdir (ORIGINAL|REPLY) -c ([0-9]+) ([0-9]+)/.exec(line) ?? []
    const id = Number(COUNT_CHAIN.exec(chain)?.[1])
    if (!(id > 0)) continue
    const before = found.get(id) ?? { route_rule_id: id, tx_bytes: 0, tx_packets: 0, rx_bytes: 0, rx_packets: 0 }
    const way = direction === 'ORIGINAL' ? 'tx' : 'rx'
    found.set(id, { ...before, [`${way}_bytes`]: Number(bytes), [`${way}_packets`]: Number(packets) })
  }
  return [...found.values()].sort((a, b) => a.route_rule_id - b.route_rule_id)
}

/**
 * The connections that have come to a destination of the rule. `listed` is the table nat by `iptables -S -v`: it meets
 * first packets alone, and the line that marks a connection is the first of its destination's chain.
 */
export function readArrived(listed: string, route_rule_id: number): number {
  let connections = 0
  for (const line of listed.split('\n')) {
    const [, id, packets] = /^-A PANEL-D-([0-9]+)-[0-9]+ .*-c ([0-9]+) [0-9]+ -j CONNMARK /.exec(line) ?? []
    if (Number(id) === route_rule_id) connections += Number(packets)
  }
  return connections
}

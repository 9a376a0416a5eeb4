// The rules that a table mentions, each assembled from its elements and lines. readRuleset decides whether all of a
// rule is there.
import { canonicalRule } from '../canonical.ts'
import type { RelayRule } from '../model.ts'
import { HOOKS, type Hook } from './constant.ts'
import { isFastIn } from './fast-path.ts'
import { hex, ruleMark, readMark } from '../mark.ts'
import { readDestinations } from './read-destinations.ts'
import type { Table } from './table.ts'

/** The ends at which a rule listens, gathered from lookups and from chains of ports. */
interface Listening {
  readonly hooks: Set<Hook>
  readonly transports: Set<string>
  bind_address: string
  bind_interface: string | null
  first: number
  last: number
}

/** Null for a rule that cannot be assembled. */
export function rulesIn(table: Table): Map<number, RelayRule | null> {
  const listening = listeners(table)
  const ids = [...(table.sets.get('relay_order')?.elements ?? new Map<string, string>()).keys()].flatMap(
    (mark) => readMark(Number(mark))?.route_rule_id ?? [],
  )
  return new Map([...new Set([...ids, ...listening.keys()])].map((id) => [id, readRule(table, id, listening.get(id))]))
}

function readRule(table: Table, id: number, at: Listening | undefined): RelayRule | null {
  const mark = hex(ruleMark(id))
  const isFast = isFastIn(table, id)
  const ofNew = hex(ruleMark(id, 0, isFast))
  const inSet = (name: string, key = mark): string | undefined => table.sets.get(name)?.elements?.get(key)
  const order = inSet('relay_order')
  if (!at || order === undefined) return null
  const family = at.bind_address.includes(':') ? 6 : 4
  const lines = table.chains.get(`rule_${id}`)?.rules ?? []
  const { balance, destinations, is_closed } = readDestinations(table, id, family, lines, at.first)
  const snat_address = inSet(`relay_snat${family}`, ofNew) ?? null
  const fwmark = inSet('relay_fwmark')
  try {
    return canonicalRule({
      route_rule_id: id,
      sort_order: Number(order),
      protocol: at.transports.size > 1 ? 'both' : at.transports.has('udp') ? 'udp' : 'tcp',
      bind_address: at.bind_address,
      bind_port: at.first,
      bind_port_range_end: at.last === at.first ? null : at.last,
      bind_interface: at.bind_interface,
      destinations,
      balance,
      nat_mode: inSet('relay_masquerade', ofNew) !== undefined ? 'masquerade' : snat_address !== null ? 'snat' : 'none',
      snat_address,
      allowed_sources: [...(table.sets.get(`from${family}_${id}`)?.elements?.keys() ?? [])],
      is_clamp_mss_to_pmtu: inSet('relay_clamp') !== undefined,
      is_include_local_originated: at.hooks.has('out'),
      is_logging_enabled: lines.some((line) => line.startsWith('log ')),
      fwmark: fwmark === undefined ? null : Number(fwmark),
      max_connections_per_source: numberIn(lines, /^add @open[46]_[0-9]+ .* ct count over ([0-9]+) /),
      connection_rate_limit: numberIn(lines, /^limit rate over ([0-9]+)\/second /),
      is_closed,
      is_fast_path: isFast,
    })
  } catch (error) {
    // Pieces that make no rule: families that differ, a range that ends before it begins.
    if (error instanceof RangeError) return null
    throw error
  }
}

function numberIn(lines: readonly string[], pattern: RegExp): number | null {
  const found = lines.map((line) => pattern.exec(line)?.[1]).find((number) => number !== undefined)
  return found === undefined ? null : Number(found)
}

function listeners(table: Table): Map<number, Listening> {
  const found = new Map<number, Listening>()
  for (const hook of HOOKS) {
    for (const family of [4, 6] as const) {
      for (const [key, mark] of table.sets.get(`relay_${hook}_id${family}`)?.elements ?? []) {
        const [transport = '', address = '', port = ''] = key.split(' . ')
        note(found, readMark(Number(mark))?.route_rule_id, {
          hook,
          transport,
          address,
          bind_interface: null,
          first: Number(port),
          last: Number(port),
        })
      }
      for (const [key, mark] of table.sets.get(`relay_${hook}_any${family}`)?.elements ?? []) {
        const [transport = '', port = ''] = key.split(' . ')
        note(found, readMark(Number(mark))?.route_rule_id, {
          hook,
          transport,
          address: anyAddress(family),
          bind_interface: null,
          first: Number(port),
          last: Number(port),
        })
      }
    }
  }
  for (const [name, { rules }] of table.chains) portListeners(found, name, rules)
  return found
}

const anyAddress = (family: 4 | 6): string => (family === 4 ? '0.0.0.0' : '::')
const PORT_CHAIN = /^(in|out)_(tcp|udp)_([0-9]+)(?:_([0-9]+))?$/
const PORT_LINE =
  /^(?:(ip6?) saddr @from[46]_[0-9]+ )?(?:ip6? daddr (\S+)|(?:meta nfproto (ipv[46]) )?fib daddr type local)(?: iifname "([^"]*)")? goto rule_([0-9]+)$/

function portListeners(found: Map<number, Listening>, name: string, lines: readonly string[]): void {
  const [, hook, transport = '', first, last = first] = PORT_CHAIN.exec(name) ?? []
  if (hook !== 'in' && hook !== 'out') return
  for (const line of lines) {
    const [, source, address, family, bind_interface = null, id] = PORT_LINE.exec(line) ?? []
    note(found, id === undefined ? undefined : Number(id), {
      hook,
      transport,
      address: address ?? anyAddress(source === 'ip6' || family === 'ipv6' ? 6 : 4),
      bind_interface,
      first: Number(first),
      last: Number(last),
    })
  }
}

interface Listener {
  readonly hook: Hook
  readonly transport: string
  readonly address: string
  readonly bind_interface: string | null
  readonly first: number
  readonly last: number
}

function note(found: Map<number, Listening>, id: number | undefined, listeners: Listener): void {
  if (id === undefined) return
  const there = found.get(id)
  if (!there)
    return void found.set(id, {
      hooks: new Set([listeners.hook]),
      transports: new Set([listeners.transport]),
      bind_address: listeners.address,
      bind_interface: listeners.bind_interface,
      first: listeners.first,
      last: listeners.last,
    })
  there.hooks.add(listeners.hook)
  there.transports.add(listeners.transport)
  // Traffic of this host has no input interface to match.
  there.bind_interface ??= listeners.bind_interface
  there.first = Math.min(there.first, listeners.first)
  there.last = Math.max(there.last, listeners.last)
}

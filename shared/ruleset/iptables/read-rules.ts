// The rules that our chains mention, each assembled from its lines. readIptables decides whether all of a rule is
// there.
import type { Family } from '../../address/ip.ts'
import { canonicalRule } from '../canonical.ts'
import type { RelayDestination, RelayRule } from '../model.ts'
import { MASQUERADE_CHAIN, type FamilyTables } from './tables.ts'
import { readMark } from '../mark.ts'
import { CLOSED } from './rule.ts'

/** Null for a rule that cannot be assembled. */
export function rulesOfTables(tables: FamilyTables, family: Family): Map<number, RelayRule | null> {
  const listeners = listening(tables, family)
  const marked = byMark(tables)
  const named = [...tables.nat.chains.keys(), ...tables.mangle.chains.keys()]
    .flatMap((name) => /^PANEL-[RSD]-([0-9]+)/.exec(name)?.[1] ?? [])
    .map(Number)
  return new Map(
    [...new Set([...named, ...listeners.keys()])].map((id) => [id, readRule(tables, marked, id, listeners.get(id))]),
  )
}

interface Listening {
  readonly transports: Set<string>
  readonly bind_address: string
  readonly bind_port: number
  readonly bind_port_range_end: number | null
  bind_interface: string | null
  isLocal: boolean
}

const LISTEN =
  /^(?:-d (\S+)\/[0-9]+ )?(?:-i (\S+) )?-p (tcp|udp) -m (?:tcp|udp) --dport ([0-9]+)(?::([0-9]+))?(?: -m addrtype --dst-type LOCAL)? -j PANEL-[RS]-([0-9]+)$/

function listening({ nat }: FamilyTables, family: Family): Map<number, Listening> {
  const found = new Map<number, Listening>()
  for (const chain of ['PANEL-IN', 'PANEL-OUT']) {
    for (const line of nat.chains.get(chain) ?? []) {
      const [
        ,
        address = family === 4 ? '0.0.0.0' : '::',
        bind_interface = null,
        transport = '',
        first,
        last = null,
        id,
      ] = LISTEN.exec(line) ?? []
      if (id === undefined) continue
      const listener = found.get(Number(id)) ?? {
        transports: new Set(),
        bind_address: address,
        bind_port: Number(first),
        bind_port_range_end: last === null ? null : Number(last),
        bind_interface,
        isLocal: false,
      }
      listener.transports.add(transport)
      listener.bind_interface ??= bind_interface
      listener.isLocal ||= chain === 'PANEL-OUT'
      found.set(Number(id), listener)
    }
  }
  return found
}

/** Lines of the chains that all rules share, each with the mark of its rule. */
interface ByMark {
  /** An address, or MASQUERADE_CHAIN. */
  readonly sources: ReadonlyMap<number, string>
  readonly clamped: ReadonlySet<number>
}

function byMark({ nat, mangle }: FamilyTables): ByMark {
  const marked = (lines: readonly string[] | undefined, pattern: RegExp): [number, string][] =>
    (lines ?? []).flatMap((line) => {
      const [, mark, ...texts] = pattern.exec(line) ?? []
      const id = readMark(Number(mark))?.route_rule_id
      return id === undefined ? [] : [[id, texts.find((text) => text !== undefined) ?? '']]
    })
  return {
    sources: new Map(
      marked(
        nat.chains.get('PANEL-SNAT'),
        /^-m connmark --mark (0x[0-9a-f]+)\/0xffffff00 -j (?:(PANEL-MASQ)|SNAT --to-source (\S+))$/,
      ),
    ),
    clamped: new Set(
      marked(mangle.chains.get('PANEL-MSS'), /-m connmark --mark (0x[0-9a-f]+)\/0xffffff00 -j TCPMSS /).map(
        ([id]) => id,
      ),
    ),
  }
}

function readRule(
  { nat }: FamilyTables,
  { sources, clamped }: ByMark,
  id: number,
  at: Listening | undefined,
): RelayRule | null {
  const lines = nat.chains.get(`PANEL-R-${id}`) ?? []
  const order = firstIn(lines, /^-m comment --comment "order ([0-9]+)"$/)
  if (!at || order === null) return null
  const { balance, destinations } = balanced(nat.chains, id, lines, at.bind_port)
  const source = sources.get(id) ?? null
  const isMasqueraded = source === MASQUERADE_CHAIN
  try {
    return canonicalRule({
      route_rule_id: id,
      sort_order: order,
      protocol: at.transports.size > 1 ? 'both' : at.transports.has('udp') ? 'udp' : 'tcp',
      bind_address: at.bind_address,
      bind_port: at.bind_port,
      bind_port_range_end: at.bind_port_range_end,
      bind_interface: at.bind_interface,
      destinations,
      balance,
      nat_mode: isMasqueraded ? 'masquerade' : source === null ? 'none' : 'snat',
      snat_address: isMasqueraded ? null : source,
      allowed_sources: (nat.chains.get(`PANEL-S-${id}`) ?? []).flatMap((line) => /^-s (\S+) /.exec(line)?.[1] ?? []),
      is_clamp_mss_to_pmtu: clamped.has(id),
      is_include_local_originated: at.isLocal,
      is_logging_enabled: lines.some((line) => line.startsWith('-j LOG ')),
      fwmark: firstIn(lines, /^-j MARK --set-xmark (0x[0-9a-f]+)\//),
      max_connections_per_source: firstIn(lines, /^-m connlimit --connlimit-above ([0-9]+) /),
      connection_rate_limit: firstIn(lines, /^-m hashlimit .* --hashlimit-name panel-[0-9]+-([0-9]+) /),
      is_closed: lines.includes(CLOSED),
    })
  } catch (error) {
    // Pieces that make no rule: no destination, families that differ, a range that ends before it begins.
    if (error instanceof RangeError) return null
    throw error
  }
}

const textIn = (lines: readonly string[], pattern: RegExp): string | null =>
  lines.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined) ?? null

function firstIn(lines: readonly string[], pattern: RegExp): number | null {
  const text = textIn(lines, pattern)
  return text === null ? null : Number(text)
}

type Balanced = Pick<RelayRule, 'balance' | 'destinations'>

function balanced(
  chains: ReadonlyMap<string, readonly string[]>,
  id: number,
  lines: readonly string[],
  bind_port: number,
): Balanced {
  const destinations: RelayDestination[] = []
  let isWeighted = false
  for (
    let listener = chains.get(`PANEL-D-${id}-0`);
    listener;
    listener = chains.get(`PANEL-D-${id}-${destinations.length}`)
  ) {
    const traits = textIn(listener, /^-m comment --comment ("[^"]*"|\S+) /) ?? ''
    const weight = firstIn([traits], /\bweight ([0-9]+)/)
    const end = textIn(listener, /-j DNAT --to-destination (\S+)$/)
    isWeighted ||= weight !== null
    destinations.push({
      ...readEnd(end ?? '', bind_port),
      weight: weight ?? 1,
      is_backup: /\bbackup\b/.test(traits),
      rotation: /\bout\b/.test(traits) ? 'out' : 'in',
    })
  }
  const drawn = lines.join('\n')
  return {
    destinations,
    balance: isWeighted
      ? 'weighted'
      : drawn.includes('-m cluster ')
        ? 'source_hash'
        : drawn.includes('-m statistic ')
          ? 'round_robin'
          : 'none',
  }
}

/** An address alone keeps the ports. */
function readEnd(text: string, bind_port: number): Pick<RelayDestination, 'address' | 'port' | 'port_range_end'> {
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([0-9.]+)):([0-9]+)(?:-[0-9]+\/[0-9]+)?$/.exec(text) ?? []
  return {
    address: six ?? four ?? text,
    port: port === undefined ? bind_port : Number(port),
    port_range_end: null,
  }
}

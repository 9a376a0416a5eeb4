// One relay rule in the words of iptables: where it listens, whom it refuses, which destination it draws, and what that
// destination sees.
import { familyOf, isWildcard } from '../canonical.ts'
import type { RelayDestination, RelayRule } from '../model.ts'
import type { Hook } from '../nft/constant.ts'
import { MASQUERADE_CHAIN, type ChainTable } from './tables.ts'
import { hex, ruleMark, RULE_MASK } from '../mark.ts'
import { listensOn } from '../ports.ts'
import { leadsOf } from '../leads.ts'

/** Flows of a rule, whatever their destination. */
export const ruleMatch = (id: number): string => `-m connmark --mark ${hex(ruleMark(id))}/${hex(RULE_MASK)}`
export const markLine = (fwmark: number): string => `-j MARK --set-xmark 0x${fwmark.toString(16)}/0xffffffff`

const TRANSPORTS = ['tcp', 'udp'] as const

/**
 * One for each transport, in the order of the rules: the first that matches owns the flow, since every way through a
 * rule ends there.
 */
export function listenLines(hook: Hook, rule: RelayRule): string[] {
  const { route_rule_id: id, bind_address, bind_interface, bind_port, bind_port_range_end: end } = rule
  const isAny = isWildcard(bind_address)
  return TRANSPORTS.filter((transport) => listensOn(rule, transport)).map((transport) =>
    [
      ...(isAny ? [] : [`-d ${bind_address}/${bitsOf(rule)}`]),
      // What this host sends itself has not arrived by any interface.
      ...(bind_interface === null || hook === 'out' ? [] : [`-i ${bind_interface}`]),
      `-p ${transport} -m ${transport} --dport ${end === null ? bind_port : `${bind_port}:${end}`}`,
      ...(isAny ? ['-m addrtype --dst-type LOCAL'] : []),
      `-j PANEL-${rule.allowed_sources.length > 0 ? 'S' : 'R'}-${id}`,
    ].join(' '),
  )
}

const bitsOf = (rule: RelayRule): number => (familyOf(rule) === 4 ? 32 : 128)

/** The first line does nothing but record the rule's place in the order. */
export function ruleLines(rule: RelayRule): string[] {
  const { route_rule_id: id, sort_order, max_connections_per_source: most, connection_rate_limit: rate, fwmark } = rule
  return [
    `-m comment --comment "order ${sort_order}"`,
    ...(most === null
      ? []
      : [`-m connlimit --connlimit-above ${most} --connlimit-mask ${bitsOf(rule)} --connlimit-saddr -j PANEL-NO`]),
    ...(rate === null
      ? []
      : [
          `-m hashlimit --hashlimit-above ${rateHeld(rate)}/sec --hashlimit-burst ${rate} --hashlimit-name panel-${id}-${rate} -j PANEL-NO`,
        ]),
    ...(rule.is_logging_enabled ? [`-j LOG --log-prefix "panel relay ${id}: " --log-level 6`] : []),
    ...(fwmark === null ? [] : [markLine(fwmark)]),
    ...(rule.is_closed ? [CLOSED] : []),
    ...draws(rule),
  ]
}

/**
 * hashlimit keeps the time between two packets in millionths of a second, so of large numbers it holds the nearest that
 * this divides to.
 */
const rateHeld = (rate: number): number => Math.floor(1e6 / Math.floor(1e6 / rate))

/** Any value would do, as long as it stays: another one sends every client to another server. */
const HASH_SEED = '0x70616e65'

/** Neither this rule nor one behind it owns the flow: the host itself refuses it. */
export const CLOSED = '-m comment --comment closed -j ACCEPT'

/** Each line takes its share of the flows that those before it have left; the last takes what is left then. */
function draws(rule: RelayRule): string[] {
  const slots = leadsOf(rule)
  const condition = (slot: number): string =>
    rule.balance === 'source_hash'
      ? `-m cluster --cluster-local-nodemask ${hex(2 ** slot)} --cluster-total-nodes ${slots.length} --cluster-hash-seed ${HASH_SEED} `
      : `-m statistic --mode nth --every ${slots.length - slot} --packet 0 `
  return slots.map(
    (destination, slot) =>
      `${slot === slots.length - 1 ? '' : condition(slot)}-j PANEL-D-${rule.route_rule_id}-${destination}`,
  )
}

/**
 * The mark says which rule owns the flow and which destination it has; the translation ends the way through our chains.
 */
export function addDestinations({ chains }: ChainTable, rule: RelayRule): void {
  const { route_rule_id: id } = rule
  rule.destinations.forEach((destination, at) => {
    const about = formatTraits(rule, destination)
    const dnat = TRANSPORTS.filter((transport) => listensOn(rule, transport)).map(
      (transport) => `-p ${transport} -j DNAT --to-destination ${formatEnd(rule, destination)}`,
    )
    chains.set(`PANEL-D-${id}-${at}`, [`${about}-j CONNMARK --set-xmark ${hex(ruleMark(id, at))}/0xffffffff`, ...dnat])
  })
}

/** The traits in the notation of iptables-save: one word without quotes. */
function formatTraits({ balance }: RelayRule, { weight, is_backup, rotation }: RelayDestination): string {
  const weighted = balance === 'weighted' && !is_backup ? [`weight ${weight}`] : []
  const traits = [...weighted, ...(is_backup ? ['backup'] : []), ...(rotation === 'out' ? ['out'] : [])].join(' ')
  if (traits === '') return ''
  return `-m comment --comment ${traits.includes(' ') ? `"${traits}"` : traits} `
}

/** A range that keeps its ports needs none here; a shifted one names the first bound port. */
function formatEnd({ bind_port }: RelayRule, { address, port, port_range_end }: RelayDestination): string {
  if (port_range_end !== null && port === bind_port) return address
  const before = address.includes(':') ? `[${address}]` : address
  return port_range_end === null ? `${before}:${port}` : `${before}:${port}-${port_range_end}/${bind_port}`
}

export function sourceLines({ route_rule_id: id, nat_mode, snat_address }: RelayRule): string[] {
  if (nat_mode === 'masquerade') return [`${ruleMatch(id)} -j ${MASQUERADE_CHAIN}`]
  return snat_address === null ? [] : [`${ruleMatch(id)} -j SNAT --to-source ${snat_address}`]
}

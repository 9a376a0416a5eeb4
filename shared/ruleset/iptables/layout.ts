// Lays rules out as chains of iptables: one way through them for a packet, and for each rule a few chains that bear its
// id. Pure.
import type { Family } from '../../address/ip.ts'
import { canonicalRuleset, familyOf } from '../canonical.ts'
import type { RelayRule } from '../model.ts'
import { addDestinations, listenLines, markLine, ruleMatch, ruleLines, sourceLines } from './rule.ts'
import { emptyTables, MASQUERADE_CHAIN, SOURCE_CHAIN, type ChainTable, type FamilyTables } from './tables.ts'
import { hex, ruleMark, RULE_MASK } from '../mark.ts'

/** The rules may come in any order and of any family; those of the other one are passed over. */
export function layOutIptables(rules: readonly RelayRule[], family: Family): FamilyTables {
  const tables = emptyTables()
  const ordered = canonicalRuleset(rules).filter((rule) => familyOf(rule) === family)
  natChains(tables.nat, ordered, family)
  countChains(tables.mangle, ordered)
  clampChain(tables.mangle, ordered)
  fwmarkChain(tables.mangle, ordered)
  return tables
}

const hook = ({ hooks }: ChainTable, builtIn: string, line: string): void => void hooks.set(builtIn, [line])

const TRANSLATED = '-m conntrack --ctstate DNAT -j RETURN'
const TO_OTHERS = '-m addrtype ! --dst-type LOCAL -j RETURN'
const OF_ANY = '-m connmark --mark 0x50000000/0xf0000000'
const NOT_OURS = '-m connmark ! --mark 0x50000000/0xf0000000 -j RETURN'
/** Rules begin with 1, so this is what a limit gives to a flow that it refuses: nat may not drop. */
const REFUSED = hex(ruleMark(0))

/**
 * For arriving and for locally sent packets: the first packet of a flow finds its rule, which decides where it goes.
 */
function natChains(nat: ChainTable, rules: readonly RelayRule[], family: Family): void {
  const own = rules.filter((rule) => rule.is_include_local_originated)
  hook(nat, 'PREROUTING', '-j PANEL-IN')
  hook(nat, 'OUTPUT', '-j PANEL-OUT')
  hook(nat, 'POSTROUTING', '-j PANEL-SNAT')
  // Connections that another program has translated, or that go to another program, are left alone; loopback traffic is
  // never relayed.
  nat.chains.set('PANEL-IN', [TRANSLATED, TO_OTHERS, ...rules.flatMap((rule) => listenLines('in', rule))])
  nat.chains.set('PANEL-OUT', [
    TRANSLATED,
    TO_OTHERS,
    `-d ${family === 4 ? '127.0.0.0/8' : '::1/128'} -j RETURN`,
    ...own.flatMap((rule) => listenLines('out', rule)),
  ])
  nat.chains.set('PANEL-SNAT', [NOT_OURS, '-m conntrack ! --ctstate DNAT -j RETURN', ...rules.flatMap(sourceLines)])
  // The kernel forgets what it masquerades with the link or the address. What it translates to an address that it is
  // given goes on once the tunnel is back.
  nat.chains.set(MASQUERADE_CHAIN, [`-j ${SOURCE_CHAIN}`, '-j MASQUERADE'])
  nat.chains.set(SOURCE_CHAIN, [])
  if (rules.some((rule) => rule.max_connections_per_source !== null || rule.connection_rate_limit !== null))
    nat.chains.set('PANEL-NO', [`-j CONNMARK --set-xmark ${REFUSED}/0xffffffff`, '-j ACCEPT'])
  for (const rule of rules) {
    const { route_rule_id: id, allowed_sources } = rule
    if (allowed_sources.length > 0)
      nat.chains.set(
        `PANEL-S-${id}`,
        allowed_sources.map((source) => `-s ${source} -j PANEL-R-${id}`),
      )
    nat.chains.set(`PANEL-R-${id}`, ruleLines(rule))
    addDestinations(nat, rule)
  }
}

/** A packet looks through one line for each group, and through those of one group. */
const GROUP = 64

/**
 * Counts behind foreign filters, except for what comes to this host itself: there is nothing behind those that every
 * kernel has.
 */
function countChains(mangle: ChainTable, rules: readonly RelayRule[]): void {
  const ids = rules.map(({ route_rule_id }) => route_rule_id).sort((a, b) => a - b)
  const groups = [...new Set(ids.map((id) => Math.floor(id / GROUP)))]
  const groupMask = hex(2 ** 32 - GROUP * 2 ** 8)
  // Loopback packets are counted on output.
  hook(mangle, 'INPUT', '! -i lo -j PANEL-COUNT')
  hook(mangle, 'POSTROUTING', '-j PANEL-POST')
  mangle.chains.set('PANEL-POST', ['-j PANEL-COUNT'])
  mangle.chains.set('PANEL-COUNT', [
    NOT_OURS,
    `-m connmark --mark ${REFUSED}/${hex(RULE_MASK)} -j DROP`,
    ...groups.map((group) => `-m connmark --mark ${hex(ruleMark(group * GROUP))}/${groupMask} -j PANEL-G-${group}`),
  ])
  for (const group of groups)
    mangle.chains.set(
      `PANEL-G-${group}`,
      ids.filter((id) => Math.floor(id / GROUP) === group).map((id) => `${ruleMatch(id)} -j PANEL-C-${id}`),
    )
  for (const id of ids)
    mangle.chains.set(`PANEL-C-${id}`, ['-m conntrack --ctdir ORIGINAL', '-m conntrack --ctdir REPLY'])
}

const SYN = '-p tcp -m tcp --tcp-flags SYN,RST SYN'

/** Only where a rule clamps. Behind routing, so that what this host sends is clamped too. */
function clampChain(mangle: ChainTable, rules: readonly RelayRule[]): void {
  const clamped = rules.filter((rule) => rule.is_clamp_mss_to_pmtu)
  if (clamped.length === 0) return
  mangle.chains.get('PANEL-POST')?.push(`${SYN} ${OF_ANY} -j PANEL-MSS`)
  // The kernel wants the flags in the very line that clamps.
  mangle.chains.set(
    'PANEL-MSS',
    clamped.map(({ route_rule_id }) => `${SYN} ${ruleMatch(route_rule_id)} -j TCPMSS --clamp-mss-to-pmtu`),
  )
}

/** Only where a rule has an fwmark. The first packet of a flow has no owner here yet: the rule's own chain marks it. */
function fwmarkChain(mangle: ChainTable, rules: readonly RelayRule[]): void {
  const marked = rules.flatMap(({ route_rule_id, fwmark }) =>
    fwmark === null ? [] : [`${ruleMatch(route_rule_id)} ${markLine(fwmark)}`],
  )
  if (marked.length === 0) return
  for (const builtIn of ['PREROUTING', 'OUTPUT']) hook(mangle, builtIn, '-j PANEL-MARK')
  mangle.chains.set('PANEL-MARK', ['-m conntrack --ctdir REPLY -j RETURN', ...marked])
}

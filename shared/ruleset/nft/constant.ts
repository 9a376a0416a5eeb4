// The part of our table that does not depend on the rules: the chains that a packet passes, and the maps that hold the
// rules.
import { hex, RULE_MASK } from '../mark.ts'
import { FAMILIES, hooked, ip } from './hooks.ts'
import { emptyTable, newSet, type Table, type TableSet } from './table.ts'

/** The hooks that catch a flow: as it arrives, or as this host sends it. */
export const HOOKS = ['in', 'out'] as const
export type Hook = (typeof HOOKS)[number]

const RULE = `ct mark & ${hex(RULE_MASK)}`

export function constantTable(): Table {
  const table = emptyTable()
  for (const hook of HOOKS) listenerSets(table, hook)
  for (const family of FAMILIES) destinationSets(table, family)
  table.sets.set('relay_masquerade', newSet('set', 'mark'))
  table.sets.set('relay_account', newSet('map', 'mark . ct_dir : counter'))
  table.sets.set(ARRIVED, newArrived())
  // Never looked up by a packet: what else is to be read back.
  table.sets.set('relay_order', newSet('map', 'mark : mark'))
  table.sets.set('relay_weight', newSet('map', 'mark : mark'))
  chains(table)
  return table
}

function listenerSets({ sets }: Table, hook: Hook): void {
  for (const family of FAMILIES) {
    sets.set(`relay_${hook}_id${family}`, newSet('map', `inet_proto . ipv${family}_addr . inet_service : mark`))
    sets.set(`relay_${hook}_any${family}`, newSet('map', 'inet_proto . inet_service : mark'))
  }
  sets.set(`relay_${hook}_ports`, newSet('map', 'inet_proto . inet_service : verdict'))
  for (const protocol of ['tcp', 'udp'])
    sets.set(`relay_${hook}_ranges_${protocol}`, newSet('map', 'inet_service : verdict', ['interval']))
}

function destinationSets({ sets }: Table, family: 4 | 6): void {
  const address = `ipv${family}_addr`
  sets.set(`relay_to${family}`, newSet('map', `mark : ${address} . inet_service`))
  sets.set(`relay_same${family}`, newSet('map', `mark : ${address}`))
  sets.set(`relay_shift${family}`, newSet('map', `mark . inet_service : ${address} . inet_service`))
  // Never looked up by a packet: the destinations that are out of rotation, by their own slots.
  sets.set(`relay_home${family}`, newSet('map', `mark : ${address} . inet_service`))
  sets.set(`relay_snat${family}`, newSet('map', `mark : ${address}`))
  sets.set(sourceMap(family), newMirror(family))
}

/** Counts the new connections of each rule, ahead of all that filters them: a chain of the type nat sees first packets. */
export const ARRIVED = 'relay_arrived'
export const newArrived = (): TableSet => newSet('set', 'mark', ['counted'])

/** The address of each tunnel by which this host sends through it (root-helper/nouns/ruleset/sources.ts). */
export const sourceMap = (family: 4 | 6): string => `relay_source${family}`
export const newMirror = (family: 4 | 6): TableSet => newSet('map', `ifname : ipv${family}_addr`, ['mirrored'])

function chains({ chains: all }: Table): void {
  all.set('relayed', { declaration: '', rules: relayed() })
  for (const hook of HOOKS) all.set(`relay_${hook}`, { declaration: '', rules: relay(hook) })
  all.set('prerouting', {
    declaration: hooked('nat', 'prerouting', -100),
    rules: ['meta l4proto tcp jump relay_in', 'meta l4proto udp jump relay_in'],
  })
  // Loopback traffic is never relayed.
  all.set('output', {
    declaration: hooked('nat', 'output', -100),
    rules: [
      'ip daddr 127.0.0.0/8 accept',
      'ip6 daddr ::1 accept',
      'meta l4proto tcp jump relay_out',
      'meta l4proto udp jump relay_out',
    ],
  })
  all.set('postrouting', {
    declaration: hooked('nat', 'postrouting', 100),
    rules: [
      // The kernel forgets what it masquerades with the link or the address. What it translates to an address that it
      // is given goes on once the tunnel is back.
      ...FAMILIES.map(
        (family) =>
          `${RULE} == @relay_masquerade ct status dnat snat ${ip(family)} to oifname map @${sourceMap(family)}`,
      ),
      `${RULE} == @relay_masquerade ct status dnat masquerade`,
      ...FAMILIES.map((family) => `ct status dnat snat ${ip(family)} to ${RULE} map @relay_snat${family}`),
    ],
  })
  // After foreign filters, so that only accepted packets are counted. Loopback packets are counted on output.
  const account = `counter name ${RULE} . ct direction map @relay_account`
  all.set('account_forward', { declaration: hooked('filter', 'forward', 10), rules: [account] })
  all.set('account_input', { declaration: hooked('filter', 'input', 10), rules: [`iif != "lo" ${account}`] })
  all.set('account_output', { declaration: hooked('filter', 'output', 10), rules: [account] })
}

/**
 * First come the ports where order or choice matters, then one lookup by address, then one for every address of the
 * host.
 */
function relay(hook: Hook): string[] {
  return [
    // Another program has translated it. A mark is no sign of that: other software marks every connection.
    'ct status dnat return',
    // What goes to another program passes, whatever address a rule is bound to.
    'fib daddr type != local return',
    `meta l4proto . th dport vmap @relay_${hook}_ports`,
    ...['tcp', 'udp'].map((protocol) => `${protocol} dport vmap @relay_${hook}_ranges_${protocol}`),
    ...FAMILIES.map(
      (family) =>
        `ct mark set meta l4proto . ${ip(family)} daddr . th dport map @relay_${hook}_id${family} goto relayed`,
    ),
    ...FAMILIES.map(
      (family) =>
        `meta nfproto ipv${family} ct mark set meta l4proto . th dport map @relay_${hook}_any${family} goto relayed`,
    ),
  ]
}

/** The destination follows from the mark. nft takes a port in a dnat only behind the name of a protocol. */
function relayed(): string[] {
  const dnat = (family: 4 | 6): string[] => [
    ...['tcp', 'udp'].map(
      (protocol) => `meta l4proto ${protocol} dnat ${ip(family)} to ct mark map @relay_to${family}`,
    ),
    `dnat ${ip(family)} to ct mark map @relay_same${family}`,
    ...['tcp', 'udp'].map((protocol) => `dnat ${ip(family)} to ct mark . ${protocol} dport map @relay_shift${family}`),
  ]
  // A flow without a destination belongs to no rule.
  return [`${RULE} == @${ARRIVED}`, ...dnat(4), ...dnat(6), 'ct mark set 0x00000000']
}

/** Only where a rule clamps: it costs every packet. Behind routing, so that what this host sends is clamped too. */
export function addClamp({ sets, chains: all }: Table): void {
  sets.set('relay_clamp', newSet('set', 'mark'))
  all.set('clamp_mss', {
    declaration: hooked('filter', 'postrouting', -150),
    rules: [`tcp flags syn / syn,rst ${RULE} == @relay_clamp tcp option maxseg size set rt mtu`],
  })
}

/** Only where a rule has an fwmark: each packet towards a destination carries it when its route is looked up. */
export function addFwmark({ sets, chains: all }: Table): void {
  sets.set('relay_fwmark', newSet('map', 'mark : mark'))
  const rules = [`ct direction original meta mark set ${RULE} map @relay_fwmark`]
  all.set('mark_in', { declaration: hooked('filter', 'prerouting', -90), rules })
  all.set('mark_out', { declaration: hooked('route', 'output', -90), rules })
}

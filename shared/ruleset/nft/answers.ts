// The table that has answers leave by the way that they are due to (decisions.md, T27 and T42): it marks packets of flows
// that came in for an address of such a tunnel or network, and a rule of the routing leads that mark there. Pure.
import { hex, RULE_MASK, ruleMark } from '../mark.ts'
import { FAMILIES, hooked, ip } from './hooks.ts'

export const ANSWERS_NAME = 'panel_answers'
export const ANSWERS_TABLE = `inet ${ANSWERS_NAME}`

/** The first byte of every mark and of every routing table of ours; the last two hold the number of the tunnel or network. */
export const ANSWER_BYTE = 0x54
export const ANSWER_BASE = ANSWER_BYTE * 2 ** 24
/** The bits that a rule of the routing compares: the others belong to other software. */
export const ANSWER_MASK = 0xff00_ffff
export const ANSWER_NUMBER_MAX = 0xffff

export const answerMark = (number: number): number => ANSWER_BASE + number
/** Whether a mark of an operator may be one that answers have. */
export const isAnswerMark = (mark: number): boolean => Math.floor(mark / 2 ** 24) === ANSWER_BYTE

const MARKED = `meta mark & ${hex(0xff00_0000)}`
/**
 * The condition of the fast path, which would look the way back of an answer up without its mark. The whole mark, since
 * nft lists a mask in a way that differs between its versions.
 */
export const NOT_ANSWERED = `meta mark != ${ANSWER_BASE}`

/** The hooks of an answer that passes through, and of one of this host's own, whose route is then looked up again. */
const BOTH_WAYS = [
  ['answered', hooked('filter', 'prerouting', -160)],
  ['answered_out', hooked('route', 'output', -160)],
] as const

/** The label of connections that came in by another link, which are answered as ever: its last digits are ours alone. */
const ELSEWHERE = 84

/**
 * The lines that have a server without the panel answer what came in for these addresses of one family by the tunnel
 * whose other end has the inner address `via`. The number is that end's own for it.
 */
export function answersByHand(number: number, via: string, addresses: readonly string[]): string[] {
  const family = via.includes(':') ? 6 : 4
  const [command, mark] = [family === 6 ? 'ip -6' : 'ip', answerMark(number)]
  const marking = `ct direction reply ct original ${ip(family)} daddr { ${addresses.join(', ')} } meta mark set ${hex(mark)};`
  const chains = BOTH_WAYS.map(([name, hook]) => `chain ${name} { ${hook} ${marking} };`)
  const table = `inet answered_${number}_${ip(family)}`
  return [
    `${command} route replace default via ${via} table ${mark}`,
    `${command} rule add fwmark ${hex(mark)}/${hex(ANSWER_MASK)} lookup ${mark}`,
    `nft 'add table ${table}; delete table ${table}; table ${table} { ${chains.join(' ')} }'`,
  ]
}

/** An address that is answered by a way of its own: through its tunnel, or by the paths of its network. */
export interface Answered {
  /** What comes in for it by one of these is answered so. */
  readonly interface_names: readonly string[]
  readonly number: number
  readonly address: string
  /** The address of this host's own packets; null if it is that one, or there is none. */
  readonly own: string | null
}

/** All that the table is made of. */
export interface AnswersDue {
  readonly addresses: readonly Answered[]
  readonly rules: readonly AnsweredRule[]
}

/** A relay rule whose connections are answered by the interface that it names. */
export interface AnsweredRule {
  readonly route_rule_id: number
  readonly number: number
}

/**
 * One transaction: the table as it is to be, whatever was there. It has no line that nothing in it calls for, and
 * packets that are no answers leave its chains by their first lines: every packet of the host passes them.
 */
export function renderAnswers({ addresses, rules }: AnswersDue): string {
  const isOf = (family: 4 | 6) => (one: Answered) => one.address.includes(':') === (family === 6)
  const families = FAMILIES.filter((family) => addresses.some(isOf(family)))
  return [
    `add table ${ANSWERS_TABLE}`,
    `delete table ${ANSWERS_TABLE}`,
    `table ${ANSWERS_TABLE} {`,
    ...families.map((family) => sets(family, addresses.filter(isOf(family)))),
    ...(rules.length > 0 ? setsOfRules(rules) : []),
    ...chains(families, rules.length > 0).flatMap(([name, lines]) => [
      `  chain ${name} {`,
      ...lines.map((line) => `    ${line}`),
      '  }',
    ]),
    '}\n',
  ].join('\n')
}

/** The bits of a ct mark that name its rule, whether its flow is on the fast path or not. */
const OF_RULE = `ct mark & ${hex(RULE_MASK & 0x7fff_ffff)}`

type Chain = readonly [name: string, lines: readonly string[]]

function chains(families: readonly (4 | 6)[], hasRules: boolean): Chain[] {
  const forEach = (line: (family: 4 | 6, ip: string) => string): string[] =>
    families.map((family) => line(family, ip(family)))
  const ofRules = (line: string): string[] => (hasRules ? [line] : [])
  const marking = [
    'ct direction original accept',
    ...ofRules(`meta mark set ${OF_RULE} map @uplink accept`),
    `ct label ${ELSEWHERE} accept`,
    ...forEach((family, ip) => `meta mark set ct original ${ip} daddr map @answer${family}`),
  ]
  const arrived = forEach(
    (family, ip) =>
      `ct direction original ${ip} daddr @address${family} iifname . ${ip} daddr != @link${family} ct label set ${ELSEWHERE}`,
  )
  const owned = forEach(
    (family, ip) => `meta l4proto udp socket wildcard 1 dnat ${ip} to iifname . ${ip} daddr map @own${family}`,
  )
  const slow = [
    `${FAST} != ${hex(ruleMark(0, 0, true))} accept`,
    ...forEach((family, ip) => `ct original ${ip} daddr @address${family} meta mark set ${hex(ANSWER_BASE)}`),
    ...ofRules(`${OF_RULE} @uplinked meta mark set ${hex(ANSWER_BASE)}`),
  ]
  const spent = `${MARKED} == ${hex(ANSWER_BASE)} meta mark set meta mark & 0x00ff0000`
  const [[through, throughHook], [out, outHook]] = BOTH_WAYS
  return [
    ['arrived', arrived],
    [through, [throughHook, 'ct state new jump arrived', ...marking]],
    [out, [outHook, ...marking]],
    ['owned', [hooked('nat', 'prerouting', -90), ...owned]],
    ['kept_slow', [hooked('filter', 'forward', 8), ...slow]],
    ['spent', [hooked('filter', 'postrouting', 300), spent]],
  ]
}

/** The nibble of a ct mark, by which a flow of the fast path is known. */
const FAST = `ct mark & ${hex(0xf000_0000)}`

function sets(family: 4 | 6, answered: readonly Answered[]): string {
  const address = `ipv${family}_addr`
  const linked = ({ interface_names, address }: Answered): string[] =>
    interface_names.map((name) => `"${name}" . ${address}`)
  return [
    set(
      `map answer${family}`,
      `${address} : mark`,
      answered.map((one) => `${one.address} : ${hex(answerMark(one.number))}`),
    ),
    set(
      `set address${family}`,
      address,
      answered.map((one) => one.address),
    ),
    set(`set link${family}`, `ifname . ${address}`, answered.flatMap(linked)),
    set(
      `map own${family}`,
      `ifname . ${address} : ${address}`,
      answered.flatMap((one) => (one.own === null ? [] : linked(one).map((place) => `${place} : ${one.own}`))),
    ),
  ].join('\n')
}

function setsOfRules(rules: readonly AnsweredRule[]): string[] {
  const marks = rules.map(
    ({ route_rule_id, number }) => [hex(ruleMark(route_rule_id)), hex(answerMark(number))] as const,
  )
  return [
    set(
      'map uplink',
      'mark : mark',
      marks.map((pair) => pair.join(' : ')),
    ),
    set(
      'set uplinked',
      'mark',
      marks.map(([mark]) => mark),
    ),
  ]
}

const set = (name: string, type: string, elements: readonly string[]): string =>
  `  ${name} { type ${type}; ${elements.length > 0 ? `elements = { ${elements.join(', ')} }; ` : ''}}`

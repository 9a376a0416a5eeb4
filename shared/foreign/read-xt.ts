// Rules with iptables extensions: in its JSON nft reports only a name for them, but its text translates most of them,
// and that is read here.
import type { Json } from '../ruleset/nft/json.ts'

/** Whether the JSON of a rule leaves out what its text may say. */
export const hasExtension = (expression: readonly Json[]): boolean =>
  expression.some((item) => typeof item === 'object' && item !== null && 'xt' in item)

/** The first matches on something that is not modelled; the second may also be a verdict. */
const IMPLICIT: Json = { match: {} }
const UNKNOWN: Json = { xt: null }

const match = (left: Json, right: Json, negated: string | undefined): Json => ({
  match: { op: negated === undefined ? '==' : '!=', left, right },
})
const meta = (key: string): Json => ({ meta: { key } })
const payload = (protocol: string, field: string): Json => ({ payload: { protocol, field } })

const SET = String.raw`(?:\{ [^}]* \}|[^\s{]+)`
const NOT = String.raw`(!=? ?)?`
/** How the text may begin, and the statement of nft's JSON that this stands for; null for none. */
const PIECES: readonly (readonly [RegExp, (...parts: string[]) => Json])[] = [
  [
    new RegExp(`^ct state ${NOT}(${SET})`),
    (not, words = '') => match({ ct: { key: 'state' } }, { set: members(words) }, not),
  ],
  [
    /^ct status ([a-z,]+)/,
    (words = '') => ({ match: { op: 'in', left: { ct: { key: 'status' } }, right: members(words) } }),
  ],
  [/^ct direction (original|reply)/, (way = '') => match({ ct: { key: 'direction' } }, way, undefined)],
  [
    new RegExp(`^ct original (proto-dst|(?:ip6? )?daddr) ${NOT}(\\S+)`),
    (key = '', not, value = '') =>
      match({ ct: { key, dir: 'original' } }, key === 'proto-dst' ? numbered(value) : addressed(value), not),
  ],
  [
    /^(?:meta l4proto|ip protocol|ip6 nexthdr) ([a-z0-9-]+)/,
    (protocol = '') => match(meta('l4proto'), protocol, undefined),
  ],
  [
    new RegExp(`^(tcp|udp|th) ([ds]port) ${NOT}(${SET})`),
    (protocol = '', field = '', not, ports = '') =>
      match(payload(protocol, field), { set: members(ports).map(numbered) }, not),
  ],
  [
    new RegExp(`^(ip6?) ([ds]addr) ${NOT}(${SET})`),
    (family = '', field = '', not, address = '') => match(payload(family, field), addressed(address), not),
  ],
  [new RegExp(`^([io]ifname) ${NOT}"([^"]*)"`), (key = '', not, name = '') => match(meta(key), name, not)],
  [/^counter packets [0-9]+ bytes [0-9]+/, () => ({ counter: null })],
  [/^comment "(?:[^"\\]|\\.)*"/, () => null],
  [
    new RegExp(`^fib ([sd]addr) type ${NOT}(${SET})`),
    (flag = '', not, types = '') => match({ fib: { result: 'type', flags: [flag] } }, { set: members(types) }, not),
  ],
  [/^limit rate \S+(?: burst [0-9]+ \S+)?/, () => IMPLICIT],
  [/^(meta|ct) mark set .*/, (kind = '') => ({ mangle: { key: { [kind]: { key: 'mark' } }, value: null } })],
  [/^xt target "?CONNMARK"?/, () => ({ mangle: { key: { ct: { key: 'mark' } }, value: null } })],
  [
    /^(?:meta )?mark (?:(?:& 0x[0-9a-f]+|and 0x[0-9a-f]+) )?(?:==? )?(!= )?(0x[0-9a-f]+)/,
    (not, mark = '') => match(meta('mark'), Number(mark), not),
  ],
  [/^ct mark (?:& 0x[0-9a-f]+ )?(?:[!=]= )?0x[0-9a-f]+/, () => IMPLICIT],
  [/^tcp flags \S+ \/ \S+/, () => IMPLICIT],
  [/^xt match \S+/, () => IMPLICIT],
  [/^tcp option maxseg size set .*/, () => ({ mangle: null })],
  [/^notrack\b/, () => ({ notrack: null })],
  [/^ct zone set .*/, () => ({ mangle: { key: { ct: { key: 'zone' } }, value: null } })],
  [/^synproxy\b.*/, () => ({ synproxy: null })],
  [/^log\b.*/, () => ({ log: null })],
  [/^(accept|drop|return)\b/, (verdict = '') => ({ [verdict]: null })],
  [/^(jump|goto) (\S+)/, (kind = '', target = '') => ({ [kind]: { target } })],
  [/^(reject|dnat|snat|masquerade|redirect)\b.*/, (kind = '') => ({ [kind]: null })],
]
/** The verdict is at the end, even behind something that cannot be read. */
const LAST = /\s(?:(accept|drop|return)|(jump|goto) (\S+)|(reject)(?: with .*)?)$/

/** The rule as nft would report it in JSON if it knew the extensions; what is uncertain is reported as unknown. */
export function readXtExpression(text: string): Json[] {
  const found: Json[] = []
  for (let rest = text.trim(); rest !== '';) {
    const piece = rangeStart(rest)
    if (!piece) return [...found, UNKNOWN, ...rangeEnd(rest)]
    if (piece.statement !== null) found.push(piece.statement)
    rest = rest.slice(piece.length).trim()
  }
  return found
}

function rangeStart(rest: string): { statement: Json; length: number } | null {
  for (const [pattern, statement] of PIECES) {
    const found = pattern.exec(rest)
    if (found && /^(?:\s|$)/.test(rest.slice(found[0].length)))
      return { statement: statement(...found.slice(1)), length: found[0].length }
  }
  return null
}

function rangeEnd(rest: string): Json[] {
  const [, plain, lead, target = '', reject] = LAST.exec(rest) ?? []
  if (lead !== undefined) return [{ [lead]: { target } }]
  const verdict = plain ?? reject
  return verdict === undefined ? [] : [{ [verdict]: null }]
}

const members = (text: string): string[] => text.replace(/^\{ | \}$/g, '').split(/,\s*/)

function numbered(text: string): Json {
  const [first = '', last] = text.split('-')
  return last === undefined ? Number(first) : { range: [Number(first), Number(last)] }
}

/** An address, a network as "10.0.0.0/8", a range as "10.0.0.1-10.0.0.9", or a set of them. */
export function addressed(text: string): Json {
  if (text.startsWith('{')) return { set: members(text).map(addressed) }
  const ends = text.split('-')
  if (ends.length > 1) return { range: ends }
  const [addr = '', len] = text.split('/')
  return len === undefined ? text : { prefix: { addr, len: Number(len) } }
}

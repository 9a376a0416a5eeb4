// A rule of a listing as the text that we would have written for it; statements that we never write come out as foreign
// text.
import { canonicalIp } from '../../address/ip.ts'
import { hex } from '../mark.ts'
import { foreign, isList, isObject, numberIn, only, textIn, u32In, type Json, type JsonObject } from './json.ts'

export const ruleText = (expression: Json | undefined): string =>
  isList(expression) ? expression.map(statement).join(' ') : foreign(expression ?? null)

type Format = (value: JsonObject, whole: Json) => string

const STATEMENTS: Readonly<Record<string, Format>> = {
  match: (match) => matchText(match),
  jump: (to) => `jump ${textIn(to, 'target')}`,
  goto: (to) => `goto ${textIn(to, 'target')}`,
  vmap: (vmap) => `${value(vmap['key'])} vmap ${value(vmap['data'])}`,
  mangle: (mangle) => `${value(mangle['key'])} set ${value(mangle['value'], isMark(mangle['key']))}`,
  dnat: (nat, whole) => natText('dnat', nat, whole),
  snat: (nat, whole) => natText('snat', nat, whole),
  counter: (counter, whole) =>
    isObject(counter['map']) && Object.keys(counter).length === 1 ? `counter name ${value(counter)}` : foreign(whole),
  limit: (limit, whole) =>
    limit['inv'] === true && limit['per'] === 'second'
      ? `limit rate over ${numberIn(limit, 'rate')}/second burst ${numberIn(limit, 'burst')} packets`
      : foreign(whole),
  log: (log) => `log prefix "${textIn(log, 'prefix')}" level ${textIn(log, 'level')}`,
  set: (set, whole) => addText(set, whole),
  flow: (flow, whole) => (textIn(flow, 'op') === 'add' ? `flow add ${textIn(flow, 'flowtable')}` : foreign(whole)),
}
const VERDICTS = ['accept', 'drop', 'return', 'masquerade']

function statement(item: Json): string {
  const [kind, body] = only(item) ?? ['', null]
  if (VERDICTS.includes(kind) && body === null) return kind
  const format = STATEMENTS[kind]
  return format && isObject(body) ? format(body, item) : foreign(item)
}

/** An equality is written without its sign, except behind a mask. */
function matchText(match: JsonObject): string {
  const { left, right } = match
  const op = textIn(match, 'op')
  const masked = only(left)?.[0] === '&'
  if (masked && value(left).startsWith('tcp flags'))
    return `${value(left)} ${op} ${value(right)}`.replace(/^tcp flags & (\S+) == (\S+)$/, 'tcp flags $2 / $1')
  const sign = masked || (op !== '==' && op !== 'in') ? `${op} ` : ''
  return `${value(left)} ${sign}${value(right, isMark(left), isName(left))}`
}

const natText = (kind: string, nat: JsonObject, whole: Json): string =>
  Object.keys(nat).every((key) => key === 'family' || key === 'addr')
    ? `${kind} ${textIn(nat, 'family')} to ${value(nat['addr'])}`
    : foreign(whole)

function addText(set: JsonObject, whole: Json): string {
  const [count] = isList(set['stmt']) ? set['stmt'] : []
  const limit = only(count)
  if (textIn(set, 'op') !== 'add' || limit?.[0] !== 'ct count' || !isObject(limit[1]) || limit[1]['inv'] !== true)
    return foreign(whole)
  return `add ${textIn(set, 'set')} { ${value(set['elem'])} ct count over ${numberIn(limit[1], 'val')} }`
}

const isMark = (key: Json | undefined): boolean => only(key)?.[0] === 'ct' && value(key) === 'ct mark'
const isName = (key: Json | undefined): boolean => ['iif', 'iifname'].includes(value(key))

const EXPRESSIONS: Readonly<Record<string, Format>> = {
  meta: ({ key }) => (['iif', 'iifname', 'oifname'].includes(String(key)) ? String(key) : `meta ${String(key)}`),
  ct: ({ key }) => `ct ${String(key)}`,
  rt: ({ key }) => `rt ${String(key)}`,
  payload: (payload) => `${textIn(payload, 'protocol')} ${textIn(payload, 'field')}`,
  fib: (fib) =>
    `fib ${isList(fib['flags']) ? fib['flags'].join(' . ') : String(fib['flags'])} ${textIn(fib, 'result')}`,
  prefix: (prefix) => `${textIn(prefix, 'addr')}/${numberIn(prefix, 'len')}`,
  map: (map) => `${value(map['key'])} map ${value(map['data'])}`,
  numgen: (numgen) =>
    `numgen ${textIn(numgen, 'mode')} mod ${numberIn(numgen, 'mod')} offset ${u32In(numgen, 'offset')}`,
  jhash: (jhash) =>
    `jhash ${value(jhash['expr'])} mod ${numberIn(jhash, 'mod')} seed 0x${u32In(jhash, 'seed').toString(16)} offset ${u32In(jhash, 'offset')}`,
  'tcp option': (option) => `tcp option ${textIn(option, 'name')} ${textIn(option, 'field')}`,
}

/** An address in our spelling; a number as a mark where it is one. */
function value(item: Json | undefined, isMarkValue = false, isNameValue = false): string {
  if (typeof item === 'number') return isMarkValue ? hex(item) : `${item}`
  if (typeof item === 'string') return isNameValue ? `"${item}"` : item.includes(':') ? ipOr(item) : item
  // Flags: a list in older versions of nft, joined by a sign in later ones.
  if (isList(item)) return item.map((one) => value(one)).join(',')
  const [kind, body] = only(item) ?? ['', null]
  if (kind === 'concat' && isList(body)) return body.map((one) => value(one)).join(' . ')
  if (kind === '|' && isList(body)) return body.map((one) => value(one)).join(',')
  if (kind === '&' && isList(body))
    return `${value(body[0])} & ${typeof body[1] === 'number' ? hex(body[1]) : value(body[1])}`
  const format = EXPRESSIONS[kind]
  return format && isObject(body) ? format(body, item ?? null) : foreign(item ?? null)
}

export function ipOr(text: string): string {
  try {
    return canonicalIp(text)
  } catch {
    return text
  }
}

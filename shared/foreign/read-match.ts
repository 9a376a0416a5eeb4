// The conditions of a foreign rule: what of a packet it compares, and with which values, as far as that can be read
// with certainty.
import { bitsOf, canonicalIp, formatCidr, formatIp, parseCidr, parseIp } from '../address/ip.ts'
import { FOREIGN_BRANCHES_MAX, FOREIGN_VALUES_MAX, type ForeignCondition } from './model.ts'
import { elementValue, type SetElements } from './read-sets.ts'
import { isList, isObject, only, textIn, type Json, type JsonObject } from '../ruleset/nft/json.ts'

type Field = ForeignCondition['field']

/** What one side of a comparison stands for; `implied` holds of every packet that the comparison can match. */
interface Subject {
  readonly field: Field
  readonly implied: readonly ForeignCondition[]
  /** Null for a value that cannot be read. */
  readonly value: (json: Json) => string | null
}

/** `conditions` hold of every packet that matches; of `alternatives`, if there are any, one more holds. */
export interface MatchPart {
  readonly conditions: readonly ForeignCondition[]
  readonly alternatives?: readonly (readonly ForeignCondition[])[]
  readonly is_whole: boolean
}

export const condition = (field: Field, values: readonly string[], is_not = false): ForeignCondition => ({
  field,
  is_not,
  values: [...values],
})

const UNREAD: MatchPart = { conditions: [], is_whole: false }

export function readMatch({ op, left = null, right = null }: JsonObject, sets: SetElements): MatchPart {
  const compared = typeof op === 'string' ? op : ''
  const fields = concatenated(left)
  if (fields) return compared === '==' ? readConcatenation(fields, members(right, sets)) : UNREAD
  const subject = subjectOf(left)
  if (!subject) return { ...UNREAD, conditions: impliedBy(left) }
  const { field, implied } = subject
  if (isStatus(left) && compared !== 'in') return UNREAD
  if (field === 'ct' && compared === '!=' && (isObject(right) || isList(right)) && !('set' in Object(right)))
    // Several states at once, which no packet has: all others match.
    return { conditions: implied, is_whole: true }
  const bounds = isPort(field) ? BOUNDS[compared]?.(Number(right)) : undefined
  if (bounds !== undefined) return { conditions: [...implied, condition(field, [bounds])], is_whole: true }
  const values = ['==', 'in', '!='].includes(compared) ? readValues(subject, members(right, sets)) : null
  if (!values) return { conditions: implied, is_whole: false }
  return { conditions: [...implied, condition(field, values, compared === '!=')], is_whole: true }
}

/** The pairs of a verdict map, as the conditions of each; null if they cannot be read. "*" is any other packet. */
export function readMapKeys(key: Json, keys: readonly Json[]): (readonly ForeignCondition[])[] | null {
  const fields = concatenated(key) ?? [key]
  const subjects = fields.map(subjectOf)
  if (subjects.some((subject) => subject === null) || keys.length > FOREIGN_BRANCHES_MAX) return null
  const known = subjects.filter((subject) => subject !== null)
  const read = keys.map((one) => (one === '*' ? [] : readKey(known, fields.length > 1 ? one : { concat: [one] })))
  return read.every((one) => one !== null) ? read : null
}

const concatenated = (expression: Json): readonly Json[] | null => {
  const [kind, parts] = only(expression) ?? ['', null]
  return kind === 'concat' && isList(parts) ? parts : null
}

function readConcatenation(fields: readonly Json[], keys: readonly Json[] | null): MatchPart {
  const alternatives = keys && readMapKeys({ concat: fields }, keys)
  return alternatives ? { conditions: [], alternatives, is_whole: true } : UNREAD
}

function readKey(subjects: readonly Subject[], key: Json): ForeignCondition[] | null {
  const values = concatenated(elementValue(key)) ?? []
  const read = subjects.map((subject, at) => {
    const value = values[at] === undefined ? null : subject.value(elementValue(values[at]))
    return value === null ? null : [...subject.implied, condition(subject.field, [value])]
  })
  return read.some((one) => one === null) ? null : read.flatMap((one) => one ?? [])
}

function readValues({ value }: Subject, found: readonly Json[] | null): string[] | null {
  if (!found || found.length > FOREIGN_VALUES_MAX) return null
  const values = found.map((one) => value(elementValue(one)))
  return values.some((one) => one === null) ? null : values.filter((one) => one !== null)
}

/** What a comparison has on its right; null for a set whose elements are not known. */
export function members(right: Json, sets: SetElements): readonly Json[] | null {
  if (typeof right === 'string' && right.startsWith('@')) return sets(right.slice(1))
  const [kind, all] = only(right) ?? ['', null]
  if (kind === 'set' && isList(all)) return all
  return isList(right) ? right : [right]
}

const PORT_MAX = 65_535
const range = (first: number, last: number): string | undefined =>
  Number.isInteger(first) && first <= last ? `${first}-${last}` : undefined
const BOUNDS: Readonly<Record<string, (bound: number) => string | undefined>> = {
  '<': (bound) => range(0, bound - 1),
  '<=': (bound) => range(0, bound),
  '>': (bound) => range(bound + 1, PORT_MAX),
  '>=': (bound) => range(bound, PORT_MAX),
}
const isPort = (field: Field): boolean => field.endsWith('_port')

const word = (json: Json): string | null =>
  (typeof json === 'string' && /^[a-z0-9-]{1,20}$/.test(json)) || typeof json === 'number' ? String(json) : null
const deviceName = (json: Json): string | null =>
  typeof json === 'string' && /^[^\s/*@]{1,15}\*?$/.test(json) ? json : null
const oneOf =
  (words: readonly string[]) =>
  (json: Json): string | null =>
    words.find((one) => one === json) ?? null

function portText(json: Json): string | null {
  const [kind, ends] = only(json) ?? ['', null]
  const [first, last] = kind === 'range' && isList(ends) ? ends : [json, json]
  const is = (one: Json | undefined): boolean => Number.isInteger(one) && Number(one) >= 0 && Number(one) <= PORT_MAX
  if (!is(first) || !is(last)) return null
  return first === last ? String(first) : `${String(first)}-${String(last)}`
}

function addressText(json: Json): string | null {
  const [kind, body] = only(json) ?? ['', null]
  if (kind === 'prefix' && isObject(body)) {
    const cidr = parseCidr(`${textIn(body, 'addr')}/${String(body['len'])}`)
    return cidr && (cidr.prefix_length === bitsOf(cidr.base.family) ? formatIp(cidr.base) : formatCidr(cidr))
  }
  if (kind === 'range' && isList(body)) {
    const [first, last] = body.map(addressText)
    return first && last ? `${first}-${last}` : null
  }
  return typeof json === 'string' && parseIp(json) ? canonicalIp(json) : null
}

const FAMILIES: Readonly<Record<string, string>> = { ipv4: 'ip', ipv6: 'ip6', ip: 'ip', ip6: 'ip6' }
/** Those of iptables also say how a connection is translated. */
const STATES = ['new', 'established', 'related', 'invalid', 'untracked', 'dnat', 'snat'] as const
const TYPES = 'local unicast broadcast multicast anycast blackhole unreachable prohibit'.split(' ')

const plain = (field: Field, value: Subject['value'] = word): Subject => ({ field, implied: [], value })
const META: Readonly<Record<string, Subject>> = {
  l4proto: plain('protocol'),
  nfproto: plain('family', (json) => FAMILIES[String(json)] ?? null),
  protocol: plain('family', (json) => FAMILIES[String(json)] ?? null),
  iif: plain('in_interface', deviceName),
  iifname: plain('in_interface', deviceName),
  oif: plain('out_interface', deviceName),
  oifname: plain('out_interface', deviceName),
  mark: plain('mark'),
}
const CONNECTION: Readonly<Record<string, Subject>> = {
  state: plain('ct', oneOf(STATES)),
  status: plain('ct', oneOf(['dnat', 'snat'])),
  direction: plain('direction', oneOf(['original', 'reply'])),
}
const ORIGINAL: Readonly<Record<string, Subject>> = {
  'proto-dst': plain('original_port', portText),
  daddr: plain('original_destination', addressText),
  'ip daddr': plain('original_destination', addressText),
  'ip6 daddr': plain('original_destination', addressText),
}

const isStatus = (left: Json): boolean => {
  const [kind, body] = only(left) ?? ['', null]
  return kind === 'ct' && isObject(body) && body['key'] === 'status'
}

/** Null for what is not modelled. */
function subjectOf(expression: Json): Subject | null {
  const [kind, body] = only(expression) ?? ['', null]
  // The packet's mark under a mask; nobody has set it, or it is not known at all, so the mask decides nothing.
  if (kind === '&' && isList(body))
    return ((found) => (found?.field === 'mark' ? found : null))(subjectOf(body[0] ?? null))
  if (!isObject(body)) return null
  const key = textIn(body, 'key')
  switch (kind) {
    case 'meta':
      return META[key] ?? null
    case 'ct':
      if (body['dir'] === undefined) return CONNECTION[key] ?? null
      return body['dir'] === 'original' ? (ORIGINAL[key] ?? null) : null
    case 'fib':
      return fibSubject(body)
    case 'payload':
      return payloadSubject(textIn(body, 'protocol'), textIn(body, 'field'))
    default:
      return null
  }
}

function fibSubject({ result, flags }: JsonObject): Subject | null {
  const [flag, ...more] = isList(flags ?? null) ? (flags as readonly Json[]) : [flags]
  if (result !== 'type' || more.length > 0) return null
  if (flag === 'saddr') return plain('source_type', oneOf(TYPES))
  return flag === 'daddr' ? plain('destination_type', oneOf(TYPES)) : null
}

const TRANSPORTS = ['tcp', 'udp', 'udplite', 'sctp', 'dccp', 'icmp', 'icmpv6', 'igmp', 'esp', 'ah', 'comp']
const ADDRESSES: Readonly<Record<string, Field>> = { saddr: 'source', daddr: 'destination' }
const PORTS: Readonly<Record<string, Field>> = { sport: 'source_port', dport: 'destination_port' }

function payloadSubject(protocol: string, field: string): Subject | null {
  const implied = impliedBy({ payload: { protocol, field } })
  const port = PORTS[field]
  if (port && (protocol === 'th' || implied.length > 0)) return { field: port, implied, value: portText }
  const address = ADDRESSES[field]
  if (protocol !== 'ip' && protocol !== 'ip6') return null
  if (address) return { field: address, implied, value: addressText }
  return field === 'protocol' || field === 'nexthdr' ? { field: 'protocol', implied, value: word } : null
}

/** A header is only in packets of its protocol. */
function impliedBy(expression: Json): ForeignCondition[] {
  const [kind, body] = only(expression) ?? ['', null]
  if (kind === '&' && isList(body)) return impliedBy(body[0] ?? null)
  const protocol = kind === 'payload' && isObject(body) ? textIn(body, 'protocol') : ''
  if (protocol === 'ip' || protocol === 'ip6') return [condition('family', [protocol])]
  return TRANSPORTS.includes(protocol) ? [condition('protocol', [protocol === 'icmpv6' ? 'ipv6-icmp' : protocol])] : []
}

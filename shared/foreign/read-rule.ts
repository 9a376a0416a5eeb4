// What a foreign rule matches, as far as it can be read with certainty, and its verdict.
import { formatCidr, parseCidr, parseIp, canonicalIp } from '../address/ip.ts'
import type { ForeignRule } from './model.ts'
import { readXtExpression, hasExtension } from './read-xt.ts'
import { isList, isObject, only, textIn, type Json, type JsonObject } from '../ruleset/nft/json.ts'

export type Conditions = Omit<ForeignRule, 'table' | 'chain' | 'manager' | 'text'>
type Part = Partial<Conditions>

const ANYTHING: Conditions = {
  family: '',
  protocol: '',
  address: '',
  port: null,
  port_end: null,
  in_interface: '',
  out_interface: '',
  ct: '',
  is_ct_mark_set: false,
  is_whole: true,
  verdict: 'none',
  target: '',
}
/** It matches on something that is not modelled. */
const MORE: Part = { is_whole: false }

/** `text` is the rule as nft prints it, "" where that is not known. */
export function readConditions(expression: Json | undefined, text: string): Conditions {
  const readable = isList(expression) && text !== '' && hasExtension(expression) ? readXtExpression(text) : expression
  const parts = isList(readable) ? readable.map(statement) : [{ ...MORE, verdict: 'other' as const }]
  return parts.reduce<Conditions>(joined, ANYTHING)
}

/**
 * A second match on the same field is an unknown condition. An iptables extension is a verdict only where there is no
 * other.
 */
function joined(conditions: Conditions, part: Part): Conditions {
  const isTwice = (['address', 'port', 'in_interface', 'out_interface', 'ct'] as const).some(
    (key) => part[key] !== undefined && conditions[key] !== ANYTHING[key],
  )
  return {
    ...conditions,
    ...part,
    is_whole: conditions.is_whole && !isTwice && (part.is_whole ?? true),
    ...(conditions.ct === 'never' ? { ct: conditions.ct } : {}),
  }
}

const VERDICTS: Readonly<Record<string, Conditions['verdict']>> = {
  accept: 'accept',
  drop: 'drop',
  reject: 'reject',
  return: 'return',
  dnat: 'translate',
  redirect: 'translate',
  snat: 'translate',
  masquerade: 'translate',
}
/** They change or count a packet, and let it go on. */
const HARMLESS = ['counter', 'log', 'mangle', 'notrack', 'continue', 'ct helper', 'flow']
/** They stop matching at some time, and end nothing. */
const SOMETIMES = ['limit', 'quota', 'ct count', 'set']

function statement(item: Json): Part {
  const [kind, body] = only(item) ?? ['', null]
  if (kind === 'match' && isObject(body)) return readMatch(body)
  if ((kind === 'jump' || kind === 'goto') && isObject(body)) return { verdict: kind, target: textIn(body, 'target') }
  if (kind === 'mangle' && isObject(body) && isConnectionMark(body['key'])) return { is_ct_mark_set: true }
  if (HARMLESS.includes(kind)) return {}
  if (SOMETIMES.includes(kind)) return MORE
  const verdict = VERDICTS[kind]
  return verdict ? { verdict } : { ...MORE, verdict: 'other' }
}

function isConnectionMark(key: Json | undefined): boolean {
  const [kind, body] = only(key) ?? ['', null]
  return kind === 'ct' && isObject(body) && body['key'] === 'mark'
}

function readMatch({ op, left, right = null }: JsonObject): Part {
  const [kind, body] = only(left) ?? ['', null]
  if (isObject(body) && kind === 'ct' && op === '!=') return readConntrack(textIn(body, 'key'), statesBut(right))
  if (!isObject(body) || (op !== '==' && op !== 'in')) return MORE
  if (kind === 'meta') return readMeta(textIn(body, 'key'), right)
  if (kind === 'ct') return readConntrack(textIn(body, 'key'), right)
  return kind === 'payload' ? readPayload(textIn(body, 'protocol'), textIn(body, 'field'), right) : MORE
}

function readMeta(key: string, right: Json): Part {
  if (key === 'l4proto') return readProtocol(right)
  if (key === 'nfproto') return right === 'ipv4' ? { family: 'ip' } : right === 'ipv6' ? { family: 'ip6' } : MORE
  if (typeof right !== 'string' || !/^[^\s/*@]{1,15}$/.test(right)) return MORE
  if (key === 'iifname' || key === 'iif') return { in_interface: right }
  return key === 'oifname' || key === 'oif' ? { out_interface: right } : MORE
}

/**
 * The first packet of a relayed connection is new, its replies are of one that is established, and all are of one whose
 * address is translated.
 */
function readConntrack(key: string, right: Json): Part {
  const words = readMembers(right)
  if (key === 'status') return words.length === 1 && words[0] === 'dnat' ? { ct: 'dnat' } : MORE
  if (key !== 'state' || words.length === 0 || !words.every((word) => typeof word === 'string')) return MORE
  const [isNew, isEstablished] = [words.includes('new'), words.includes('established')]
  if (isNew || isEstablished) return { ct: !isEstablished ? 'new' : isNew ? 'tracked' : 'established' }
  // Before conntrack has seen it, a packet is untracked.
  return words.includes('untracked') || words.some((word) => String(word).startsWith('@')) ? MORE : { ct: 'never' }
}

/** What is left where some states are ruled out; of anything else than states it makes nothing. */
function statesBut(ruledOut: Json): Json {
  const words = readMembers(ruledOut)
  return words.every((word) => STATES.includes(String(word))) ? STATES.filter((state) => !words.includes(state)) : []
}
const STATES = ['invalid', 'established', 'related', 'new', 'untracked']

function readPayload(protocol: string, field: string, right: Json): Part {
  if (field === 'dport') return readPorts(right, protocol === 'th' ? {} : { protocol: readWord(protocol) })
  if (protocol !== 'ip' && protocol !== 'ip6')
    return { ...MORE, ...(protocol === 'tcp' || protocol === 'udp' ? { protocol } : {}) }
  const family = { family: protocol } as const
  if (field === 'daddr') return { ...family, ...readAddress(right) }
  return { ...family, ...(field === 'protocol' ? readProtocol(right) : MORE) }
}

/**
 * Reads the protocol. Among several only those matter that a relay is made of; if both are among them, all are as good
 * as any.
 */
function readProtocol(right: Json): Part {
  const words = readMembers(right).filter((word) => typeof word === 'string')
  if (words.length === 0 || words.some((word) => word.startsWith('@'))) return MORE
  const ours = words.filter((word) => word === 'tcp' || word === 'udp')
  return ours.length === 2 ? {} : { protocol: readWord(ours[0] ?? words[0] ?? '') }
}

const readWord = (text: string): string => (/^[a-z0-9-]{1,20}$/.test(text) ? text : 'other')

/** Several that do not follow on one another come out as the first and the last of them. */
function readPorts(right: Json, rest: Part): Part {
  const ranges = readMembers(right).map(readRange)
  if (ranges.length === 0 || ranges.some((range) => range === null)) return { ...rest, ...MORE }
  const isUnderstood = ranges.filter((range) => range !== null).sort(([a], [b]) => a - b)
  const [port, port_end] = [isUnderstood[0]?.[0] ?? 0, Math.max(...isUnderstood.map(([, last]) => last))]
  const covered = isUnderstood.reduce((end, [first, last]) => (first <= end + 1 ? Math.max(end, last) : end), port)
  return { ...rest, port, port_end: port_end === port ? null : port_end, ...(covered === port_end ? {} : MORE) }
}

function readRange(item: Json): [number, number] | null {
  const [kind, ends] = only(item) ?? ['', null]
  const [first, last] = kind === 'range' && isList(ends) ? ends : [item, item]
  return isPort(first) && isPort(last) ? [first, last] : null
}

const isPort = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535

function readAddress(right: Json): Part {
  const [kind, prefix] = only(right) ?? ['', null]
  if (kind === 'prefix' && isObject(prefix)) {
    const cidr = parseCidr(`${textIn(prefix, 'addr')}/${String(prefix['len'])}`)
    return cidr ? { address: formatCidr(cidr) } : MORE
  }
  return typeof right === 'string' && parseIp(right) ? { address: canonicalIp(right) } : MORE
}

function readMembers(right: Json): readonly Json[] {
  const [kind, members] = only(right) ?? ['', null]
  if (kind === 'set' && isList(members)) return members
  return isList(right) ? right : [right]
}

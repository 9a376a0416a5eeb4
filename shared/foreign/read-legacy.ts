// What the tables of iptables-legacy hold that is not the panel's. nft lists none of them, so their lines are read as
// nft would report them, and what is uncertain is reported as unknown.
import { familyName, findManager, oneLine } from './names.ts'
import { FOREIGN_MANAGERS, FOREIGN_RULES_MAX, type ForeignChain, type ForeignFound, type ForeignRule } from './model.ts'
import { readRule } from './read-rule.ts'
import { addressed } from './read-xt.ts'
import { OURS } from '../ruleset/iptables/tables.ts'
import { isObject, only, type Json } from '../ruleset/nft/json.ts'

/** The names of these tables are those of iptables-nft too, which may hold other rules at the same time. */
export const LEGACY = '(iptables-legacy)'

type Hook = NonNullable<ForeignChain['hook']>
const HOOKS: Readonly<Record<string, Hook>> = {
  PREROUTING: 'prerouting',
  INPUT: 'input',
  FORWARD: 'forward',
  OUTPUT: 'output',
  POSTROUTING: 'postrouting',
}

/** enum nf_ip_hook_priorities. */
const PRIORITIES: Readonly<Record<string, number>> = { raw: -300, mangle: -150, filter: 0, security: 50 }
const priorityOf = (table: string, hook: Hook | null): number =>
  PRIORITIES[table] ?? (hook === 'prerouting' || hook === 'output' ? -100 : 100)

/** `saved` is the output of iptables-legacy-save or ip6tables-legacy-save. */
export function readLegacy(saved: string, family: 4 | 6): Legacy {
  const tables = tablesIn(saved).map(([table, lines]) => readTable(table, lines, family))
  return { chains: tables.flatMap(({ chains }) => chains), rules: tables.flatMap(({ rules }) => rules) }
}

export type Legacy = Pick<ForeignFound, 'chains' | 'rules'>

/** A look is enough to make a table, and ours may be all that is in one: built-in chains that do nothing are left out. */
function readTable(table: string, lines: readonly string[], family: 4 | 6): Legacy {
  const name = `${familyName(family)} ${table} ${LEGACY}`
  const names = new Set(lines.flatMap((line) => /^:(\S+)/.exec(line)?.[1] ?? []))
  const isOurs = (chain: string): boolean => chain.startsWith(OURS) && (table === 'nat' || table === 'mangle')
  const rules = lines
    .flatMap((line) => readLine(line, { family, names }) ?? [])
    .filter(({ chain, branches }) => !isOurs(chain) && !branches.some(({ target }) => isOurs(target)))
    .map((rule) => ({ table: name, ...rule }))
  const used = new Set(rules.map(({ chain }) => chain))
  const chains = lines
    .flatMap((line) => {
      const [, chain = '', policy = ''] = /^:(\S+) (\S+)/.exec(line) ?? []
      return chain === '' || isOurs(chain) ? [] : [chainNamed(name, table, chain, policy)]
    })
    .filter(({ chain, hook, policy }) => hook === null || policy === 'drop' || used.has(chain))
  return { chains, rules }
}

/** Both listings as one; nothing of the second is lost where there is room for it. */
export function joinedWithLegacy(found: ForeignFound, legacy: Legacy): ForeignFound {
  const chains = [...legacy.chains, ...found.chains]
  const rules = [...legacy.rules, ...found.rules]
  const total = found.total + legacy.rules.length
  return {
    ...found,
    managers: FOREIGN_MANAGERS.filter(
      (one) => found.managers.includes(one) || legacy.chains.some(({ manager }) => manager === one),
    ),
    chains: chains.slice(0, FOREIGN_RULES_MAX),
    rules: rules.slice(0, FOREIGN_RULES_MAX),
    total,
    is_whole: found.is_whole && chains.length <= FOREIGN_RULES_MAX && rules.length <= FOREIGN_RULES_MAX,
  }
}

function tablesIn(saved: string): [string, string[]][] {
  const tables: [string, string[]][] = []
  for (const line of saved.split('\n')) {
    if (line.startsWith('*')) tables.push([line.slice(1).trim(), []])
    else if (/^(?::|-A )/.test(line)) tables.at(-1)?.[1].push(line)
  }
  return tables
}

function chainNamed(table: string, short: string, chain: string, policy: string): ForeignChain {
  const hook = HOOKS[chain] ?? null
  return {
    table,
    chain: oneLine(chain),
    manager: findManager(table, chain),
    hook,
    is_nat: short === 'nat',
    priority: hook ? priorityOf(short, hook) : 0,
    policy: policy === 'DROP' ? 'drop' : 'accept',
  }
}

interface Place {
  readonly family: 4 | 6
  readonly names: ReadonlySet<string>
}

function readLine(line: string, place: Place): Omit<ForeignRule, 'table'> | null {
  const [, chain = '', text = ''] = /^-A (\S+) ?(.*)$/.exec(line) ?? []
  if (chain === '') return null
  return {
    chain: oneLine(chain),
    manager: findManager(`${familyName(place.family)} filter`, chain),
    text: oneLine(text),
    ...readRule(expressionOf(wordsIn(text), place), ''),
  }
}

/** Words may be quoted, with \" in them. */
const wordsIn = (text: string): string[] =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** It matches on something that is not modelled. */
const MORE: Json = { match: {} }
/** It may do whatever it wants with the packet. */
const ANYTHING: Json = { xt: null }

const match = (left: Json, right: Json, op = '=='): Json => ({ match: { op, left, right } })
const meta = (key: string, right: Json): Json => match({ meta: { key } }, right)
const payload = (protocol: string, field: string, right: Json): Json => match({ payload: { protocol, field } }, right)
const ct = (key: string, right: Json, op?: string): Json => match({ ct: { key } }, right, op)
const original = (key: string, right: Json): Json => match({ ct: { key, dir: 'original' } }, right)
const fib = (flag: string, types: string): Json =>
  match({ fib: { result: 'type', flags: [flag] } }, { set: types.toLowerCase().split(',') })
const listed = (text: string): string[] => text.toLowerCase().split(',')

/** Modules whose options are read below, or that match nothing by themselves. */
const MODULES = ['tcp', 'udp', 'multiport', 'conntrack', 'state', 'comment', 'mark', 'addrtype', 'iprange']
/** Targets that change or note a packet and let it go on. */
const GOING_ON =
  'LOG NFLOG ULOG TCPMSS TCPOPTSTRIP TOS DSCP TTL HL CLASSIFY CHECKSUM SET TRACE AUDIT SECMARK CONNSECMARK RATEEST'.split(
    ' ',
  )
const VERDICTS: Readonly<Record<string, string>> = {
  ACCEPT: 'accept',
  DROP: 'drop',
  REJECT: 'reject',
  RETURN: 'return',
  DNAT: 'dnat',
  REDIRECT: 'redirect',
  SNAT: 'snat',
  MASQUERADE: 'masquerade',
}

/** Numbers stand where the host has no names for them. */
const PROTOCOLS: Readonly<Record<string, string>> = { '6': 'tcp', '17': 'udp', '47': 'gre' }

/** The target is last, and its own options stand behind it. */
function expressionOf(words: readonly string[], { family, names }: Place): Json[] {
  const found: Json[] = []
  for (let at = 0; at < words.length; at += 2) {
    const isNot = words[at] === '!'
    if (isNot) at += 1
    const [option = '', value = ''] = [words[at], words[at + 1]]
    if (option === '-j' || option === '-g') return [...found, ...targetOf(option, value, words.slice(at + 2), names)]
    found.push(...conditionOf(option, value, family).map((one) => (isNot ? negated(one) : one)))
    // An option without a value, of which the next word is an option again: what is not known may be one.
    if (!WITH_VALUE.has(option) && /^(?:-|!$)/.test(value)) at -= 1
  }
  return found
}

const WITH_VALUE = new Set(['-s', '-d', '-p', '-i', '-o', '-m', '--comment'])

function negated(one: Json): Json {
  const [, body] = only(one) ?? ['', null]
  return isObject(body) && body['op'] === '==' ? { match: { ...body, op: '!=' } } : MORE
}

function conditionOf(option: string, value: string, family: 4 | 6): Json[] {
  const read = CONDITIONS[option]
  if (option === '-m') return MODULES.includes(value) ? [] : [MORE]
  return option === '--comment' ? [] : [read ? read(value, familyName(family)) : MORE]
}

const device = (key: string) => (value: string) => meta(key, value.replace(/\+$/, '*'))
const port = (field: string) => (value: string) => payload('th', field, { set: value.split(',').map(ports) })
const address = (field: string) => (value: string, family: string) => payload(family, field, addressed(value))
/** The pseudo-states say how a connection is translated. */
const state = (value: string): Json =>
  /^[SD]NAT$/.test(value) ? ct('status', listed(value), 'in') : ct('state', { set: listed(value) })

const CONDITIONS: Readonly<Record<string, (value: string, family: 'ip' | 'ip6') => Json>> = {
  '-p': (value) => meta('l4proto', PROTOCOLS[value] ?? value),
  '-s': address('saddr'),
  '-d': address('daddr'),
  '--src-range': address('saddr'),
  '--dst-range': address('daddr'),
  '-i': device('iifname'),
  '-o': device('oifname'),
  '--sport': port('sport'),
  '--sports': port('sport'),
  '--dport': port('dport'),
  '--dports': port('dport'),
  '--ctstate': state,
  '--state': state,
  '--ctstatus': (value) => ct('status', listed(value), 'in'),
  '--ctdir': (value) => ct('direction', value.toLowerCase()),
  '--ctorigdst': (value) => original('daddr', addressed(value)),
  '--ctorigdstport': (value) => original('proto-dst', ports(value)),
  '--src-type': (value) => fib('saddr', value),
  '--dst-type': (value) => fib('daddr', value),
  '--mark': (value) => meta('mark', Number(value.split('/')[0])),
}

function targetOf(option: string, target: string, more: readonly string[], names: ReadonlySet<string>): Json[] {
  if (names.has(target)) return [{ [option === '-g' ? 'goto' : 'jump']: { target } }]
  const verdict = VERDICTS[target]
  if (verdict !== undefined) return [{ [verdict]: null }]
  if (target === 'CT') return trackingOf(more)
  if (target === 'CONNMARK' && more.includes('--restore-mark')) return [set('meta', 'mark')]
  return EFFECTS[target] ?? (GOING_ON.includes(target) ? [] : [ANYTHING])
}

const set = (kind: string, key: string): Json => ({ mangle: { key: { [kind]: { key } }, value: null } })
const EFFECTS: Readonly<Record<string, Json[]>> = {
  NOTRACK: [{ notrack: null }],
  SYNPROXY: [{ synproxy: null }],
  MARK: [set('meta', 'mark')],
  CONNMARK: [set('ct', 'mark')],
}

/** A zone of one direction alone is not that of the other one. */
function trackingOf(options: readonly string[]): Json[] {
  if (options.includes('--notrack')) return [{ notrack: null }]
  const isZoned = options.some((option) => option.startsWith('--zone'))
  const key = { key: 'zone', ...(options.includes('--zone') ? {} : { dir: 'original' }) }
  return isZoned ? [{ mangle: { key: { ct: key }, value: null } }] : []
}

function ports(text: string): Json {
  const [first = '', last] = text.split(':')
  return last === undefined ? Number(first) : { range: [Number(first), Number(last)] }
}

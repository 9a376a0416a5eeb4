// What a listing of netfilter holds that is not the panel's: who put it there, and the chains and rules that a relayed
// packet can meet.
import {
  FOREIGN_HOOKS,
  FOREIGN_MANAGERS,
  FOREIGN_RULES_MAX,
  type ForeignChain,
  type ForeignFound,
  type ForeignRule,
} from './model.ts'
import { findManager, oneLine } from './names.ts'
import { OURS } from '../ruleset/iptables/tables.ts'
import { ANSWERS_TABLE } from '../ruleset/nft/answers.ts'
import { HOLD_NAME, TABLE } from '../ruleset/nft/table.ts'
import { readRule as readStatements, UNREADABLE } from './read-rule.ts'
import { NO_SETS, readSets, type SetElements } from './read-sets.ts'
import { handleKey, textsByHandle } from './read-text.ts'
import { isList, isObject, numberIn, objectsIn, textIn, type Json, type JsonObject } from '../ruleset/nft/json.ts'
import { ruleText } from '../ruleset/nft/read-rule.ts'

/** Names that can be used in an nft command unquoted. */
const PLAIN = /^(?:ip|ip6|inet|arp|bridge|netdev) [A-Za-z_][A-Za-z0-9_./-]*$/

/** The foreign tables among all, each by family and name; `unnamed` are those whose names no command can have. */
export function foreignTables(all: readonly string[]): { readonly tables: string[]; readonly unnamed: number } {
  const names = all.filter((name) => ![TABLE, ANSWERS_TABLE, `inet ${HOLD_NAME}`].includes(name))
  const tables = names.filter((name) => PLAIN.test(name))
  return { tables, unnamed: names.length - tables.length }
}

/** Reads both listings of the foreign tables: `json` by `nft -j`, `text` by `nft -a`. */
export function readForeign(json: string, text: string): ForeignFound {
  const objects = documents(json)
  const asleep = new Set(
    objects
      .filter(([kind, table]) => kind === 'table' && JSON.stringify(table['flags'] ?? '').includes('dormant'))
      .map(([, table]) => `${textIn(table, 'family')} ${textIn(table, 'name')}`),
  )
  const awake = objects.filter(([, object]) => !asleep.has(tableName(object)) && tableName(object) !== TABLE)
  const { all, lines } = withoutOurs(
    awake.filter(([kind]) => kind === 'chain').map(([, chain]) => readChain(chain)),
    awake.filter(([kind]) => kind === 'rule').map(([, rule]) => rule),
  )
  const sets = readSets(awake)
  const ranks = readRanks(all, lines, sets)
  const chains = all.filter((chain) => ranks.has(keyOf(chain)))
  const met = lines
    .filter((rule) => ranks.has(keyOf(placeKey(rule))))
    .map((rule, at) => ({ rule, at, rank: ranks.get(keyOf(placeKey(rule))) ?? 0 }))
    .sort((a, b) => a.rank - b.rank || a.at - b.at)
  const texts = textsByHandle(text)
  return {
    is_readable: true,
    detail: '',
    managers: FOREIGN_MANAGERS.filter((manager) => all.some((chain) => chain.manager === manager)),
    chains: chains.slice(0, FOREIGN_RULES_MAX),
    rules: affordable(met.slice(0, FOREIGN_RULES_MAX).map(({ rule }) => readRule(rule, texts, sets))),
    total: met.length,
    is_whole: met.length <= FOREIGN_RULES_MAX && chains.length <= FOREIGN_RULES_MAX,
  }
}

/**
 * Leaves out our chains. If iptables holds the relay rules, they are in tables shared with other programs, and the
 * jumps to them are in built-in chains that may hold nothing else.
 */
function withoutOurs(
  chains: readonly ForeignChain[],
  rules: readonly JsonObject[],
): { all: ForeignChain[]; lines: JsonObject[] } {
  const isOurs = (table: string, chain: string): boolean =>
    chain.startsWith(OURS) && /^ip6? (?:nat|mangle)$/.test(table)
  const shared = new Set(chains.filter(({ table, chain }) => isOurs(table, chain)).map(({ table }) => table))
  const lines = rules.filter(
    (rule) =>
      !isOurs(tableName(rule), textIn(rule, 'chain')) &&
      !targetsIn(rule['expr'] ?? null).some((target) => isOurs(tableName(rule), target)),
  )
  const used = new Set(lines.map((rule) => keyOf(placeKey(rule))))
  return {
    all: chains.filter(
      (chain) =>
        !isOurs(chain.table, chain.chain) &&
        (!shared.has(chain.table) || chain.policy === 'drop' || used.has(keyOf(chain))),
    ),
    lines,
  }
}

/** nft may list in several documents, one a line. */
const documents = (listed: string): [string, JsonObject][] =>
  listed
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap(objectsIn)

const tableName = (object: JsonObject): string => `${textIn(object, 'family')} ${textIn(object, 'table')}`
const placeKey = (rule: JsonObject): { table: string; chain: string } => ({
  table: tableName(rule),
  chain: textIn(rule, 'chain'),
})
const keyOf = ({ table, chain }: { readonly table: string; readonly chain: string }): string => `${table} ${chain}`

function readChain(chain: JsonObject): ForeignChain {
  const [table, name] = [tableName(chain), textIn(chain, 'name')]
  const hook = FOREIGN_HOOKS.find((one) => one === chain['hook']) ?? null
  return {
    table: oneLine(table),
    chain: oneLine(name),
    manager: findManager(table, name),
    hook,
    is_nat: chain['type'] === 'nat',
    priority: numberIn(chain, 'prio'),
    policy: chain['policy'] === 'drop' ? 'drop' : 'accept',
  }
}

function readRule(
  rule: JsonObject,
  texts: ReadonlyMap<string, string>,
  sets: (table: string) => SetElements,
): ForeignRule {
  const { table, chain } = placeKey(rule)
  const printed = texts.get(handleKey(table, chain, numberIn(rule, 'handle'))) ?? ''
  const text = printed === '' ? ruleText(rule['expr']) : printed
  return {
    table: oneLine(table),
    chain: oneLine(chain),
    manager: findManager(table, chain),
    text: oneLine(text),
    ...readStatements(rule['expr'], printed, sets(tableName(rule))),
  }
}

/** A listing has room for so many values of all conditions; rules beyond them are not known to match. */
const VALUES_MAX = 20_000

function affordable(rules: readonly ForeignRule[]): ForeignRule[] {
  let values = 0
  return rules.map((rule) => {
    for (const { conditions } of rule.branches) for (const one of conditions) values += 2 + one.values.length
    return values > VALUES_MAX ? { ...rule, ...UNREADABLE } : rule
  })
}

/** How early relayed packets meet each chain. Earlier chains are reported first where not all can be. */
function readRanks(
  chains: readonly ForeignChain[],
  rules: readonly JsonObject[],
  sets: (table: string) => SetElements,
): Map<string, number> {
  const leads = new Map<string, Set<string>>()
  for (const rule of rules) {
    const from = keyOf(placeKey(rule))
    leads.set(
      from,
      new Set([
        ...(leads.get(from) ?? []),
        ...targetsIn(rule['expr'] ?? null, sets(tableName(rule))).map((chain) =>
          keyOf({ table: tableName(rule), chain }),
        ),
      ]),
    )
  }
  const ranks = new Map<string, number>()
  for (const [rank, hook] of FOREIGN_HOOKS.entries()) {
    const ahead = chains.filter((chain) => chain.hook === hook && /^(?:ip6?|inet|netdev) /.test(chain.table)).map(keyOf)
    for (let key = ahead.pop(); key !== undefined; key = ahead.pop()) {
      if (ranks.has(key)) continue
      ranks.set(key, rank)
      ahead.push(...(leads.get(key) ?? []))
    }
  }
  return ranks
}

/** The chains that a rule leads to, those that its named maps name among them. */
function targetsIn(value: Json, sets: SetElements = NO_SETS): string[] {
  if (typeof value === 'string' && value.startsWith('@')) return targetsIn(sets(value.slice(1)) ?? [])
  if (isList(value)) return value.flatMap((one) => targetsIn(one, sets))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([kind, body]) =>
    (kind === 'jump' || kind === 'goto') && isObject(body) ? [textIn(body, 'target')] : targetsIn(body, sets),
  )
}

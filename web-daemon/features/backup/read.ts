// Reads a backup: what is wrong with it as a whole refuses it, and what is wrong with an item concerns that item alone.
// Every problem has its path, such as backup.tunnels[3].mtu.
import {
  BACKUP_MEMBERS,
  BACKUP_VERSION,
  BackupNetwork,
  BackupPool,
  BackupRoute,
  BackupTunnel,
} from '@panel/shared/api/backup.ts'
import { strict, Type, type Static, type TSchema } from '@panel/shared/schema.ts'
import { message, type Message, verbatim } from '@panel/shared/messages/message.ts'
import { Problems } from '../../platform/http/problems.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { validate, type Body } from '../../platform/http/validate.ts'
import { invalidMessage } from '../settings/change.ts'
import { isSettingKey, SettingsBody, type SettingKey, type SettingValues } from '../settings/definitions.ts'
import { keyOf } from '../settings/update.ts'

/** An item with its path in the document, or why it is none; what it is called then is what it says of itself. */
export type Item<T> =
  | { readonly path: string; readonly item: T; readonly fault: null }
  | { readonly path: string; readonly name: string; readonly fault: Refusal }

export type RightItem<T> = Extract<Item<T>, { readonly fault: null }>
export const isRight = <T>(one: Item<T>): one is RightItem<T> => one.fault === null
export type WrongItem = Exclude<Item<never>, { readonly fault: null }>

export interface GivenSetting {
  readonly key: SettingKey
  readonly value: SettingValues[SettingKey]
}

export interface Backup {
  readonly settings: readonly Item<GivenSetting>[]
  readonly pools: readonly Item<BackupPool>[]
  readonly tunnels: readonly Item<BackupTunnel>[]
  /** None of a backup from before there were networks. */
  readonly networks: readonly Item<BackupNetwork>[]
  /** Null if the backup has no such member. */
  readonly routes: readonly Item<BackupRoute>[] | null
}

/** More than any host has; it bounds the work of one request. */
const MAX_ITEMS = 20_000
/** For one item: more than a rule with all its destinations and sources, or the longest list in a setting. */
const MAX_VALUES = 12_000
const MAX_DEPTH = 8
/** More than anyone reads; after as many in all, each wrong item tells its first. */
const MAX_PROBLEMS = 100
/** The length of a name from the backup in a problem; the name may be anything. */
const MAX_NAME = 200

/** Members that nothing else in the backup refers to need not be read if they are not imported. */
export interface Included {
  readonly settings: boolean
  readonly networks: boolean
  readonly routes: boolean
}

/** Adds to `problems` what is wrong with the document as a whole. */
export function readBackup(raw: Body, included: Included, problems: Problems): Backup {
  checkVersion(raw, problems)
  if (problems.has('backup')) return { settings: [], pools: [], tunnels: [], networks: [], routes: null }
  for (const name of Object.keys(raw).filter((one) => !(BACKUP_MEMBERS as readonly string[]).includes(one)))
    if (problems.all.length < MAX_PROBLEMS)
      problems.add(
        `backup.${name}`.slice(0, MAX_NAME),
        'UNKNOWN_FIELD',
        message('backup.unknown_member', { version: BACKUP_VERSION, name: name.slice(0, 100) }),
      )
  const faults = new Faults()
  const list = <S extends TSchema>(name: string, schema: S, named: keyof Static<S> & string): Item<Static<S>>[] =>
    readItems(raw[name], `backup.${name}`, problems).map(({ path, item }) =>
      readItem({ path, item, schema, named }, faults),
    )
  return {
    settings: included.settings ? readSettings(raw['settings'], problems, faults) : [],
    pools: list('pools', BackupPool, 'cidr'),
    tunnels: list('tunnels', BackupTunnel, 'interface_name'),
    networks: included.networks ? list('networks', BackupNetwork, 'network_title') : [],
    routes:
      raw['routes'] === undefined ? null : !included.routes ? [] : list('routes', BackupRoute, 'route_rule_title'),
  }
}

function checkVersion({ version }: Body, problems: Problems): void {
  if (version === BACKUP_VERSION) return
  const problem =
    version === undefined
      ? message('backup.no_version', { known: BACKUP_VERSION })
      : message('backup.other_version', {
          version: JSON.stringify(version).slice(0, 40),
          known: BACKUP_VERSION,
        })
  problems.add('backup.version', 'UNSUPPORTED_VERSION', problem, {
    supported: [BACKUP_VERSION],
  })
}

/** Makes the refusals of wrong items, whose answer is as long as the backup at most. */
class Faults {
  #count = 0

  /** Null if the item has no problem. */
  of({ all }: Problems): Refusal | null {
    const shown = all.slice(0, Math.max(1, MAX_PROBLEMS - this.#count))
    this.#count += shown.length
    const shortened = new Problems()
    for (const problem of shown) shortened.add(problem.field.slice(0, MAX_NAME), problem.code, problem)
    return shortened.refusal()
  }

  wrong(path: string, name: unknown, sentence: Message): WrongItem {
    return { path, name: nameOr(path, name), fault: new Refusal('VALIDATION_FAILED', sentence) }
  }
}

const nameOr = (path: string, name: unknown): string =>
  typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME) : path

interface Unread {
  readonly path: string
  readonly item: unknown
}

/** A missing list is empty. */
function readItems(list: unknown, path: string, problems: Problems): Unread[] {
  if (list === undefined) return []
  if (Array.isArray(list) && list.length <= MAX_ITEMS)
    return list.map((item: unknown, at) => ({ path: `${path}[${at}]`, item }))
  const sentence = Array.isArray(list)
    ? message('backup.list_too_long', { path, most: MAX_ITEMS, count: list.length })
    : message('backup.list', { path })
  problems.add(path, 'INVALID_VALUE', sentence)
  return []
}

/** `named`: the field that the item is known by. */
function readItem<S extends TSchema>(
  { path, item, schema, named }: Unread & { readonly schema: S; readonly named: string },
  faults: Faults,
): Item<Static<S>> {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return faults.wrong(path, '', message('backup.object', { path }))
  const name = (item as Body)[named]
  if (countValues(item) > MAX_VALUES) return faults.wrong(path, name, message('backup.too_large', { path }))
  const problems = new Problems()
  const read = validate(schema, item as Body, problems)
  const fault = faults.of(problems)
  return fault ? { path, name: nameOr(path, name), fault } : { path, item: read as Static<S>, fault: null }
}

/** addresses.0.address, within backup.tunnels[3], is backup.tunnels[3].addresses[0].address. */
export function fieldPath(path: string, field: string): string {
  return field === '' ? path : `${path}.${field.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')}`
}

/** The number of values in an item; Infinity if it is nested deeper than any valid item. */
function countValues(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 1
  if (depth > MAX_DEPTH) return Infinity
  let sum = 1
  for (const part of Object.values(value)) sum += countValues(part, depth + 1)
  return sum
}

const SettingItem = strict({
  key: Type.String({ maxLength: 100 }),
  value: Type.Unsafe<unknown>({ 'x-message': message('input.backup_setting') }),
})

/** Reads settings from a list of keys with their values, or from an object (decisions.md, T6). */
function readSettings(raw: unknown, problems: Problems, faults: Faults): Item<GivenSetting>[] {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const given = isObject ? readPairs(raw, problems) : readItems(raw, 'backup.settings', problems).map(readPair(faults))
  const keys = new Set<string>()
  return given.map((pair) => {
    if (pair.fault) return pair
    const { key, value } = pair.item
    const wrong = keys.has(key)
      ? message('backup.setting_twice', { name: key.slice(0, 100) })
      : settingProblem(key, value)
    keys.add(key)
    return wrong === null
      ? { path: pair.path, item: { key, value } as GivenSetting, fault: null }
      : faults.wrong(pair.path, key, wrong)
  })
}

interface Pair {
  readonly key: string
  readonly value: unknown
}

const readPairs = (map: object, problems: Problems): Item<Pair>[] => {
  const pairs = readItems(Object.entries(map), 'backup.settings', problems)
  return pairs.map(({ item }) => {
    const [key, value] = item as [string, unknown]
    return { path: `backup.settings.${key.slice(0, MAX_NAME)}`, item: { key, value }, fault: null }
  })
}

const readPair =
  (faults: Faults) =>
  ({ path, item }: Unread): Item<Pair> => {
    const pair = readItem({ path, item, schema: SettingItem, named: 'key' }, faults)
    return pair.fault ? pair : { ...pair, path: `${path}.${isSettingKey(pair.item.key) ? 'value' : 'key'}` }
  }

function settingProblem(key: string, value: unknown): Message | null {
  if (!isSettingKey(key)) return invalidMessage(key)
  const problems_of_item = new Problems()
  if (countValues(value) <= MAX_VALUES) validate(SettingsBody, { [key]: value }, problems_of_item)
  else problems_of_item.add(key, 'INVALID_VALUE', verbatim(''))
  const [first] = problems_of_item.all
  return first ? invalidMessage(keyOf(first.field)) : null
}

// Takes a backup apart, whoever wrote it: each item is held against its schema, and what is wrong is told by its place, such as backup.tunnels[3].mtu.
import type { FieldCode } from '@panel/shared/api/codes.ts'
import { BACKUP_MEMBERS, BACKUP_VERSION, BackupPool, BackupRoute, BackupTunnel } from '@panel/shared/api/backup.ts'
import { strict, Type, type Static, type TSchema } from '@panel/shared/schema.ts'
import { Problems } from '../../platform/http/problems.ts'
import { validate, type Body } from '../../platform/http/validate.ts'
import { refusalOf } from '../settings/change.ts'
import { isSettingKey, SettingsBody, type SettingKey, type SettingValues } from '../settings/definitions.ts'
import { keyOf } from '../settings/update.ts'

/** An item with its place in the document. */
export interface Item<T> {
  readonly path: string
  readonly item: T
}

export interface GivenSetting {
  readonly key: SettingKey
  readonly value: SettingValues[SettingKey]
}

export interface Backup {
  readonly settings: readonly Item<GivenSetting>[]
  readonly pools: readonly Item<BackupPool>[]
  readonly tunnels: readonly Item<BackupTunnel>[]
  /** Null where the backup has no such member. */
  readonly routes: readonly Item<BackupRoute>[] | null
}

/** More than any host holds; it bounds what one request can ask for. */
const MAX_ITEMS = 20_000
/** Of one item: more than a rule with all the destinations and sources that it may have, or the longest list in a setting. */
const MAX_VALUES = 12_000
const MAX_DEPTH = 8
/** More than anyone reads. */
const MAX_PROBLEMS = 100
/** Of a name that somebody made up. */
const MAX_FIELD = 200

/** What nothing else in a backup refers to need not be looked at where it is not wanted. */
export interface Included {
  readonly settings: boolean
  readonly routes: boolean
}

/** Adds everything that is wrong to `problems`, as fields of `backup`, and leaves it out. A version that is not this build's is told alone: nobody knows what else would be right. */
export function readBackup(raw: Body, included: Included, problems: Problems): Backup {
  checkVersion(raw, problems)
  if (problems.has('backup')) return { settings: [], pools: [], tunnels: [], routes: null }
  const faults = new Faults(problems)
  for (const name of Object.keys(raw))
    if (!(BACKUP_MEMBERS as readonly string[]).includes(name))
      faults.add(
        `backup.${name}`,
        'UNKNOWN_FIELD',
        `A backup of version ${BACKUP_VERSION} has no ${name.slice(0, 100)}.`,
      )
  return {
    settings: included.settings ? settingsIn(raw['settings'], faults) : [],
    pools: listIn(raw, 'pools', BackupPool, faults),
    tunnels: listIn(raw, 'tunnels', BackupTunnel, faults),
    routes: raw['routes'] === undefined ? null : !included.routes ? [] : listIn(raw, 'routes', BackupRoute, faults),
  }
}

function checkVersion({ version }: Body, problems: Problems): void {
  if (version === BACKUP_VERSION) return
  const said =
    version === undefined
      ? 'The backup does not say which version it is.'
      : `This build does not understand a backup of version ${JSON.stringify(typeof version === 'number' || typeof version === 'string' ? version : typeof version).slice(0, 40)}.`
  problems.add('backup.version', 'UNSUPPORTED_VERSION', `${said} It reads version ${BACKUP_VERSION}.`, {
    supported: [BACKUP_VERSION],
  })
}

class Faults {
  readonly #problems: Problems
  #count = 0

  constructor(problems: Problems) {
    this.#problems = problems
  }

  get isEnough(): boolean {
    return this.#count >= MAX_PROBLEMS
  }

  add(field: string, code: FieldCode, message: string): void {
    if (this.isEnough) return
    this.#count += 1
    this.#problems.add(field.slice(0, MAX_FIELD), code, message)
  }
}

function listIn<S extends TSchema>(raw: Body, name: string, schema: S, faults: Faults): Item<Static<S>>[] {
  return [...itemsIn(raw[name], `backup.${name}`, faults)].flatMap(({ path, item }) => {
    const read = itemIn(item, path, schema, faults)
    return read === null ? [] : [{ path, item: read }]
  })
}

/** Absent is none. */
function* itemsIn(list: unknown, path: string, faults: Faults): Generator<Item<unknown>> {
  if (list === undefined) return
  if (!Array.isArray(list)) return faults.add(path, 'INVALID_VALUE', `${path} must be a list.`)
  if (list.length > MAX_ITEMS)
    return faults.add(path, 'INVALID_VALUE', `${path} must be a list of at most ${MAX_ITEMS}, and has ${list.length}.`)
  for (const [at, item] of list.entries()) {
    if (faults.isEnough) return
    yield { path: `${path}[${at}]`, item }
  }
}

function itemIn<S extends TSchema>(item: unknown, path: string, schema: S, faults: Faults): Static<S> | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return noted(faults, path, `${path} must be an object.`)
  if (valuesIn(item) > MAX_VALUES) return noted(faults, path, `${path} is too large, or too deep.`)
  const own = new Problems()
  const read = validate(schema, item as Body, own)
  for (const { field, code, message } of own.all) faults.add(fieldIn(path, field), code, message)
  return own.isEmpty ? (read as Static<S>) : null
}

function noted(faults: Faults, field: string, message: string): null {
  faults.add(field, 'INVALID_VALUE', message)
  return null
}

/** addresses.0.address, within backup.tunnels[3], is backup.tunnels[3].addresses[0].address. */
export const fieldIn = (path: string, field: string): string =>
  field === '' ? path : `${path}.${field.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')}`

/** How many values an item is made of; endless where it is deeper than any item is. */
function valuesIn(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 1
  if (depth > MAX_DEPTH) return Infinity
  let sum = 1
  for (const part of Object.values(value)) sum += valuesIn(part, depth + 1)
  return sum
}

const SettingItem = strict({
  key: Type.String({ maxLength: 100 }),
  value: Type.Unsafe<unknown>({ 'x-message': 'A setting in a backup has a key and a value.' }),
})

/** As a list of keys with their values, or as an object (decisions.md, T6). */
function settingsIn(raw: unknown, faults: Faults): Item<GivenSetting>[] {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const given = isObject ? pairsIn(raw) : [...itemsIn(raw, 'backup.settings', faults)].flatMap(pairIn(faults))
  const seen = new Set<string>()
  return given.flatMap(({ path, key, value }) => {
    if (faults.isEnough) return []
    const wrong = seen.has(key) ? `${key} is in the backup twice.` : wrongWith(key, value)
    seen.add(key)
    if (wrong !== null) faults.add(path, 'INVALID_VALUE', wrong)
    return wrong === null ? [{ path, item: { key, value } as GivenSetting }] : []
  })
}

interface Pair {
  readonly path: string
  readonly key: string
  readonly value: unknown
}

const pairsIn = (map: object): Pair[] =>
  Object.entries(map).map(([key, value]) => ({ path: `backup.settings.${key}`, key, value: value as unknown }))

const pairIn =
  (faults: Faults) =>
  ({ path, item }: Item<unknown>): Pair[] => {
    const pair = itemIn(item, path, SettingItem, faults)
    return pair === null ? [] : [{ path: `${path}.${isSettingKey(pair.key) ? 'value' : 'key'}`, ...pair }]
  }

function wrongWith(key: string, value: unknown): string | null {
  if (!isSettingKey(key)) return refusalOf(key)
  const own = new Problems()
  if (valuesIn(value) <= MAX_VALUES) validate(SettingsBody, { [key]: value }, own)
  else own.add(key, 'INVALID_VALUE', '')
  const [first] = own.all
  return first ? refusalOf(keyOf(first.field)) : null
}

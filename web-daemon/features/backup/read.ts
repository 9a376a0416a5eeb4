// Validates a backup: each item against its schema, and every problem with its path, such as backup.tunnels[3].mtu.
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import { BACKUP_MEMBERS, BACKUP_VERSION, BackupPool, BackupRoute, BackupTunnel } from '@panel/shared/api/backup.ts'
import { strict, Type, type Static, type TSchema } from '@panel/shared/schema.ts'
import { Problems } from '../../platform/http/problems.ts'
import { validate, type Body } from '../../platform/http/validate.ts'
import { invalidMessage } from '../settings/change.ts'
import { isSettingKey, SettingsBody, type SettingKey, type SettingValues } from '../settings/definitions.ts'
import { keyOf } from '../settings/update.ts'

/** An item with its path in the document. */
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
  /** Null if the backup has no such member. */
  readonly routes: readonly Item<BackupRoute>[] | null
}

/** More than any host has; it bounds the work of one request. */
const MAX_ITEMS = 20_000
/** For one item: more than a rule with all its destinations and sources, or the longest list in a setting. */
const MAX_VALUES = 12_000
const MAX_DEPTH = 8
/** More than anyone reads. */
const MAX_PROBLEMS = 100
/** The length of a field name in a problem; the name may be anything. */
const MAX_FIELD = 200

/** Members that nothing else in the backup refers to need not be read if they are not imported. */
export interface Included {
  readonly settings: boolean
  readonly routes: boolean
}

/**
 * Adds every problem to `problems` as a field of `backup`, and leaves out what is wrong. An unsupported version is the
 * only problem then: nothing else can be judged.
 */
export function readBackup(raw: Body, included: Included, problems: Problems): Backup {
  checkVersion(raw, problems)
  if (problems.has('backup')) return { settings: [], pools: [], tunnels: [], routes: null }
  const problemList = new ProblemList(problems)
  for (const name of Object.keys(raw))
    if (!(BACKUP_MEMBERS as readonly string[]).includes(name))
      problemList.add(
        `backup.${name}`,
        'UNKNOWN_FIELD',
        `A backup of version ${BACKUP_VERSION} has no ${name.slice(0, 100)}.`,
      )
  return {
    settings: included.settings ? readSettings(raw['settings'], problemList) : [],
    pools: readList(raw, 'pools', BackupPool, problemList),
    tunnels: readList(raw, 'tunnels', BackupTunnel, problemList),
    routes:
      raw['routes'] === undefined ? null : !included.routes ? [] : readList(raw, 'routes', BackupRoute, problemList),
  }
}

function checkVersion({ version }: Body, problems: Problems): void {
  if (version === BACKUP_VERSION) return
  const problem =
    version === undefined
      ? 'The backup does not say which version it is.'
      : `This build does not understand a backup of version ${JSON.stringify(typeof version === 'number' || typeof version === 'string' ? version : typeof version).slice(0, 40)}.`
  problems.add('backup.version', 'UNSUPPORTED_VERSION', `${problem} It reads version ${BACKUP_VERSION}.`, {
    supported: [BACKUP_VERSION],
  })
}

class ProblemList {
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

function readList<S extends TSchema>(raw: Body, name: string, schema: S, problemList: ProblemList): Item<Static<S>>[] {
  return [...readItems(raw[name], `backup.${name}`, problemList)].flatMap(({ path, item }) => {
    const read = readItem(item, path, schema, problemList)
    return read === null ? [] : [{ path, item: read }]
  })
}

/** A missing list is empty. */
function* readItems(list: unknown, path: string, problemList: ProblemList): Generator<Item<unknown>> {
  if (list === undefined) return
  if (!Array.isArray(list)) return problemList.add(path, 'INVALID_VALUE', `${path} must be a list.`)
  if (list.length > MAX_ITEMS)
    return problemList.add(
      path,
      'INVALID_VALUE',
      `${path} must be a list of at most ${MAX_ITEMS}, and has ${list.length}.`,
    )
  for (const [at, item] of list.entries()) {
    if (problemList.isEnough) return
    yield { path: `${path}[${at}]`, item }
  }
}

function readItem<S extends TSchema>(
  item: unknown,
  path: string,
  schema: S,
  problemList: ProblemList,
): Static<S> | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return noted(problemList, path, `${path} must be an object.`)
  if (countValues(item) > MAX_VALUES) return noted(problemList, path, `${path} is too large, or too deep.`)
  const problems_of_item = new Problems()
  const read = validate(schema, item as Body, problems_of_item)
  for (const { field, code, message } of problems_of_item.all) problemList.add(fieldPath(path, field), code, message)
  return problems_of_item.isEmpty ? (read as Static<S>) : null
}

function noted(problemList: ProblemList, field: string, message: string): null {
  problemList.add(field, 'INVALID_VALUE', message)
  return null
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
  value: Type.Unsafe<unknown>({ 'x-message': 'A setting in a backup has a key and a value.' }),
})

/** As a list of keys with their values, or as an object (decisions.md, T6). */
function readSettings(raw: unknown, problemList: ProblemList): Item<GivenSetting>[] {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const given = isObject
    ? readPairs(raw)
    : [...readItems(raw, 'backup.settings', problemList)].flatMap(readPair(problemList))
  const keys = new Set<string>()
  return given.flatMap(({ path, key, value }) => {
    if (problemList.isEnough) return []
    const wrong = keys.has(key) ? `${key} is in the backup twice.` : settingProblem(key, value)
    keys.add(key)
    if (wrong !== null) problemList.add(path, 'INVALID_VALUE', wrong)
    return wrong === null ? [{ path, item: { key, value } as GivenSetting }] : []
  })
}

interface Pair {
  readonly path: string
  readonly key: string
  readonly value: unknown
}

const readPairs = (map: object): Pair[] =>
  Object.entries(map).map(([key, value]) => ({ path: `backup.settings.${key}`, key, value: value as unknown }))

const readPair =
  (problemList: ProblemList) =>
  ({ path, item }: Item<unknown>): Pair[] => {
    const pair = readItem(item, path, SettingItem, problemList)
    return pair === null ? [] : [{ path: `${path}.${isSettingKey(pair.key) ? 'value' : 'key'}`, ...pair }]
  }

function settingProblem(key: string, value: unknown): string | null {
  if (!isSettingKey(key)) return invalidMessage(key)
  const problems_of_item = new Problems()
  if (countValues(value) <= MAX_VALUES) validate(SettingsBody, { [key]: value }, problems_of_item)
  else problems_of_item.add(key, 'INVALID_VALUE', '')
  const [first] = problems_of_item.all
  return first ? invalidMessage(keyOf(first.field)) : null
}

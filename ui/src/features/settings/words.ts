// How the settings of the schema are called and written: by the page's words where it has them, else as the API spells them.
import type { ListPoolsAnswer } from '@panel/shared/api/pools.ts'
import type { SettingCategory, SettingEntry } from '@panel/shared/api/settings.ts'
import { display } from '../../core/display.svelte.ts'
import { t, messages } from '../../core/i18n.svelte.ts'

export interface Option {
  readonly value: string | number | null
  readonly label: string
}

const worded = (key: string, otherwise: string): string => (messages.has(key) ? t(key) : otherwise)

export const labelOf = ({ key }: SettingEntry): string => worded(`settings.key.${key}`, key)
/** The braces are the template's own. */
const TEMPLATE = { side: '{side}', number: '{number}', type: '{type}' }
/** Null where the page has no words of its own, and the API's have to do. */
export const aboutOf = ({ key }: SettingEntry): string | null => {
  const about = `settings.about.${key}`
  return messages.has(about) ? t(about, TEMPLATE) : null
}
export const categoryOf = (category: SettingCategory): string => worded(`settings.category.${category}`, category)
export const unitOf = ({ unit }: SettingEntry): string => (unit === '' ? '' : worded(`settings.unit.${unit}`, unit))
const wordOf = (value: string): string => worded(`settings.option.${value}`, value)

export const numberOf = (value: number): string => display.format.number(value, 3)

/** What a setting can be chosen from; empty where it is typed. */
export const optionsOf = (
  { type, constraints }: SettingEntry,
  pools: ListPoolsAnswer['pools'] | undefined,
): Option[] => {
  if (type === 'enum') return constraints.enum_values.map((value) => ({ value, label: wordOf(value) }))
  if (type === 'lookup') return constraints.options.map(({ value, label }) => ({ value, label: wordOf(label) }))
  if (constraints.lookup_table !== 'address_pool' || !pools) return []
  return [
    { value: null, label: t('settings.first_pool') },
    ...pools.map((pool) => ({ value: pool.address_pool_id, label: `${pool.cidr} ${pool.address_pool_title}` })),
  ]
}

export const spelled = (entry: SettingEntry, value: unknown): string => {
  if (value === null || (Array.isArray(value) && value.length === 0) || value === '') return t('settings.nothing')
  if (typeof value === 'boolean') return value ? t('settings.on') : t('settings.off')
  if (entry.type === 'lookup')
    return wordOf(entry.constraints.options.find((option) => option.value === value)?.label ?? String(value))
  if (entry.type === 'enum') return wordOf(String(value))
  if (typeof value === 'number') return `${numberOf(value)} ${unitOf(entry)}`.trim()
  if (typeof value === 'object') return Array.isArray(value) ? value.join(', ') : Object.values(value).join(', ')
  return String(value)
}

/** What the page can tell of a number before the server does. */
export const wrongWith = ({ type, constraints: { min, max, nullable } }: SettingEntry, value: unknown): string => {
  if (type !== 'int' && type !== 'float') return ''
  if (value === null) return nullable ? '' : t('settings.wrong.missing')
  if (typeof value !== 'number' || (type === 'int' && !Number.isInteger(value))) return t('settings.wrong.whole')
  const isOutside = (min !== null && value < min) || (max !== null && value > max)
  return isOutside ? t('settings.wrong.range', boundsOf(min, max)) : ''
}

export const rangeOf = (min: number | null, max: number | null): string => {
  if (min === null || max === null || max === Number.MAX_SAFE_INTEGER) return ''
  return t('settings.range', boundsOf(min, max))
}
const boundsOf = (min: number | null, max: number | null): { min: string; max: string } => ({
  min: min === null ? '–' : numberOf(min),
  max: max === null ? '–' : numberOf(max),
})

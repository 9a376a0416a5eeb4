// Labels and formats of settings, falling back to the API's text.
import type { ListPoolsAnswer } from '@panel/shared/api/pools.ts'
import type { SettingCategory, SettingEntry } from '@panel/shared/api/settings.ts'
import { display } from '../../core/display.svelte.ts'
import { messages, t } from '../../core/i18n.svelte.ts'
import { quantity } from './quantity.ts'

export interface Option {
  readonly value: string | number | null
  readonly label: string
}

export const settingLabel = ({ key }: SettingEntry): string => messages.find(`settings.key.${key}`, key)
/** The template's own placeholders. */
const TEMPLATE = { side: '{side}', number: '{number}', type: '{type}' }
/** Null: use the API's description. */
export const settingHelp = ({ key }: SettingEntry): string | null => {
  const about = `settings.about.${key}`
  return messages.has(about) ? t(about, TEMPLATE) : null
}
export const categoryLabel = (category: SettingCategory): string =>
  messages.find(`settings.category.${category}`, category)
export const unitLabel = ({ unit }: SettingEntry): string =>
  unit === '' ? '' : messages.find(`settings.unit.${unit}`, unit)
const optionLabel = (value: string): string => messages.find(`settings.option.${value}`, value)
/** A choice may mean something else in one setting than in the others. */
const enumLabel = ({ key }: SettingEntry, value: string): string =>
  messages.find(`settings.option.${key}.${value}`, optionLabel(value))

export const formatNumber = (value: number): string => display.format.number(value, 3)

/** Choices of a setting; empty for a text field. */
export const settingOptions = (entry: SettingEntry, pools: ListPoolsAnswer['pools'] | undefined): Option[] => {
  const { type, constraints } = entry
  if (type === 'enum') return constraints.enum_values.map((value) => ({ value, label: enumLabel(entry, value) }))
  if (type === 'lookup') return constraints.options.map(({ value, label }) => ({ value, label: optionLabel(label) }))
  if (constraints.lookup_table !== 'address_pool' || !pools) return []
  return [
    { value: null, label: t('settings.first_pool') },
    ...pools.map((pool) => ({ value: pool.address_pool_id, label: `${pool.cidr} ${pool.address_pool_title}` })),
  ]
}

/** A share is written as every other on the page. */
const formatQuantity = ({ unit }: SettingEntry, value: number): string =>
  unit === 'percent' ? display.format.percent(value) : quantity(value, unit, display.format.locale)

export const formatValue = (entry: SettingEntry, value: unknown): string => {
  if (value === null || (Array.isArray(value) && value.length === 0) || value === '') return t('settings.nothing')
  if (typeof value === 'boolean') return value ? t('settings.on') : t('settings.off')
  if (entry.type === 'lookup')
    return optionLabel(entry.constraints.options.find((option) => option.value === value)?.label ?? String(value))
  if (entry.type === 'enum') return enumLabel(entry, String(value))
  if (typeof value === 'number') return formatQuantity(entry, value)
  if (typeof value === 'object') return Array.isArray(value) ? value.join(', ') : Object.values(value).join(', ')
  return String(value)
}

export const rangeLabel = (min: number | null, max: number | null): string => {
  if (min === null || max === null || max === Number.MAX_SAFE_INTEGER) return ''
  return t('settings.range', { min: formatNumber(min), max: formatNumber(max) })
}

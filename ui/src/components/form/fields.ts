// A form as a list of its fields: one line for each, by which it is drawn (Fields.svelte), filled and sent.
import type { Key } from '../../locales/keys.ts'
import { joinTags, parseTags } from './tags.ts'

/**
 * What a field is drawn as and read by. A flag is yes, no or as the settings have it, a switch on or off; code is an
 * address, a name or a key.
 */
type Kind = 'number' | 'text' | 'code' | 'lines' | 'tags' | 'flag' | 'switch' | 'choice'

type Values = Readonly<Record<string, unknown>>

export interface FormField {
  readonly name: string
  readonly kind: Kind
  readonly group: string
  readonly label: Key | Name
  readonly hint?: Key | ((values: Values) => Key)
  /** Empty is sent as null; of a flag, whether it may follow the settings. */
  readonly isNullable?: boolean
  /** What a new one has: of a switch off, of anything else nothing. */
  readonly usual?: boolean | number
  /** Whose tunnels have it; absent: all. */
  readonly family?: 4 | 6
  readonly options?: readonly (readonly [value: number | boolean | null, label: Key | Name])[]
  /** What is not shown is sent as null. */
  readonly isShown?: (values: Values) => boolean
  readonly attributes?: { readonly [A in 'min' | 'max' | 'step' | 'placeholder']?: string } & {
    readonly maxlength?: number
    readonly required?: true
    readonly inputmode?: 'decimal' | 'numeric'
  }
}

/** What is called the same in every language. */
type Name = 'TCP' | 'UDP' | 'TCP + UDP' | 'MTU' | 'TTL' | 'systemd' | 'systemd-networkd'

interface ValueOf extends Record<Kind, unknown> {
  number: number | null
  text: string
  code: string
  lines: string
  tags: string
  flag: boolean | null
  switch: boolean
  choice: number
}
export type ValuesOf<L extends readonly FormField[]> = { [F in L[number] as F['name']]: ValueOf[F['kind']] }

const EMPTY: Readonly<Record<Kind, unknown>> = {
  number: null,
  text: '',
  code: '',
  lines: '',
  tags: '',
  flag: null,
  switch: false,
  choice: null,
}

const each = <T>(fields: readonly FormField[], of: (field: FormField) => unknown): T =>
  Object.fromEntries(fields.map((field) => [field.name, of(field)])) as T

/** The values of a new one. */
export const emptyValues = <L extends readonly FormField[]>(fields: L): ValuesOf<L> =>
  each(fields, ({ kind, usual }) => usual ?? EMPTY[kind])

/** The values of a stored one. */
export const valuesOf = <L extends readonly FormField[]>(fields: L, stored: Values): ValuesOf<L> =>
  each(fields, ({ name, kind }) =>
    kind === 'tags' ? joinTags(stored[name] as readonly string[]) : (stored[name] ?? EMPTY[kind]),
  )

/** What is sent of the values. */
export const requestOf = (fields: readonly FormField[], values: Values): Record<string, unknown> =>
  each(fields, (field) => (field.isShown && !field.isShown(values) ? null : parse(field, values[field.name])))

export function parse({ kind, isNullable }: Pick<FormField, 'kind' | 'isNullable'>, value: unknown): unknown {
  if (typeof value !== 'string' || kind === 'lines') return value
  if (kind === 'tags') return parseTags(value)
  const text = value.trim()
  return text === '' && isNullable ? null : text
}

// What a command over the API takes, by the schemas that the daemon checks it with.
import { ENDPOINTS } from '@panel/shared/api/endpoints.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import { SettingsBody } from '../../features/settings/definitions.ts'
import type { Schemas } from '../../platform/http/endpoint.ts'
import type { ApiCommand } from './catalogue.ts'

export interface Field {
  readonly name: string
  /** The JSON type, or "any". */
  readonly type: string
  readonly isRequired: boolean
  /** Taken with --data alone: every user can read the arguments of a program. */
  readonly isSecret: boolean
  readonly description: string
  /** What it may be, such as "10 (GRE) or 20 (GRETAP)" or "576 to 9216"; "" for whatever is of the type. */
  readonly bounds: string
  readonly values: readonly string[]
  readonly standard: string
  /** The fields of an object, or of each object of a list. */
  readonly inner: readonly Field[]
}

/** The settings are a table of the daemon's own. */
const SCHEMAS: Readonly<Record<string, Schemas>> = { ...ENDPOINTS, 'PUT /settings': { body: SettingsBody } }

export const queryOf = ({ route }: Pick<ApiCommand, 'route'>): Field[] => fieldsIn(SCHEMAS[route]?.query)
export const bodyOf = ({ route }: Pick<ApiCommand, 'route'>): Field[] => fieldsIn(SCHEMAS[route]?.body)

/** Those that can be given as an option, of which those that have to be given come first. */
export function optionsOf(command: Pick<ApiCommand, 'route'>): Field[] {
  const all = [...queryOf(command), ...bodyOf(command)].filter(({ isSecret }) => !isSecret)
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)]
}

/** The names of the ids in the path, such as "ID" and "TUNNEL_ID". */
export const idsOf = ({ route }: Pick<ApiCommand, 'route'>): string[] =>
  [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name.toUpperCase())

function fieldsIn(schema: TSchema | undefined): Field[] {
  const required = (schema?.['required'] ?? []) as readonly string[]
  return Object.entries((schema?.['properties'] ?? {}) as Record<string, TSchema>).map(([name, one]) => ({
    name,
    type: typeof one['type'] === 'string' ? one['type'] : 'any',
    isRequired: required.includes(name),
    isSecret: one['x-secret'] === true,
    description: text(one['description']),
    bounds: boundsOf(one),
    values: valuesOf(one),
    standard: one['default'] === undefined ? '' : JSON.stringify(one['default']),
    inner: fieldsIn((one['items'] ?? one) as TSchema),
  }))
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const valuesOf = ({ type, enum: values }: TSchema): string[] =>
  type === 'boolean' ? ['true', 'false'] : Array.isArray(values) ? values.map(String) : []

function boundsOf(schema: TSchema): string {
  const { params } = (schema['x-message'] ?? {}) as { params?: Readonly<Record<string, unknown>> }
  const values = schema['type'] === 'boolean' ? [] : valuesOf((schema['items'] ?? schema) as TSchema)
  if (values.length > 0) return text(params?.['options']) || values.join(', ')
  const { minimum, maximum } = schema
  if (maximum !== undefined && maximum < 2 ** 53 - 1) return `${minimum ?? 0} to ${maximum}`
  return minimum !== undefined && minimum > 1 ? `from ${minimum} on` : ''
}

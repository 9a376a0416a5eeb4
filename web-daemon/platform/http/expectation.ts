// Describes what a schema expects, for the message of a refused field.
import type { TSchema } from '@panel/shared/schema.ts'

export function expectation(schema: TSchema | undefined): string {
  if (!schema) return 'something else'
  const description = describeType(schema)
  return schema['nullable'] === true ? `${description}, or null` : description
}

const describeType = (schema: TSchema): string => {
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].filter((value) => value !== null).join(', ')}`
  switch (schema['type']) {
    case 'integer':
      return `a whole number${bounds(schema['minimum'], schema['maximum'])}`
    case 'number':
      return `a number${bounds(schema['minimum'], schema['maximum'])}`
    case 'string':
      return `text${lengths(schema['minLength'], schema['maxLength'], 'character')}${form(schema)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list${lengths(schema['minItems'], schema['maxItems'], 'item')}`
    case 'object':
      return 'an object'
    default:
      return 'another value'
  }
}

const bounds = (low: unknown, high: unknown): string => {
  if (low !== undefined && high !== undefined) return ` from ${String(low)} to ${String(high)}`
  if (low !== undefined) return ` of at least ${String(low)}`
  return high === undefined ? '' : ` of at most ${String(high)}`
}

const lengths = (low: unknown, high: unknown, unit: string): string => {
  if (low !== undefined && high !== undefined) return ` of ${String(low)} to ${String(high)} ${unit}s`
  if (low !== undefined) return ` of at least ${String(low)} ${unit}${low === 1 ? '' : 's'}`
  return high === undefined ? '' : ` of at most ${String(high)} ${unit}s`
}

const form = (schema: TSchema): string => {
  if (typeof schema['pattern'] === 'string') return ` of the form ${schema['pattern']}`
  return typeof schema.description === 'string' ? ` (${schema.description})` : ''
}

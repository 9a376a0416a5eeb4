// Removes from a request what must never be kept: by the name of the field, by the schema's mark, and every field that
// the schema does not name.
import type { TSchema } from '@panel/shared/schema.ts'
import { cutToFit } from './cut.ts'

export const REDACTED = '[redacted]'
const UNKNOWN = '[not kept: no such field]'
const SECRET_NAME = /pass|secret|token|cookie|authorization|csrf/i
/** A larger request is of no use to a reader of the log, and one request must not fill it. */
const MAX_KEPT_CHARACTERS = 16 * 1024
/**
 * Deeper than any valid request. JSON can be nested deeper than the stack allows, and such a request must be recorded
 * too.
 */
const MAX_DEPTH = 10
const TOO_DEEP = '[not kept: too deep]'

/** A field that the schema does not name may be a password under a wrong name, so its value is removed too. */
export function redact(body: Readonly<Record<string, unknown>>, schema: TSchema | undefined): Record<string, unknown> {
  return cutToFit(redactObject(body, schema), MAX_KEPT_CHARACTERS)
}

const redactObject = (
  body: Readonly<Record<string, unknown>>,
  schema: TSchema | undefined,
  depth = 0,
): Record<string, unknown> => {
  const named = (schema?.['properties'] ?? {}) as Record<string, TSchema>
  const isOpen = schema?.['type'] === 'object' && schema['additionalProperties'] !== false
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => {
      const known = Object.hasOwn(named, field) ? named[field] : undefined
      if (SECRET_NAME.test(field) || known?.['x-secret'] === true) return [field, REDACTED]
      return known || isOpen ? [field, redactValue(value, known, depth + 1)] : [field.slice(0, 64), UNKNOWN]
    }),
  )
}

const redactValue = (value: unknown, schema: TSchema | undefined, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return TOO_DEEP
  if (Array.isArray(value))
    return value.map((item) => redactValue(item, schema?.['items'] as TSchema | undefined, depth + 1))
  return redactObject(value as Record<string, unknown>, schema, depth)
}

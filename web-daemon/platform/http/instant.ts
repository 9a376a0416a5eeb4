// Parses a time in a query.
import { message } from '@panel/shared/messages/message.ts'
import type { Problems } from './problems.ts'

/** In seconds since 1970; null if not given. An invalid time is added as a problem. */
export function parseTime(query: Readonly<Record<string, string>>, name: string, problems: Problems): number | null {
  const text = query[name]
  if (text === undefined || text === '') return null
  const at = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) problems.add(name, 'INVALID_VALUE', message('panel.instant', { field: name }))
  return at / 1000
}

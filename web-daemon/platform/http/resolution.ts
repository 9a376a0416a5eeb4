// The span and the resolution of a requested history, the same for every history (decisions.md, M4, F19).
import { LONGEST_SPAN_S } from '@panel/shared/api/queries.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { Span } from '../series/spans.ts'
import { parseTime } from './instant.ts'
import { Problems } from './problems.ts'

/**
 * Parses a span. The default is the last `usual_seconds` by interval; the resolution is never finer than the stored
 * one. Throws 422 for what is no time, no number, or ends before it begins.
 */
export function parseSpan(
  query: Readonly<Record<string, string>>,
  now: Date,
  { stored_seconds, usual_seconds }: { readonly stored_seconds: number; readonly usual_seconds: number },
): Span {
  const problems = new Problems()
  const [from, to] = [parseTime(query, 'from', problems), parseTime(query, 'to', problems)]
  const resolution_seconds = parseResolution(query, stored_seconds, problems)
  if (from !== null && to !== null && from >= to)
    problems.add('to', 'INVALID_VALUE', message('panel.later', { field: 'to', other_field: 'from' }))
  problems.throwIfAny(['from', 'to', 'resolution_seconds'])
  const end = Math.ceil(to ?? now.getTime() / 1000 + 1)
  return { from: Math.floor(from ?? end - usual_seconds), to: end, resolution_seconds }
}

/** In whole seconds, never finer than the stored one. */
function parseResolution(query: Readonly<Record<string, string>>, stored_seconds: number, problems: Problems): number {
  const text = query['resolution_seconds'] ?? ''
  const requested = text === '' ? stored_seconds : /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Math.ceil(Number(text)) : 0
  if (requested < 1 || requested > LONGEST_SPAN_S)
    problems.add(
      'resolution_seconds',
      'INVALID_VALUE',
      message('panel.resolution', { field: 'resolution_seconds', longest: LONGEST_SPAN_S }),
    )
  return Math.max(requested, stored_seconds)
}

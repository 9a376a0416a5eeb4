// The span and the resolution of a requested history, the same for every history (decisions.md, M4, F19).
import { message } from '@panel/shared/messages/message.ts'
import type { Span } from '../series/spans.ts'
import { wrongParameter } from './wrong-parameter.ts'

/**
 * Parses a span. The default is the last `usual_seconds` by interval; the resolution is never finer than the stored
 * one. Throws 422 for one that ends before it begins.
 */
export function parseSpan(
  query: Readonly<Record<string, string>>,
  now: Date,
  { stored_seconds, usual_seconds }: { readonly stored_seconds: number; readonly usual_seconds: number },
): Span {
  const [from, to] = [secondsIn(query['from']), secondsIn(query['to'])]
  if (from !== null && to !== null && from >= to)
    throw wrongParameter('to', message('panel.later', { field: 'to', other_field: 'from' }))
  const requested = Math.ceil(Number(query['resolution_seconds'] || stored_seconds))
  const end = Math.ceil(to ?? now.getTime() / 1000 + 1)
  return {
    from: Math.floor(from ?? end - usual_seconds),
    to: end,
    resolution_seconds: Math.max(requested, stored_seconds),
  }
}

/** Since 1970; null if not given. */
const secondsIn = (text = ''): number | null => (text === '' ? null : Date.parse(text) / 1000)

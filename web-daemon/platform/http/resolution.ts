// The requested resolution of a history: the seconds of each point (decisions.md, M4).
import { numberParameter } from './queries.ts'
import type { Problems } from './problems.ts'

const LONGEST_S = 366 * 86_400

export const RESOLUTION = numberParameter('Seconds that a point stands for. Default: as stored.', 1, LONGEST_S)

/** In whole seconds, never finer than the stored one. */
export function parseResolution(
  query: Readonly<Record<string, string>>,
  stored_seconds: number,
  problems: Problems,
): number {
  const text = query['resolution_seconds'] ?? ''
  const requested = text === '' ? stored_seconds : /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Math.ceil(Number(text)) : 0
  if (requested < 1 || requested > LONGEST_S)
    problems.add(
      'resolution_seconds',
      'INVALID_VALUE',
      `resolution_seconds must be a number of seconds from 1 to ${LONGEST_S}.`,
    )
  return Math.max(requested, stored_seconds)
}

// How much of something works, as the API answers it of rules, networks and analyses.
import type { Static } from '../../schema.ts'
import { oneOf } from './shapes.ts'

/** down: nothing of it. degraded: only part of what it should. unknown: that is not known. */
export const SEVERITIES = ['down', 'degraded', 'unknown', 'ok'] as const
export const Severity = oneOf(SEVERITIES)
export type Severity = Static<typeof Severity>

// What the API answers to an analysis: a verdict, what it rests on, and what to do, in order (reference.md, Analysis
// result; decisions.md, F24, D7).
import type { Static } from '../schema.ts'
import { MessageView } from './base/errors.ts'
import { Severity } from './base/severity.ts'
import { Anything, Id, Instant, list, oneOf, Sentence, shape, Text, described } from './base/shapes.ts'

export const ROUTE_VERDICTS = [
  'HEALTHY',
  'RULE_DISABLED',
  'RULE_MISSING',
  'FORWARDING_DISABLED',
  'RULE_SHADOWED',
  'FORWARD_BLOCKED',
  'LISTENER_ABSENT',
  'NOT_TRACKED',
  'NO_ROUTE',
  'REVERSE_PATH',
  'OLDER_FLOW',
  'NO_REPLIES',
  'ANSWERS_TAKE_ANOTHER_WAY',
  'REPLIES_LEAVE_ELSEWHERE',
  'TUNNEL_DOWN',
  'DESTINATION_UNREACHABLE',
  'DESTINATIONS_PARTLY_UNREACHABLE',
  'MTU_PROBLEM',
  'NO_INBOUND_TRAFFIC',
] as const
export type RouteVerdict = (typeof ROUTE_VERDICTS)[number]

export const Evidence = shape('Evidence', {
  name: Sentence,
  detail: Text,
  detail_message: MessageView,
  data: Anything,
})
export type Evidence = Static<typeof Evidence>

/** Any other verdict is that nothing gets through. */
const MILDER: Partial<Readonly<Record<string, Severity>>> = {
  HEALTHY: 'ok',
  RULE_DISABLED: 'ok',
  NO_INBOUND_TRAFFIC: 'unknown',
  DESTINATIONS_PARTLY_UNREACHABLE: 'degraded',
  MTU_PROBLEM: 'degraded',
}

/** Nothing wrong was found is not yet that it is well. */
export function severityOf(verdict: string, confidence: 'high' | 'low'): Severity {
  return verdict === 'HEALTHY' && confidence === 'low' ? 'unknown' : (MILDER[verdict] ?? 'down')
}

/** What every analysis comes to, whatever was looked at. */
export const conclusion = <const V extends readonly string[]>(verdicts: V) => ({
  verdict: oneOf(verdicts),
  severity: described(Severity, 'How bad that is; unknown: nothing wrong was found, and nothing proves that it works.'),
  summary: Sentence,
  summary_message: MessageView,
  evidence: list(Evidence, { minItems: 1 }),
  suggested_fix: described(list(Text), 'What to do, in order.'),
  fix_messages: described(list(MessageView), 'The same as suggested_fix, for another language.'),
  fix_commands: described(list(Text), 'The lines to run that suggested_fix shows, as they are.'),
  confidence: described(oneOf(['high', 'low']), 'low: what was looked at does not settle it.'),
  checked_at: Instant,
})

export const RouteAnalysis = shape('RouteAnalysis', { route_rule_id: Id, ...conclusion(ROUTE_VERDICTS) })
export type RouteAnalysis = Static<typeof RouteAnalysis>

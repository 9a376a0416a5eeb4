// What the API answers to an analysis: a verdict, what it rests on, and what to do, in order (interface.md, Analysis result; decisions.md, F24, D7).
export const ROUTE_VERDICTS = [
  'HEALTHY',
  'RULE_DISABLED',
  'RULE_MISSING',
  'FORWARDING_DISABLED',
  'RULE_SHADOWED',
  'FORWARD_BLOCKED',
  'TUNNEL_DOWN',
  'DESTINATION_UNREACHABLE',
  'DESTINATIONS_PARTLY_UNREACHABLE',
  'MTU_PROBLEM',
  'NO_INBOUND_TRAFFIC',
] as const
export type RouteVerdict = (typeof ROUTE_VERDICTS)[number]

export interface Evidence {
  name: string
  detail: string
  data: Record<string, unknown>
}

/** `evidence` is never empty; `confidence` low: what was looked at does not settle it. */
export interface RouteAnalysis {
  route_rule_id: number
  verdict: RouteVerdict
  summary: string
  evidence: Evidence[]
  suggested_fix: string[]
  confidence: 'high' | 'low'
  checked_at: string
}

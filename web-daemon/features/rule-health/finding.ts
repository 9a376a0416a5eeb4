// A step of the analysis of a rule: what was found there, and whether it stops packets.
import type { Evidence, RouteVerdict } from '@panel/shared/api/analysis.ts'
import type { Message } from '@panel/shared/messages/message.ts'

/** One step of the path; `verdict` null: it does not stop packets. */
export interface Finding {
  readonly sentence: Message
  readonly evidence: Evidence
  readonly verdict: RouteVerdict | null
  readonly fix: readonly Message[]
  readonly isCertain: boolean
}

export const passes = (name: string, sentence: Message, data: Record<string, unknown> = {}): Finding => ({
  sentence,
  evidence: { name, detail: sentence.message, detail_message: sentence, data },
  verdict: null,
  fix: [],
  isCertain: true,
})
export const stops = (verdict: RouteVerdict, finding: Finding, fix: readonly Message[], isCertain = true): Finding => ({
  ...finding,
  verdict,
  fix,
  isCertain,
})

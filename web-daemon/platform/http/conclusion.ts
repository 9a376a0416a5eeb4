// What an analysis comes to, as the API answers it: the first finding that stops packets is the verdict.
import { severityOf, type Evidence } from '@panel/shared/api/analysis.ts'
import { commandsIn, messageFields, type Message } from '@panel/shared/messages/message.ts'

interface Finding<V> {
  readonly evidence: Evidence
  readonly sentence: Message
  /** Null if nothing is wrong. */
  readonly verdict: V | null
  readonly fix: readonly Message[]
  readonly isCertain: boolean
}

interface Well {
  /** The summary where no finding stops packets. */
  readonly sentence: Message
  readonly isCertain: boolean
}

/** Concludes HEALTHY where no finding stops packets, as certainly as `well` is. */
export function conclude<V extends string>(findings: readonly Finding<V>[], well: Well, now: Date) {
  const wrong = findings.filter(({ verdict }) => verdict !== null)
  const fixes = wrong.flatMap(({ fix }) => [...fix])
  const verdict: V | 'HEALTHY' = wrong[0]?.verdict ?? 'HEALTHY'
  const { sentence, isCertain } = wrong[0] ?? well
  const confidence: 'high' | 'low' = isCertain ? 'high' : 'low'
  return {
    verdict,
    severity: severityOf(verdict, confidence),
    ...messageFields('summary', sentence),
    evidence: findings.map(({ evidence }) => evidence),
    suggested_fix: fixes.map(({ message: text }) => text),
    fix_messages: fixes,
    fix_commands: fixes.flatMap(commandsIn),
    confidence,
    checked_at: now.toISOString(),
  }
}

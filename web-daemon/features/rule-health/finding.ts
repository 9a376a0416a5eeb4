// A step of the analysis of a rule: what was found there, and whether it stops packets.
import type { Evidence, RouteVerdict } from '@panel/shared/api/analysis.ts'
import { EFFECTS, type CauseCode } from '@panel/shared/api/routes/cause-codes.ts'
import { message, sentences, type Message } from '@panel/shared/messages/message.ts'
import type { Cause } from './cause.ts'

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

/** The verdict where the cause is certain. A change that failed says nothing about what the kernel holds. */
const VERDICTS: Readonly<Partial<Record<CauseCode, RouteVerdict>>> = {
  REPLIES_LEAVE_ELSEWHERE: 'REPLIES_LEAVE_ELSEWHERE',
  RULES_UNREADABLE: 'RULE_MISSING',
  RULE_MISSING: 'RULE_MISSING',
  RULE_DIFFERS: 'RULE_MISSING',
  RULE_SHADOWED: 'RULE_SHADOWED',
  LISTENER_ABSENT: 'LISTENER_ABSENT',
  FOREIGN_DNAT: 'RULE_SHADOWED',
  OLDER_FLOW: 'OLDER_FLOW',
  FOREIGN_DROP: 'FORWARD_BLOCKED',
  FOREIGN_MARK: 'FORWARD_BLOCKED',
  NOT_TRACKED: 'NOT_TRACKED',
  STRAY_RULES: 'FORWARD_BLOCKED',
  FORWARDING_OFF: 'FORWARDING_DISABLED',
  REVERSE_PATH: 'REVERSE_PATH',
  TUNNEL_GONE: 'TUNNEL_DOWN',
  TUNNEL_DOWN: 'TUNNEL_DOWN',
  NO_ROUTE: 'NO_ROUTE',
  DESTINATION_UNRESOLVED: 'DESTINATION_UNREACHABLE',
  DESTINATIONS_DOWN: 'DESTINATION_UNREACHABLE',
  NO_REPLIES: 'NO_REPLIES',
  ANSWERS_TAKE_ANOTHER_WAY: 'ANSWERS_TAKE_ANOTHER_WAY',
}
/** Whether these stop packets depends on what was not read. */
const UNSURE: readonly CauseCode[] = ['RULES_UNREADABLE', 'STRAY_RULES', 'FOREIGN_MARK']

function verdictOf({ code, effect }: Cause): RouteVerdict | null {
  const isCertain = effect === 'stops' || effect === 'degrades'
  if (!isCertain && code !== 'RULES_UNREADABLE') return null
  return code === 'DESTINATIONS_DOWN' && effect === 'degrades'
    ? 'DESTINATIONS_PARTLY_UNREACHABLE'
    : (VERDICTS[code] ?? null)
}

/** The step at which causes of these codes lie: the worst of them, or what is `well` (null: no finding then). */
export function byCauses<W extends Message | null>(
  name: string,
  causes: readonly Cause[],
  codes: readonly CauseCode[],
  well: W,
  data: Record<string, unknown> = {},
): Finding | (W extends null ? null : Finding) {
  const found = causes
    .filter(({ code }) => codes.includes(code))
    .sort((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect))
  const [worst] = found
  if (!worst) return (well && passes(name, well, data)) as Finding | (W extends null ? null : Finding)
  const verdict = verdictOf(worst)
  const fix = found.flatMap(({ remedies }) => [...remedies])
  const text = message('health.sentence', { text: worst.sentence })
  if (verdict === null)
    return passes(
      name,
      worst.effect === 'may_stop' ? message('health.block_unsure', { block: text, remedies: sentences(...fix) }) : text,
      data,
    )
  return stops(verdict, passes(name, text, data), fix, !UNSURE.includes(worst.code))
}

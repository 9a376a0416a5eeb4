// One cause why a rule does not relay, and what a list of them comes to.
import { CAUSES, EFFECTS, HOPS, type CauseCode, type Effect } from '@panel/shared/api/routes/cause-codes.ts'
import type { Severity } from '@panel/shared/api/base/severity.ts'
import type { Cause as CauseView } from '@panel/shared/api/routes/causes.ts'
import type { RouteHealthState } from '@panel/shared/api/routes/answers.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import { remedyView } from '../../platform/http/remedy.ts'

export interface Cause {
  readonly code: CauseCode
  readonly effect: Effect
  readonly sentence: Message
  readonly remedies: readonly Message[]
  /** Rules with the same subject share the cause, such as the chain that drops their packets; "": the rule's own. */
  readonly subject: string
}

interface More {
  readonly remedies?: readonly Message[]
  readonly subject?: string
}

export const cause = (
  code: CauseCode,
  effect: Effect,
  sentence: Message,
  { remedies = [], subject = '' }: More = {},
): Cause => ({ code, effect, sentence, remedies, subject })

/** A name that a shell and sysctl take as it is: sysctl reads a dot as a slash. */
const PLAIN = /^[A-Za-z0-9_-]+$/

/** The line that changes a setting of IPv4 on an interface, or on "all". */
export const settingRemedies = (name: string, setting: string): Message[] =>
  PLAIN.test(name) ? [message('health.fix_setting', { command: `sysctl -w net.ipv4.conf.${name}.${setting}` })] : []

export const inOrderOfPath = (causes: readonly Cause[]): Cause[] =>
  [...causes].sort((a, b) => HOPS.indexOf(CAUSES[a.code]) - HOPS.indexOf(CAUSES[b.code]))

/** The states that these have on the wire, the first of them that is there; every other certain cause is "impaired". */
const STATES: readonly (readonly [CauseCode, RouteHealthState])[] = [
  ['CHANGE_UNDONE_IN_PART', 'inconsistent'],
  ['CHANGE_FAILED', 'failed'],
  ['CHANGE_PENDING', 'pending'],
  ['RULES_UNREADABLE', 'pending'],
  ['RULE_MISSING', 'failed'],
  ['RULE_DIFFERS', 'failed'],
]

const isCertain = ({ effect }: Cause): boolean => effect === 'stops' || effect === 'degrades'

interface Judged {
  readonly state: RouteHealthState
  /** The cause that the state and the severity come from; null if there is none. */
  readonly headline: Cause | null
}

/** The state of an enabled rule. */
export function stateBy(causes: readonly Cause[]): Judged {
  const worstFirst = [...causes].sort((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect))
  for (const [code, state] of STATES) {
    const headline = causes.find((one) => one.code === code)
    if (headline) return { state, headline }
  }
  const [headline = null] = worstFirst
  return { state: headline && isCertain(headline) ? 'impaired' : 'healthy', headline }
}

/** `isProven`: packets went both ways since what may stop them is there. */
export function severityBy(causes: readonly Pick<Cause, 'effect'>[], isProven: boolean): Severity {
  const has = (effect: Effect): boolean => causes.some((one) => one.effect === effect)
  if (has('stops')) return 'down'
  if (has('degrades')) return 'degraded'
  return has('may_stop') && !isProven ? 'unknown' : 'ok'
}

export const causeView = ({ code, effect, sentence, remedies }: Cause): CauseView => ({
  code,
  hop: CAUSES[code],
  effect,
  ...messageFields('detail', sentence),
  remedies: remedies.map(remedyView),
})

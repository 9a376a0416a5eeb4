// Why a relay rule does not relay, or may not, as the API answers it: health, analysis, incidents, notifications and
// metrics take all they say of a rule from one list of causes (decisions.md, S21).
import type { Static } from '../../schema.ts'
import { MessageView } from '../base/errors.ts'
import { nullable } from '../../schema.ts'
import { described, Instant, list, oneOf, shape, Text } from '../base/shapes.ts'

/** Where on the way of its packets a cause lies, in the order in which a packet meets them. */
export const HOPS = ['clients', 'listener', 'server', 'tunnel', 'far_end', 'destination'] as const
export type Hop = (typeof HOPS)[number]

/** stops: nothing is relayed. may_stop: that is not certain. degrades: part of it is not relayed, or not as wanted. */
export const EFFECTS = ['stops', 'degrades', 'may_stop', 'note'] as const
export type Effect = (typeof EFFECTS)[number]

/** Every cause, by the hop at which it lies. */
export const CAUSES = {
  REPLIES_LEAVE_ELSEWHERE: 'clients',
  CHANGE_UNDONE_IN_PART: 'listener',
  CHANGE_FAILED: 'listener',
  CHANGE_PENDING: 'listener',
  RULES_UNREADABLE: 'listener',
  RULE_MISSING: 'listener',
  RULE_DIFFERS: 'listener',
  RULE_SHADOWED: 'listener',
  LISTENER_ABSENT: 'listener',
  FOREIGN_DNAT: 'listener',
  FOREIGN_DROP: 'server',
  FOREIGN_MAY_DROP: 'server',
  FOREIGN_MARK: 'server',
  NOT_READ: 'server',
  NOT_TRACKED: 'server',
  STRAY_RULES: 'server',
  FORWARDING_OFF: 'server',
  TABLE_NEARLY_FULL: 'server',
  TUNNEL_GONE: 'tunnel',
  TUNNEL_DOWN: 'tunnel',
  ROUTE_CHANGED: 'tunnel',
  NO_ROUTE: 'destination',
  DESTINATION_UNRESOLVED: 'destination',
  DESTINATIONS_DOWN: 'destination',
  NO_REPLIES: 'destination',
} as const satisfies Readonly<Record<string, Hop>>
export type CauseCode = keyof typeof CAUSES
export const CAUSE_CODES = Object.keys(CAUSES) as CauseCode[]

export const Remedy = shape('Remedy', {
  text: Text,
  text_message: MessageView,
  commands: described(list(Text), 'Lines to run on this server as they are, in order; none if it takes no command.'),
})
export type Remedy = Static<typeof Remedy>

export const Cause = shape('Cause', {
  code: oneOf(CAUSE_CODES),
  hop: oneOf(HOPS),
  effect: oneOf(EFFECTS),
  detail: Text,
  detail_message: MessageView,
  remedies: described(list(Remedy), 'What takes the cause away; each is needed.'),
})
export type Cause = Static<typeof Cause>

/** down: it relays nothing. degraded: only part of what it should. unknown: that is not known. */
export const SEVERITIES = ['down', 'degraded', 'unknown', 'ok'] as const
export const Severity = oneOf(SEVERITIES)
export type Severity = Static<typeof Severity>

export const PROOF_STATES = ['carrying', 'proven', 'one_way', 'unproven'] as const
export const PROVEN_BY = ['traffic', 'check', 'analysis'] as const

export const Proof = shape('Proof', {
  state: described(
    oneOf(PROOF_STATES),
    'carrying: in the last interval packets went to the destination and back. proven: earlier, by what "by" says. one_way: packets go to the destination and none comes back. unproven: neither, since the rule, its path or a link on it last changed.',
  ),
  at: described(nullable(Instant), 'When it was last proven; null: never, as it is now.'),
  by: nullable(oneOf(PROVEN_BY)),
})
export type Proof = Static<typeof Proof>

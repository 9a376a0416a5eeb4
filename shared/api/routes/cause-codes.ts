// The words for why a relay rule does not relay, without a schema, so that the page can use them as values.

/** The hops at which causes lie, in the order in which a packet meets them. */
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
  OLDER_FLOW: 'listener',
  FOREIGN_DROP: 'server',
  FOREIGN_MAY_DROP: 'server',
  FOREIGN_MARK: 'server',
  NOT_READ: 'server',
  NOT_TRACKED: 'server',
  STRAY_RULES: 'server',
  FORWARDING_OFF: 'server',
  REVERSE_PATH: 'server',
  TABLE_NEARLY_FULL: 'server',
  TUNNEL_GONE: 'tunnel',
  TUNNEL_DOWN: 'tunnel',
  ROUTE_CHANGED: 'tunnel',
  ANSWERS_TAKE_ANOTHER_WAY: 'far_end',
  NO_ROUTE: 'destination',
  DESTINATION_UNRESOLVED: 'destination',
  DESTINATIONS_DOWN: 'destination',
  NO_REPLIES: 'destination',
} as const satisfies Readonly<Record<string, Hop>>
export type CauseCode = keyof typeof CAUSES
export const CAUSE_CODES = Object.keys(CAUSES) as CauseCode[]

export const PROOF_STATES = ['carrying', 'proven', 'one_way', 'unproven'] as const
export const PROVEN_BY = ['traffic', 'check', 'analysis'] as const

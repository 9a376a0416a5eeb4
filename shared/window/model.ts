// A window: changes of a host that are taken back unless they are confirmed in time.
import { ForwardingState } from '../forwarding/model.ts'
import { NetworkState } from '../network/model.ts'
import { CidrText, InterfaceName, TunnelState } from '../tunnel/model.ts'
import { NextId } from '../ruleset/found.ts'
import { RelayRule, RuleId } from '../ruleset/model.ts'
import { integer, line, nullable, strict, stringEnum, Type, U32_MAX, type Static } from '../schema.ts'

/** 32 hex digits that the caller draws: a caller that lost the answer finds its window again by them. */
export const WindowId = Type.String({ pattern: '^[0-9a-f]{32}$' })

export const WINDOW_SECONDS = { least: 15, most: 3600 } as const
const Seconds = integer(WINDOW_SECONDS.least, WINDOW_SECONDS.most)

/** How many names one window holds; a change that goes beyond them is refused. */
export const WINDOW_TUNNELS_MAX = 2000
export const WINDOW_RULES_MAX = 20_000

/** Why what a window held was taken back. */
export const WINDOW_ENDS = ['cancelled', 'expired', 'rebooted'] as const
export type WindowEnd = (typeof WINDOW_ENDS)[number]

export const WindowParams = strict({ window_id: WindowId })
export const WindowTime = strict({ window_id: WindowId, seconds: Seconds })
/** When the time begins to run: at once, or with the first change, for which it waits an hour at most. */
export const WINDOW_STARTS = ['now', 'first_change'] as const
export type WindowStart = (typeof WINDOW_STARTS)[number]
export const WindowOpen = strict({
  window_id: WindowId,
  seconds: Seconds,
  starts: Type.Optional(stringEnum(WINDOW_STARTS)),
})

/**
 * `seconds_left` counts from the end of the last change, and of one that waits for its first change from its opening.
 * ending: the host is being taken back. stuck: that failed, and
 * is tried again; `detail` and `remediation` say why and what a person can do.
 */
export const WindowState = strict({
  window_id: WindowId,
  seconds: Seconds,
  seconds_left: integer(0, WINDOW_SECONDS.most),
  changes: integer(0, U32_MAX),
  is_waiting: Type.Boolean(),
  tunnels: Type.Array(InterfaceName, { maxItems: WINDOW_TUNNELS_MAX }),
  route_rule_ids: Type.Array(RuleId, { maxItems: WINDOW_RULES_MAX }),
  /** Destinations. */
  networks: Type.Array(CidrText),
  is_forwarding_touched: Type.Boolean(),
  state: stringEnum(['open', 'ending', 'stuck']),
  detail: line(2000),
  remediation: Type.Array(line(500)),
})

/** The last window, if it was taken back: until it is forgotten nothing else is changed (window_ended). */
export const WindowEnded = strict({
  window_id: WindowId,
  how: stringEnum(WINDOW_ENDS),
  seconds_ago: integer(0, U32_MAX),
})

export const WindowFound = strict({ window: nullable(WindowState), ended: nullable(WindowEnded) })
export type WindowFound = Static<typeof WindowFound>

/**
 * The state to which a window takes the host back. A tunnel, a rule or a network that it touched and that is not here goes;
 * `forwarding` null: untouched. The rules come page by page, everything else with the first page.
 */
export const WindowWayBack = strict({
  tunnels: Type.Array(TunnelState, { maxItems: WINDOW_TUNNELS_MAX }),
  networks: Type.Array(NetworkState),
  rules: Type.Array(RelayRule),
  forwarding: nullable(ForwardingState),
  next_id: NextId,
})
export type WindowWayBack = Static<typeof WindowWayBack>

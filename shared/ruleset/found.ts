// What a probe finds of our table: observed, never requested.
import { integer, line, nullable, strict, stringEnum, Type, type Static } from '../schema.ts'
import { DeviceName, IpText } from '../tunnel/observed.ts'
import { Revision } from '../revision.ts'
import { RULE_BACKENDS } from './backend.ts'
import { RelayCounters, RelayRule, ROUTE_RULE_ID_MAX, RuleId } from './model.ts'

/** The start of the next page, if an answer would be too long for one line; null at the end. */
export const NextId = nullable(integer(1, ROUTE_RULE_ID_MAX))

/** So many are listed. */
export const UPLINKS_MAX = 64
/**
 * An interface that rules name and by which the host does not send its own packets: what came in by it for them is
 * answered by it, by way of `gateway`, "" if there is none.
 */
export const Uplink = strict({
  interface_name: DeviceName,
  family: Type.Union([Type.Literal(4), Type.Literal(6)]),
  gateway: Type.Union([IpText, Type.Literal('')]),
})
export type Uplink = Static<typeof Uplink>

/**
 * `rules` are those that the kernel holds whole. `damaged` are those that it holds in pieces, or that the next boot
 * would bring back and the kernel lacks. `unmanaged` is what our table holds and no rule explains, as text.
 * `is_readable` false: `detail` says why. `is_unchanged`: `rules` is empty, since all is as it was at the revision that
 * the request names.
 */
export const RulesetFound = strict({
  backend: stringEnum(RULE_BACKENDS),
  is_readable: Type.Boolean(),
  is_present: Type.Boolean(),
  detail: line(300),
  revision: Revision,
  is_unchanged: Type.Boolean(),
  rules: Type.Array(RelayRule),
  damaged: Type.Array(strict({ route_rule_id: RuleId, detail: line(600) })),
  unmanaged: Type.Array(line(600)),
  /** The lines that should lead from chains of the kernel to chains of the backend and do not. */
  missing_jumps: Type.Optional(Type.Array(line(100), { maxItems: 20 })),
  uplinks: Type.Array(Uplink, { maxItems: UPLINKS_MAX }),
  next_id: NextId,
})
export type RulesetFound = Static<typeof RulesetFound>

/**
 * Counters of flows on the fast path, which no counter of the table includes. `epoch` changes when they begin from
 * nothing; within one they only rise. `detail`: what is missing from them, "" if nothing is.
 */
export const FastCounters = strict({
  epoch: Type.String({ pattern: '^[0-9a-f-]{1,60}$' }),
  detail: line(300),
  counters: Type.Array(RelayCounters),
})
export type FastCounters = Static<typeof FastCounters>

/**
 * `epoch` changes each time the table is created again, when all counters start at zero. `revision` is absent where they
 * could not be read.
 */
export const CountersFound = strict({
  is_readable: Type.Boolean(),
  detail: line(300),
  epoch: Type.String({ pattern: '^[0-9a-f.-]{0,60}$' }),
  revision: Type.Optional(Revision),
  counters: Type.Array(RelayCounters),
  /** Null where no flow has been on the fast path since the last boot. */
  fast: Type.Optional(nullable(FastCounters)),
  next_id: NextId,
})
export type CountersFound = Static<typeof CountersFound>

/** The address by which masqueraded packets leave through each link. If `is_readable` is false, `detail` says why. */
export const SourcesFound = strict({
  is_readable: Type.Boolean(),
  detail: line(300),
  /** At most one of a link and family. */
  sources: Type.Array(strict({ interface_name: DeviceName, address: IpText })),
})
export type SourcesFound = Static<typeof SourcesFound>

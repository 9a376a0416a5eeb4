// What connection tracking reports of the flows that relay rules own.
import { integer, line, nullable, strict, stringEnum, Type, U32_MAX, type Static } from '../schema.ts'
import { RuleId, type RelayDestination } from './model.ts'
import { IpText } from '../tunnel/model.ts'

export const CONNECTIONS_MAX = 5000

const Count = Type.Integer({ minimum: 0 })
const Port = integer(0, 65_535)

/** The states of linux/netfilter/nf_conntrack_tcp.h; a UDP flow is UNREPLIED until something came back. */
export const CONNECTION_STATES = [
  'NONE',
  'SYN_SENT',
  'SYN_RECV',
  'ESTABLISHED',
  'FIN_WAIT',
  'CLOSE_WAIT',
  'LAST_ACK',
  'TIME_WAIT',
  'CLOSE',
  'SYN_SENT2',
  'UNREPLIED',
  'REPLIED',
] as const

/** Neither end sends any more: of TCP both have ended the connection, or one has reset it (decisions.md, F48). */
const ENDED: ReadonlySet<RelayConnection['state']> = new Set(['LAST_ACK', 'TIME_WAIT', 'CLOSE'])

export const isOpen = ({ state }: Pick<RelayConnection, 'state'>): boolean => !ENDED.has(state)

/**
 * Bytes and packets are null where the kernel does not count them (nf_conntrack_acct), the age where it does not time
 * them (nf_conntrack_timestamp).
 */
export const RelayConnection = strict({
  route_rule_id: RuleId,
  protocol: stringEnum(['tcp', 'udp']),
  source_address: IpText,
  source_port: Port,
  bind_address: IpText,
  bind_port: Port,
  destination_address: IpText,
  destination_port: Port,
  state: stringEnum(CONNECTION_STATES),
  age_seconds: nullable(Count),
  timeout_seconds: Count,
  tx_bytes: nullable(Count),
  tx_packets: nullable(Count),
  rx_bytes: nullable(Count),
  rx_packets: nullable(Count),
  mark: integer(0, U32_MAX),
})
export type RelayConnection = Static<typeof RelayConnection>

/** Whether a connection goes to one of the ports of this destination. */
export const leadsTo = (
  { address, port, port_range_end }: Pick<RelayDestination, 'address' | 'port' | 'port_range_end'>,
  { destination_address, destination_port }: Pick<RelayConnection, 'destination_address' | 'destination_port'>,
): boolean =>
  address === destination_address && destination_port >= port && destination_port <= (port_range_end ?? port)

/**
 * `totals`, `sources` and `destinations` count all that are open, also those that `connections` has no room for; the last
 * two have the busiest first.
 */
export const ConnectionsFound = strict({
  is_readable: Type.Boolean(),
  detail: line(300),
  totals: Type.Array(strict({ route_rule_id: RuleId, connections: Count })),
  sources: Type.Array(strict({ source_address: IpText, connections: Count }), { maxItems: CONNECTIONS_MAX }),
  destinations: Type.Array(strict({ destination_address: IpText, destination_port: Port, connections: Count }), {
    maxItems: CONNECTIONS_MAX,
  }),
  connections: Type.Array(RelayConnection, { maxItems: CONNECTIONS_MAX }),
})
export type ConnectionsFound = Static<typeof ConnectionsFound>

export const THROUGH_NETWORKS_MAX = 300
/** The number of tracked flows above which a host's flows are not examined. */
export const THROUGH_FLOWS_MAX = 500_000

/** 0 where they are not readable. */
export const ThroughFound = strict({ is_readable: Type.Boolean(), detail: line(300), connections: Count })
export type ThroughFound = Static<typeof ThroughFound>

/** `connections` is 0 where they are not readable. */
export const OlderFound = ThroughFound
export type OlderFound = Static<typeof OlderFound>

/** `connections`: those that have begun at a rule since the kernel holds it, whatever became of them. */
export const ArrivedFound = ThroughFound
export type ArrivedFound = Static<typeof ArrivedFound>

export const MARKS_MAX = 8

/**
 * The open flows that arrive where a rule listens, are sent on to one of its destinations, and whose mark is not the
 * panel's: other software has written over it, or translates them itself. `marks` are theirs, the most frequent first.
 */
export const UnmarkedFound = strict({
  is_readable: Type.Boolean(),
  detail: line(300),
  connections: Count,
  marks: Type.Array(integer(0, U32_MAX), { maxItems: MARKS_MAX }),
})
export type UnmarkedFound = Static<typeof UnmarkedFound>

/**
 * For each rule that the kernel tracks flows of: how many are open, and how many have begun since it last tracked none
 * (`begun` grows until then), those that have ended included. `epoch` changes with each helper, whose first count takes
 * no flow as new. A flow that begins, ends and is forgotten by the kernel between two counts is in neither; by default
 * the kernel keeps TCP for 10 s after its end and UDP for 30 s. `answered` grows likewise with each flow in
 * which both ends have taken part. Of the `connections`, `waiting` have not come so far; the destination has taken up
 * the `half_open` ones among them, and the client has not answered that.
 */
export const FlowsFound = strict({
  is_readable: Type.Boolean(),
  detail: line(300),
  epoch: Type.String({ pattern: '^[0-9a-f-]{0,40}$' }),
  flows: Type.Array(
    strict({
      route_rule_id: RuleId,
      connections: Count,
      begun: Count,
      answered: Count,
      waiting: Count,
      half_open: Count,
    }),
  ),
})
export type FlowsFound = Static<typeof FlowsFound>
export type Flows = FlowsFound['flows'][number]

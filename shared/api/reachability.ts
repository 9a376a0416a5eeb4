// What a client may say and is answered about whether a destination can be reached from this server (interface.md, Reachability result; decisions.md, F21).
import { strict, stringEnum, Type, type Static } from '../model/schema.ts'
import { maybe, ranged, says } from './fields.ts'

const TIMING = {
  timeout_seconds: maybe(ranged('number', 0.1, 30, 'INVALID_VALUE', 'timeout_seconds', 'How long an answer is waited for. Default 3.')),
  source_address: maybe(Type.String({ minLength: 2, maxLength: 45, ...says('INVALID_ADDRESS', 'source_address must be an IP address of this server.', 'Address that is asked from. Absent: the kernel chooses.') })),
}

export const TestBody = strict({
  address: Type.String({ minLength: 2, maxLength: 45, ...says('INVALID_DESTINATION', 'address must be an IP address.', 'Where to look.') }),
  port: ranged('integer', 1, 65_535, 'INVALID_PORT', 'port', 'The port there.'),
  protocol: maybe(stringEnum(['tcp', 'udp'], says('INVALID_ROUTE_PROTOCOL', 'protocol must be "tcp" or "udp".', 'How to look: a TCP connection, or a datagram. Default tcp.'))),
  ...TIMING,
})
export type TestBody = Static<typeof TestBody>

export const TestRouteBody = strict(TIMING)
export type TestRouteBody = Static<typeof TestRouteBody>

/** `reachable` null, and `conclusive` false: it proves nothing. `error` is the system's word for what went wrong, "" where nothing did. */
export interface Reachability {
  address: string
  port: number
  protocol: 'tcp' | 'udp'
  reachable: boolean | null
  conclusive: boolean
  latency_ms: number | null
  error: string
  detail: string
  checked_at: string
}

/** At the top what says most: a destination that cannot be reached, before one of which nothing is known. */
export interface RouteReachability extends Reachability {
  route_rule_id: number
  results: Reachability[]
}

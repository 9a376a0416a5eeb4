// What a client may say and is answered about whether a destination can be reached from this server (reference.md,
// Reachability result; decisions.md, F21).
import { message } from '../../messages/message.ts'
import { nullable, stringEnum, Type, type Static } from '../../schema.ts'
import { sentence } from '../base/errors.ts'
import { maybe, ranged, refusedWith } from '../base/fields.ts'
import { Amount, Count, Flag, Id, Instant, list, oneOf, shape, Text, described } from '../base/shapes.ts'

const TIMING = {
  timeout_seconds: maybe(
    ranged('number', 0.1, 30, 'INVALID_VALUE', 'timeout_seconds', 'How long to wait for an answer. Default 3.'),
  ),
  source_address: maybe(
    Type.String({
      minLength: 2,
      maxLength: 45,
      ...refusedWith(
        'INVALID_ADDRESS',
        message('input.own_ip', { field: 'source_address' }),
        'Source address. Absent: the kernel chooses.',
      ),
    }),
  ),
}

export const TestBody = shape('TestBody', {
  address: Type.String({
    minLength: 2,
    maxLength: 45,
    ...refusedWith('INVALID_DESTINATION', message('input.ip', { field: 'address' }), 'The address to try.'),
  }),
  port: ranged('integer', 1, 65_535, 'INVALID_PORT', 'port', 'The port there.'),
  protocol: maybe(
    stringEnum(
      ['tcp', 'udp'],
      refusedWith(
        'INVALID_ROUTE_PROTOCOL',
        message('input.choice', { field: 'protocol', options: '"tcp" or "udp"' }),
        'How to try it: a TCP connection, or a datagram. Default tcp.',
      ),
    ),
  ),
  ...TIMING,
})
export type TestBody = Static<typeof TestBody>

export const TestRouteBody = shape('TestRouteBody', TIMING)
export type TestRouteBody = Static<typeof TestRouteBody>

export const Reachability = shape('Reachability', {
  address: Text,
  port: Count,
  protocol: oneOf(['tcp', 'udp']),
  reachable: described(nullable(Flag), 'Null, with conclusive false: it proves nothing.'),
  conclusive: Flag,
  latency_ms: nullable(Amount),
  error: described(Text, 'The error as the system names it, such as ECONNREFUSED; "" where there is none.'),
  ...sentence('detail'),
  checked_at: Instant,
})
export type Reachability = Static<typeof Reachability>

/** At the top what says most: a destination that cannot be reached, before one of which nothing is known. */
export const RouteReachability = shape('RouteReachability', {
  ...Reachability.properties,
  route_rule_id: Id,
  results: list(Reachability),
})
export type RouteReachability = Static<typeof RouteReachability>

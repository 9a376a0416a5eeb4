// How the destinations of a rule are checked, and what becomes of one that fails: as a client sends it, and as it is
// answered.
import { message } from '../../messages/message.ts'
import { nullable, strict, stringEnum, Type, type Static } from '../../schema.ts'
import { flag, maybe, orNull, ranged, refusedWith } from '../base/fields.ts'
import { sentence, Warning } from '../base/errors.ts'
import { Amount, Count, described, Flag, Id, Instant, list, oneOf, shape, Text } from '../base/shapes.ts'
import { LOSE_ACCESS } from './words.ts'

export const CHECK_KINDS = ['tcp', 'http', 'icmp'] as const
/** What becomes of new connections while no destination is up. */
export const ON_ALL_DOWN = ['keep', 'refuse'] as const
/** What becomes of connections to a destination that went down. */
export const CONNECTIONS_OF_DOWN = ['auto', 'end', 'keep'] as const

const choice = <T extends string>(words: readonly T[], name: string, description: string) =>
  maybe(
    stringEnum(
      words,
      refusedWith('INVALID_VALUE', message('input.choice', { field: name, options: words.join(', ') }), description),
    ),
  )
const whole = (minimum: number, maximum: number, name: string, description: string) =>
  maybe(ranged('integer', minimum, maximum, 'INVALID_VALUE', name, description))
const word = (name: 'path' | 'host', pattern: string, maxLength: number, description: string) => {
  const sentence = name === 'path' ? 'check.path' : 'check.host'
  const refused = refusedWith('INVALID_VALUE', message(sentence, { field: name, length: maxLength }), description)
  return maybe(Type.String({ maxLength, pattern, ...refused }))
}

export const RouteCheckBody = strict(
  {
    kind: maybe(
      stringEnum(
        CHECK_KINDS,
        refusedWith(
          'CHECK_UNDECIDABLE',
          message('check.kind', { field: 'kind' }),
          'How a destination is checked: whether its port accepts a connection, how it answers an HTTP request, or an echo request. Absent: tcp; a rule of UDP alone has to name it.',
        ),
      ),
    ),
    port: maybe(
      orNull(
        ranged(
          'integer',
          1,
          65_535,
          'INVALID_PORT',
          'port',
          'The port that is checked. Null: that of the destination.',
        ),
      ),
    ),
    path: word('path', '^/[\\x21-\\x7e]*$', 1024, 'Of an HTTP request: the path. Default /.'),
    host: word('host', '^[A-Za-z0-9.:\\[\\]_-]*$', 253, 'Of an HTTP request: the host name. Empty: the address.'),
    expect_status: maybe(
      orNull(
        ranged(
          'integer',
          100,
          599,
          'INVALID_VALUE',
          'expect_status',
          'Of an HTTP request: the status that counts as up. Null: any from 200 to 399.',
        ),
      ),
    ),
    interval_ms: whole(500, 3_600_000, 'interval_ms', 'Milliseconds from one check to the next. Default 5000.'),
    timeout_ms: whole(100, 60_000, 'timeout_ms', 'Milliseconds after which silence is a failure. Default 2000.'),
    fall: whole(
      1,
      100,
      'fall',
      'Failures in a row until a destination is down; a refused connection is one at once. Default 3.',
    ),
    rise: whole(1, 100, 'rise', 'Successes in a row until it is up again. Default 2.'),
    on_all_down: choice(
      ON_ALL_DOWN,
      'on_all_down',
      'While no destination is up: keep sends new connections to all as if they were up, refuse has them refused. Default keep.',
    ),
    connections_of_down: choice(
      CONNECTIONS_OF_DOWN,
      'connections_of_down',
      'Connections to a destination that went down: end ends them, keep leaves them, auto ends those of a rule that relays UDP, since they never move by themselves. Default auto.',
    ),
    is_enabled: maybe(flag('is_enabled', 'Whether destinations are checked. Default true.')),
  },
  {
    title: 'RouteCheckBody',
    ...refusedWith(
      'INVALID_VALUE',
      message('input.object', { field: 'check', names: 'kind, interval_ms, timeout_ms, fall and rise' }),
      'How the destinations are checked.',
    ),
  },
)
export type RouteCheckBody = Static<typeof RouteCheckBody>

export const RouteCheck = shape('RouteCheck', {
  kind: oneOf(CHECK_KINDS),
  port: nullable(Count),
  path: Text,
  host: Text,
  expect_status: nullable(Count),
  interval_ms: Count,
  timeout_ms: Count,
  fall: Count,
  rise: Count,
  on_all_down: oneOf(ON_ALL_DOWN),
  connections_of_down: oneOf(CONNECTIONS_OF_DOWN),
  is_enabled: Flag,
})
export type RouteCheck = Static<typeof RouteCheck>

export const CHECK_DEFAULTS: RouteCheck = {
  kind: 'tcp',
  port: null,
  path: '/',
  host: '',
  expect_status: null,
  interval_ms: 5000,
  timeout_ms: 2000,
  fall: 3,
  rise: 2,
  on_all_down: 'keep',
  connections_of_down: 'auto',
  is_enabled: true,
}

/** States of a destination: the result of its checks, or that it was taken out by hand. */
export const SHOWN_STATES = ['unknown', 'up', 'down', 'drained'] as const
export type ShownState = (typeof SHOWN_STATES)[number]
const Shown = oneOf(SHOWN_STATES)

export const CheckedDestination = shape('CheckedDestination', {
  route_destination_id: Id,
  address: Text,
  port: Count,
  hostname: nullable(Text),
  is_backup: Flag,
  is_enabled: Flag,
  rotation: described(
    oneOf(['in', 'out', 'standby']),
    'Whether it gets new connections: a backup on standby does while no other destination is in.',
  ),
  takes_connections: described(Flag, 'Whether new connections go to it now.'),
  state: Shown,
  ...sentence('reason', 'Why it is so.'),
  since: described(nullable(Instant), 'When the state began; null where nothing was ever decided.'),
  drained_until: nullable(Instant),
  latency_ms: described(nullable(Amount), 'Of the last check; null where that failed, or there was none.'),
  last_checked_at: nullable(Instant),
  resolved_at: described(
    nullable(Instant),
    'When its hostname was last resolved; null where that was not since the start.',
  ),
  ...sentence('hostname_problem', 'What is wrong with its hostname; "" where nothing is.'),
  connections: described(nullable(Count), 'Those that go to it now; null where they cannot be counted.'),
  history: described(
    list(shape('CheckResult', { is_success: Flag, latency_ms: nullable(Amount) })),
    'Its last checks, 60 at most, the oldest first.',
  ),
})
export type CheckedDestination = Static<typeof CheckedDestination>

export const DestinationEvent = shape('DestinationEvent', {
  event_id: Id,
  route_destination_id: Id,
  from_state: Shown,
  to_state: Shown,
  ...sentence('reason'),
  created_date: Instant,
})
export type DestinationEvent = Static<typeof DestinationEvent>

export const RouteCheckAnswer = shape('RouteCheckState', {
  route_rule_id: Id,
  check: described(nullable(RouteCheck), 'Null: the destinations are not checked.'),
  is_closed: described(Flag, 'Whether new connections are refused, since no destination is up.'),
  destinations: list(CheckedDestination),
  events: described(list(DestinationEvent), 'What changed, the newest first.'),
})
export type RouteCheckAnswer = Static<typeof RouteCheckAnswer>

export const PutRouteCheckBody = shape('PutRouteCheckBody', {
  ...RouteCheckBody.properties,
  i_understand_i_may_lose_access: LOSE_ACCESS,
})
export type PutRouteCheckBody = Static<typeof PutRouteCheckBody>

export const ChangeCheckAnswer = shape('RouteCheckChanged', {
  ...RouteCheckAnswer.properties,
  warnings: list(Warning),
})
export type ChangeCheckAnswer = Static<typeof ChangeCheckAnswer>

export const DrainBody = shape('DrainBody', {
  for_seconds: maybe(
    orNull(
      ranged(
        'integer',
        1,
        31_536_000,
        'INVALID_VALUE',
        'for_seconds',
        'After so many seconds it is put back by itself. Absent or null: until it is put back by hand.',
      ),
    ),
  ),
  i_understand_i_may_lose_access: LOSE_ACCESS,
})
export type DrainBody = Static<typeof DrainBody>

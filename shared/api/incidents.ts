// What a client may send about incidents, and what it is answered (reference.md, Incidents).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { sentence } from './base/errors.ts'
import { flag, maybe, refusedWith } from './base/fields.ts'
import { Amount, Count, described, Flag, Id, Instant, list, oneOf, shape, Text } from './base/shapes.ts'
import { Remedy } from './routes/causes.ts'

export const INCIDENT_KINDS = ['tunnel', 'route', 'network', 'certificate', 'disk', 'helper', 'backup'] as const

const Care = nullable(strict({ at: Instant, by: described(Text, 'The operator.') }))
const Silence = nullable(strict({ until: Instant, by: described(Text, 'The operator.') }))

/** What is stored of an incident, beside what it is. */
export const IncidentRecord = shape('IncidentRecord', {
  incident_id: Id,
  began_at: Instant,
  acknowledged: described(Care, 'Null unless an operator has seen to it.'),
  silenced: described(Silence, 'Null unless it is silenced now: it is not counted, and nothing is sent about it.'),
})
export type IncidentRecord = Static<typeof IncidentRecord>

const subject = {
  kind: oneOf(INCIDENT_KINDS),
  id: described(nullable(Id), 'Of the tunnel or the relay rule; null of anything else.'),
  name: described(
    Text,
    'Of a network its title, of a disk its mount point, of a certificate the names in it; "" of the helper and of backups.',
  ),
}
const effects = {
  affected: described(list(strict({ route_rule_id: Id, title: Text })), 'Relay rules that it takes down, ten at most.'),
  affected_routes: Count,
  affected_connections: described(nullable(Count), 'Open connections of those rules; null where that is not known.'),
}
const State = oneOf(['down', 'degraded'])

/** Something that is not as the operator wants it, with what it takes down. */
export const Incident = shape('Incident', {
  ...subject,
  state: State,
  since: described(nullable(Instant), 'When the panel first found it in this state.'),
  ...sentence('reason'),
  remedies: described(list(Remedy), 'What takes it away, as far as the panel knows; each is needed.'),
  can_reapply: described(Flag, 'Whether a reapply mends it: the host differs from what is stored.'),
  ...effects,
  record: described(nullable(IncidentRecord), 'Null for the moment until it is stored.'),
})
export type Incident = Static<typeof Incident>

export const AttentionAnswer = shape('Attention', {
  incidents: described(list(Incident), 'Those that are down first, then the latest first.'),
  total: described(Count, 'Without those that are silenced.'),
  silenced: Count,
  checked_at: described(nullable(Instant), 'When the host was last compared with what is stored; null: not yet.'),
  known: described(Count, 'Enabled tunnels and relay rules whose state is known, whatever it is.'),
  unmeasured: described(strict({ tunnels: Count, rules: Count }), 'Enabled ones whose state is not known yet.'),
  unmonitored: described(Count, 'Enabled tunnels that are not to be watched.'),
  proof: described(
    strict({
      carrying: Count,
      proven: Count,
      one_way: Count,
      unproven: Count,
      oldest: nullable(Instant),
    }),
    'Enabled relay rules by what proves that they relay; "oldest": when the one was proven that was so longest ago.',
  ),
})
export type AttentionAnswer = Static<typeof AttentionAnswer>

/** An incident as it is stored, over or not. */
export const StoredIncident = shape('StoredIncident', {
  ...subject,
  ...IncidentRecord.properties,
  state: described(State, 'The worst that it was in.'),
  ended_at: described(nullable(Instant), 'Null while it lasts.'),
  duration_seconds: described(Amount, 'How long it lasted, or has lasted so far.'),
  ...sentence('reason'),
  ...effects,
})
export type StoredIncident = Static<typeof StoredIncident>

export const ListIncidentsAnswer = shape('Incidents', {
  incidents: described(list(StoredIncident), 'Those that last first, then the latest first.'),
  total: Count,
  limit: Count,
  offset: Count,
})
export type ListIncidentsAnswer = Static<typeof ListIncidentsAnswer>

/** A change on the host, as the kernel reported it; those of the panel are among them. */
export const HostChange = strict({
  at: Instant,
  subject: oneOf(['link', 'address', 'route', 'setting', 'ruleset']),
  interface_name: Text,
  is_removal: Flag,
  by: described(nullable(Text), 'The programs that did it, if that is known.'),
})
export type HostChange = Static<typeof HostChange>

export const IncidentAnswer = shape('IncidentDetail', {
  ...StoredIncident.properties,
  host_changes: described(list(HostChange), 'Changes on the host in the ten minutes before it was found, 50 at most.'),
})
export type IncidentAnswer = Static<typeof IncidentAnswer>

export const AcknowledgeBody = shape('AcknowledgeBody', {
  acknowledged: maybe(flag('acknowledged', 'False: take it back. Default true.')),
})
export type AcknowledgeBody = Static<typeof AcknowledgeBody>

export const SILENCE_MAX_DAYS = 30

export const SilenceBody = shape('SilenceBody', {
  until: nullable(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
      ...refusedWith(
        'INVALID_VALUE',
        message('panel.instant', { field: 'until' }),
        `When it is counted and reported again, ${SILENCE_MAX_DAYS} days from now at the latest. Null: now.`,
      ),
    }),
  ),
})
export type SilenceBody = Static<typeof SilenceBody>

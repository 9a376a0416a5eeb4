// What a client may say and is answered about IP forwarding (reference.md, system/forwarding; decisions.md, F27 to
// F29).
import { CONNTRACK_MAX_MOST } from '../forwarding/model.ts'
import { nullable, strict, type Static } from '../schema.ts'
import { MessageView, sentence, Warning } from './base/errors.ts'
import { flag, maybe, orNull, ranged } from './base/fields.ts'
import { Amount, Count, Flag, list, mapOf, oneOf, Sentence, shape, Text, described } from './base/shapes.ts'
import { RuleBackendView } from './system.ts'

export const ForwardingBody = shape('ForwardingBody', {
  connections: maybe(
    flag(
      'connections',
      'Instead of forwarding: have the kernel count the bytes and the age of each connection that begins from now on (nf_conntrack_acct, nf_conntrack_timestamp). Default false.',
    ),
  ),
  conntrack_max: maybe(
    orNull(
      ranged(
        'integer',
        1,
        CONNTRACK_MAX_MOST,
        'INVALID_VALUE',
        'conntrack_max',
        'Instead of forwarding: how many connections the kernel tracks at most (nf_conntrack_max), now and at boot; no fewer than before the panel, and no more than this server has room for. Null puts back what was set before the panel. Left out: nothing changes.',
      ),
    ),
  ),
  revert: maybe(
    flag(
      'revert',
      'Put back what was set before the panel turned it on; all of it, with its file, unless connections says of what. Default false.',
    ),
  ),
})
export type ForwardingBody = Static<typeof ForwardingBody>

export const ForwardingView = shape('Forwarding', {
  ipv4_forwarding: Flag,
  ipv6_forwarding: Flag,
  connection_accounting: described(Flag, 'Whether the kernel counts the bytes of each connection (nf_conntrack_acct).'),
  connection_timestamps: described(Flag, 'Whether it keeps the age of each connection (nf_conntrack_timestamp).'),
  backend: Text,
  sysctl_path: Sentence,
  panel_managed: Flag,
  previous_values: described(
    mapOf(Count),
    'What the panel has set was so before it first did, by sysctl names: 0 or 1, and a number for nf_conntrack_max; {} where it never did.',
  ),
  can_revert: Flag,
  conntrack_count: described(nullable(Count), 'Null where the kernel does not track connections.'),
  conntrack_max: nullable(Count),
  conntrack_max_set: described(
    nullable(Count),
    'The conntrack_max that the panel has set; null where it has set none. Another one is in force where another program has changed it (CONNTRACK_MAX_CHANGED).',
  ),
  conntrack_max_doubled: described(
    nullable(Count),
    'The conntrack_max to send for twice the room, or for what is left of it; null where it cannot be raised here.',
  ),
  conntrack_usage_percent: nullable(Amount),
  namespace: Text,
})
export type ForwardingView = Static<typeof ForwardingView>

const ForeignRule = strict({
  table: Text,
  chain: Text,
  text: Text,
  protocol: Text,
  address: Text,
  port: nullable(Count),
  port_end: nullable(Count),
  manager: Text,
})

export const ForeignView = shape(
  'ForeignRules',
  { readable: Flag, managers: list(Text), rules: list(ForeignRule), total: Count, ...sentence('detail') },
  'Rules of other software that bear on relayed packets.',
)
export type ForeignView = Static<typeof ForeignView>

export const ForwardingAnswer = shape('ForwardingState', {
  forwarding: ForwardingView,
  foreign: ForeignView,
  backend: RuleBackendView,
  warnings: list(Warning),
})
export type ForwardingAnswer = Static<typeof ForwardingAnswer>

export const ForwardingChangeAnswer = shape('ForwardingChanged', {
  action: oneOf(['enable', 'revert']),
  forwarding: ForwardingView,
  warnings: list(Warning),
  note: Sentence,
  note_message: MessageView,
})
export type ForwardingChangeAnswer = Static<typeof ForwardingChangeAnswer>

// What a client may say and is answered about IP forwarding (reference.md, system/forwarding; decisions.md, F27 to
// F29).
import { nullable, strict, Type, type Static } from '../schema.ts'
import { MessageView, sentence, Warning } from './base/errors.ts'
import { flag, maybe } from './base/fields.ts'
import { Amount, Count, Flag, list, mapOf, oneOf, Sentence, shape, Text, described } from './base/shapes.ts'
import { RuleBackendView } from './system.ts'

export const ForwardingBody = shape('ForwardingBody', {
  connections: maybe(
    flag(
      'connections',
      'Instead of forwarding: have the kernel count the bytes and the age of each connection that begins from now on (nf_conntrack_acct, nf_conntrack_timestamp). Default false.',
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
    mapOf(Type.Unsafe<0 | 1>({ type: 'integer', enum: [0, 1] })),
    'What the switches were before the panel first turned them on, by their sysctl names; {} where it never did.',
  ),
  can_revert: Flag,
  conntrack_count: described(nullable(Count), 'Null where the kernel does not track connections.'),
  conntrack_max: nullable(Count),
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

// What the API answers about the connections that a rule relays (reference.md, GET /routes/{id}/connections;
// decisions.md, F22).
import { nullable, Type, type Static } from '../../schema.ts'
import { RelayConnection } from '../../ruleset/connection.ts'
import { sentence, Warning } from '../base/errors.ts'
import { Amount, Count, Flag, Id, Instant, list, mapOf, oneOf, shape, described } from '../base/shapes.ts'

export const ConnectionsAnswer = shape('Connections', {
  route_rule_id: Id,
  reader: oneOf(['netlink']),
  available: described(Flag, 'False: the table cannot be read, which is not the same as no users; total is then null.'),
  bytes_counted: described(Flag, 'False: the kernel counts none (nf_conntrack_acct is 0).'),
  ...sentence('detail'),
  connections: described(
    list(Type.Omit(RelayConnection, ['route_rule_id'], { additionalProperties: false })),
    'At most the requested number of those that are open; total and by_source count all that are.',
  ),
  total: nullable(Count),
  by_source: mapOf(Count),
  new_per_second: described(
    nullable(Amount),
    'Between the last two looks that the panel took by itself; null where there are none.',
  ),
  warnings: list(Warning),
  checked_at: Instant,
})
export type ConnectionsAnswer = Static<typeof ConnectionsAnswer>

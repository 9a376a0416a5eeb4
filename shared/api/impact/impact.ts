// What a change would do to what goes on on the host now (reference.md, Impact; decisions.md, I1-I5).
import { nullable, strict, Type, type Static } from '../../schema.ts'
import { MONITOR_STATES } from '../base/lookups.ts'
import { MessageView, sentence, Warning } from '../base/errors.ts'
import {
  Anything,
  Count,
  Flag,
  Id,
  Instant,
  list,
  oneOf,
  Sentence,
  shape,
  Text,
  described,
  wordIn,
} from '../base/shapes.ts'
import { StepView } from '../base/step.ts'

/** The fates, from the mildest on. */
export const FATES = ['survive', 'frozen', 'at_risk', 'end'] as const
export type Fate = (typeof FATES)[number]
const Fate = described(
  oneOf(FATES),
  'Of connections that are open: frozen go on once the cause is gone, at_risk end where the destination speaks first.',
)

/** The interruptions, from the mildest on. */
export const INTERRUPTIONS = ['none', 'new_only', 'brief', 'lasting'] as const
export type Interruption = (typeof INTERRUPTIONS)[number]

export const RULE_CAUSES = ['changed', 'relays_over', 'forwarding', 'overtaken', 'set_free'] as const
export const TUNNEL_CAUSES = ['changed', 'underlay_through'] as const
export const OWN_ACCESS_CAUSES = ['none', 'through_tunnel', 'route_goes', 'route_captured'] as const

const Connections = strict({
  is_known: Flag,
  ...sentence('detail', 'Why they are not known, or how they were counted.'),
  total: described(nullable(Count), 'Of the rules that are affected. Null here and below: not known, never none.'),
  survive: nullable(Count),
  at_risk: described(nullable(Count), 'Those that are frozen are among them.'),
  end: nullable(Count),
  checked_at: Instant,
  top_sources: described(
    nullable(list(strict({ source_address: Text, connections: Count }), { maxItems: 10 })),
    'The ten with the most connections; null where the request did not ask for them, or where they are not known.',
  ),
  others: described(
    nullable(strict({ is_known: Flag, ...sentence('detail'), total: nullable(Count) })),
    'Connections that no rule owns with an end behind the tunnels that are interrupted, the local addresses among them; null where the request did not ask for them.',
  ),
})

export const ImpactRule = strict({
  route_rule_id: Id,
  title: Text,
  is_enabled: Flag,
  why: described(
    oneOf(RULE_CAUSES),
    'overtaken: a rule that is changed gets connections that were this one’s. set_free: the other way round.',
  ),
  fate: Fate,
  connections: nullable(Count),
})
export type ImpactRule = Static<typeof ImpactRule>

export const Impact = shape('Impact', {
  summary: Sentence,
  summary_message: MessageView,
  interruption: described(
    oneOf(INTERRUPTIONS),
    'new_only: open connections go on, and new ones are treated as the change says.',
  ),
  interruption_ms: described(
    nullable(strict({ typical: Count, worst: Count, of: Count })),
    'How long the last changes of this kind took on this host; null before there is one, and where nothing is interrupted.',
  ),
  connections: Connections,
  rules: list(ImpactRule),
  tunnels: list(
    strict({
      tunnel_id: Id,
      interface_name: Text,
      state: described(wordIn(MONITOR_STATES), 'As the monitor judges it now.'),
      why: oneOf(TUNNEL_CAUSES),
      fate: Fate,
    }),
  ),
  addresses: strict({ come: list(Text), go: list(Text) }),
  routes: described(
    nullable(
      list(
        strict({
          destination: Text,
          gateway: Text,
          device: Text,
          protocol: Text,
          table: Count,
          fate: oneOf(['comes_back', 'lost']),
        }),
      ),
    ),
    'Routes that the kernel drops with the link; those of others come back only where they are carried over.',
  ),
  own_access: strict({
    is_affected: Flag,
    is_known: Flag,
    how: described(
      oneOf(OWN_ACCESS_CAUSES),
      'route_goes: the tunnel stays, and nobody puts the route back by which the client is answered.',
    ),
    client_ip: Text,
    ...sentence('detail'),
  }),
})
export type Impact = Static<typeof Impact>

const Foreseeable = strict({
  method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { description: 'Of the request that is foreseen.' }),
  path: Type.String({ maxLength: 200, description: 'Its path below /api/v1, such as /tunnels/3.' }),
  body: Type.Optional(described(Anything, 'Its body.')),
})
export type Foreseeable = Static<typeof Foreseeable>

export const FORESEEN_TOGETHER_MAX = 1000
export const ImpactBody = shape('ImpactBody', {
  ...Foreseeable.properties,
  also: Type.Optional(
    described(
      Type.Array(Foreseeable, { maxItems: FORESEEN_TOGETHER_MAX - 1 }),
      'Requests that are sent after it: the answer covers all of them together, and none waits for another.',
    ),
  ),
  with_sources: Type.Optional(
    described(
      Type.Boolean(),
      'Also count the connections by their sources, and those that no rule owns, which reads the whole connection table.',
    ),
  ),
})
export type ImpactBody = Static<typeof ImpactBody>

export const ImpactAnswer = shape('ForeseenChange', {
  plan: described(
    strict({ steps: list(StepView), rollback: list(StepView) }),
    'What root would do, in its order, and what would take it back.',
  ),
  impact: Impact,
  warnings: list(Warning),
})
export type ImpactAnswer = Static<typeof ImpactAnswer>

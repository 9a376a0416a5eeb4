// What the API answers about relay rules, for the web daemon that says it and the page that shows it (reference.md,
// Forwarding rules; decisions.md, F1 to F29, S7, R29).
import { nullable, strict, Type, type Static } from '../../schema.ts'
import { MessageView, sentence, Warning } from '../base/errors.ts'
import { answerProperties } from '../base/field-list.ts'
import { Count, Flag, Id, list, Never, oneOf, Sentence, shape, Text, described } from '../base/shapes.ts'
import { StepView } from '../base/step.ts'
import { NetworkPathView } from '../networks/answers.ts'
import { CheckView } from '../tunnels/answers.ts'
import { Impact } from '../impact/impact.ts'
import { SHOWN_STATES } from './check.ts'
import { AllowedSourceView } from './allowed-sources.ts'
import { CreateRouteBody } from './bodies.ts'
import { Severity } from '../base/severity.ts'
import { Cause, Proof, Remedy } from './causes.ts'
import { DestinationView } from './destinations.ts'
import { FastPathView } from './fast-path-fields.ts'
import { ROUTE_FIELDS } from './fields.ts'
import { TrafficView } from './traffic.ts'

export const RouteView = shape('Route', answerProperties(ROUTE_FIELDS))
export type RouteView = Static<typeof RouteView>

export const ROUTE_HEALTH_STATES = ['healthy', 'disabled', 'pending', 'impaired', 'failed', 'inconsistent'] as const
const HealthState = oneOf(ROUTE_HEALTH_STATES)
export type RouteHealthState = Static<typeof HealthState>

const TunnelOnPath = strict({
  tunnel_id: Id,
  interface_name: Text,
  display_name: Text,
  is_known: described(Flag, 'False: nobody could look, and the other fields say nothing.'),
  is_up: Flag,
  oper_state: Text,
})
export type TunnelOnPath = Static<typeof TunnelOnPath>

/** A pattern, since an address is part of it. */
const CarriedOutAs = described(
  nullable(Type.String({ pattern: '^(masquerade|snat [0-9a-f.:]{2,39})$' })),
  'What the kernel makes of masquerade on the path that the packets take now: "snat" with the address of the tunnel that they leave by, or "masquerade". Null: the rule does not masquerade or is not in force, or nobody knows.',
)

export const RouteHealthView = shape('RouteHealth', {
  state: HealthState,
  severity: Severity,
  proof: Proof,
  detail: Text,
  detail_message: MessageView,
  causes: described(list(Cause), 'Why it does not relay, or may not, in the order in which a packet meets them.'),
  route_rule_id: Id,
  installed: described(nullable(Flag), 'Null: the rules of the kernel cannot be read.'),
  tunnel: described(
    nullable(TunnelOnPath),
    'The one that its packets go over; of several one that is down. Null: none, or one that no longer exists.',
  ),
  destinations: described(
    list(
      strict({
        address: Text,
        port: Count,
        tunnel: nullable(TunnelOnPath),
        network: described(
          nullable(strict({ network_id: Id, network_title: Sentence, paths: list(NetworkPathView) })),
          'The network behind tunnels that it lies in, with each of its paths; null: none that is enabled.',
        ),
        takes_connections: Flag,
        state: oneOf(SHOWN_STATES),
        carried_out_as: CarriedOutAs,
      }),
    ),
    'Those that are enabled, each with the tunnel that its packets go over (null: none that is known), and whether new connections go to it.',
  ),
  carried_out_as: described(CarriedOutAs, 'The same for all destinations in force; null also where they differ.'),
  fast_path: FastPathView,
})
export type RouteHealthView = Static<typeof RouteHealthView>

/** How a rule is, as the panel noticed it; null is a rule that was not there, or is not any more. */
export const RouteHealthEvent = shape('RouteHealthChange', {
  route_rule_id: Id,
  title: Text,
  from: nullable(HealthState),
  to: nullable(HealthState),
  severity: described(nullable(Severity), 'How bad it is now; null of a rule that is not there any more.'),
  detail: Text,
  detail_message: MessageView,
})
export type RouteHealthEvent = Static<typeof RouteHealthEvent>

export const RouteItem = shape('RouteItem', { ...TrafficView.properties, route: RouteView, health: RouteHealthView })
export type RouteItem = Static<typeof RouteItem>

export const RouteAnswer = shape('RouteAnswer', {
  ...RouteItem.properties,
  shadowed_by: described(
    list(strict({ route_rule_id: Id, title: Text })),
    'Earlier rules that match all connections of this one.',
  ),
})
export type RouteAnswer = Static<typeof RouteAnswer>

export const ListRoutesAnswer = shape('Routes', {
  routes: list(RouteItem),
  total: Count,
  limit: Count,
  offset: Count,
  ...sentence('note'),
})
export type ListRoutesAnswer = Static<typeof ListRoutesAnswer>

export const PathAnswer = shape('PathTo', {
  address: Text,
  tunnel_id: described(nullable(Id), 'Null: none that is known.'),
  interface_name: nullable(Text),
  far_end: described(
    list(Remedy),
    'What has the server at the far end answer clients themselves that come to the address; [] without a tunnel.',
  ),
})
export type PathAnswer = Static<typeof PathAnswer>

export const RoutePlanView = shape('RoutePlan', {
  operation: oneOf(['none', 'create', 'update', 'delete']),
  route_rule_id: nullable(Id),
  affected_route_rule_ids: described(
    list(Id),
    'The rules that the change concerns; a rule that does not exist yet has no id and is not among them.',
  ),
  steps: list(StepView),
  rollback: list(StepView),
  files: list(strict({ kind: Text, path: Text, content: Text })),
  verification: list(strict({ name: Text, expected: Text })),
  requires_recreate: Never,
  recreate_reasons: list(Text),
  recreate_messages: list(MessageView),
  warnings: list(Warning),
  causes: described(
    list(Cause),
    'Why the rule will not relay once the change is in force, or may not, in the order in which a packet meets them; none of a rule that is disabled or deleted.',
  ),
})
export type RoutePlanView = Static<typeof RoutePlanView>

export const RouteVerificationView = shape('RouteVerification', {
  ok: Flag,
  checks: list(CheckView),
  failures: list(CheckView),
  backend: Text,
  rule_count: described(nullable(Count), 'The rules that the kernel holds now; null where it could not be asked.'),
})
export type RouteVerificationView = Static<typeof RouteVerificationView>

export const ChangeRouteAnswer = shape('RouteChanged', {
  route: RouteView,
  plan: RoutePlanView,
  verification: RouteVerificationView,
  warnings: list(Warning),
})
export type ChangeRouteAnswer = Static<typeof ChangeRouteAnswer>

const connections_dropped = described(
  nullable(Count),
  'Null: it was not requested, or it failed, which a warning reports.',
)

export const UpdateRouteAnswer = shape('RouteUpdated', { ...ChangeRouteAnswer.properties, connections_dropped })
export type UpdateRouteAnswer = Static<typeof UpdateRouteAnswer>

export const RouteActionAnswer = shape('RouteAction', {
  ...UpdateRouteAnswer.properties,
  action: oneOf(['enable', 'disable', 'reapply']),
})
export type RouteActionAnswer = Static<typeof RouteActionAnswer>

export const PreviewRouteAnswer = shape('RoutePreview', {
  payload: Text,
  rule_text: described(
    Text,
    'What this rule alone adds to the table, as if it were the only one; "" where it is disabled.',
  ),
  present_text: described(
    Text,
    'The same of the rule as it is stored now; "" where it is disabled, or there is none yet.',
  ),
  plan: RoutePlanView,
  impact: Impact,
  resolved: described(
    CreateRouteBody,
    'The request with everything decided; posted to /routes, or patched onto the rule, it makes exactly what the payload shows.',
  ),
  warnings: list(Warning),
  ...sentence('note'),
})
export type PreviewRouteAnswer = Static<typeof PreviewRouteAnswer>

export const DeleteRouteAnswer = shape('RouteDeleted', {
  route_rule_id: Id,
  title: Text,
  plan: RoutePlanView,
  verification: RouteVerificationView,
  connections_dropped,
  forwarding_can_be_reverted: Flag,
  warnings: list(Warning),
  ...sentence('note'),
})
export type DeleteRouteAnswer = Static<typeof DeleteRouteAnswer>

export const DuplicateRouteAnswer = shape('RouteDuplicated', { route: RouteView, ...sentence('note') })
export type DuplicateRouteAnswer = Static<typeof DuplicateRouteAnswer>

export const ReorderAnswer = shape('RoutesReordered', {
  action: oneOf(['reorder']),
  routes: list(RouteView),
  ...sentence('note'),
})
export type ReorderAnswer = Static<typeof ReorderAnswer>

export const ApplyAllAnswer = shape('RoutesApplied', {
  action: oneOf(['apply_all']),
  rules_applied: Count,
  verification: RouteVerificationView,
  ...sentence('note'),
})
export type ApplyAllAnswer = Static<typeof ApplyAllAnswer>

export const DestinationsAnswer = shape('Destinations', { destinations: list(DestinationView), total: Count })
export type DestinationsAnswer = Static<typeof DestinationsAnswer>

export const AllowedSourcesAnswer = shape('AllowedSources', {
  allowed_sources: list(AllowedSourceView),
  total: Count,
  ...sentence('note'),
})
export type AllowedSourcesAnswer = Static<typeof AllowedSourcesAnswer>

export const ChangeDestinationsAnswer = shape('DestinationsChanged', {
  ...UpdateRouteAnswer.properties,
  ...DestinationsAnswer.properties,
})
export type ChangeDestinationsAnswer = Static<typeof ChangeDestinationsAnswer>

export const ChangeAllowedSourcesAnswer = shape('AllowedSourcesChanged', {
  ...UpdateRouteAnswer.properties,
  ...AllowedSourcesAnswer.properties,
})
export type ChangeAllowedSourcesAnswer = Static<typeof ChangeAllowedSourcesAnswer>

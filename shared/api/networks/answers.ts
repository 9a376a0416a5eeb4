// What the API answers about networks behind tunnels, for the web daemon and the page (reference.md, Networks;
// decisions.md, T33 to T36).
import { nullable, strict, type Static } from '../../schema.ts'
import { MessageView, sentence, Warning } from '../base/errors.ts'
import { answerProperties } from '../base/field-list.ts'
import { Count, described, Flag, Id, Instant, list, oneOf, Sentence, shape, Text } from '../base/shapes.ts'
import { Severity } from '../base/severity.ts'
import { StepView } from '../base/step.ts'
import { Impact } from '../impact/impact.ts'
import { CheckView } from '../tunnels/answers.ts'
import { CreateNetworkBody } from './bodies.ts'
import { NETWORK_FIELDS, NetworkPathRecord } from './fields.ts'

/** `carries`: gets packets. `standby`: does if every path that is preferred is out. `out`: gets none. */
export const NETWORK_PATH_STATES = ['carries', 'standby', 'out'] as const
export type NetworkPathState = (typeof NETWORK_PATH_STATES)[number]

export const NetworkPathView = shape('NetworkPath', {
  ...NetworkPathRecord.properties,
  interface_name: Text,
  display_name: described(Text, 'Of the tunnel; "" where it has none.'),
  state: described(oneOf(NETWORK_PATH_STATES), 'Whether it carries; of a network that is disabled, whether it would.'),
  ...sentence('reason', 'Why it is so.'),
  since: described(
    nullable(Instant),
    'When it was taken out, by hand or by the monitor; null where nothing says since when it is so.',
  ),
})
export type NetworkPathView = Static<typeof NetworkPathView>

/** The route as the kernel holds it. */
export const KernelRouteView = shape('KernelRoute', {
  metric: Count,
  source_address: nullable(Text),
  paths: described(list(strict({ interface_name: Text, weight: Count })), 'Those that carry.'),
})
export type KernelRouteView = Static<typeof KernelRouteView>

export const LACK_KINDS = ['network', 'route', 'path', 'address', 'answers'] as const
export const LackView = shape('NetworkLack', {
  kind: described(
    oneOf(LACK_KINDS),
    'network: root keeps nothing under the destination. route: the kernel holds another route, or none. path: a path that should carry does not. address: an own address is missing. answers: what comes in by the paths for own addresses does not certainly go back by them.',
  ),
  name: described(Text, 'The interface of a path, or the address; else "".'),
  ...sentence('detail'),
})
export type LackView = Static<typeof LackView>

export const NetworkView = shape('Network', {
  ...answerProperties(NETWORK_FIELDS),
  paths: list(NetworkPathView),
  severity: described(
    Severity,
    'How much of it works. down: nothing reaches it, since the kernel has no route of it, or no path can carry. degraded: it is not held as it is stored. unknown: root cannot say. ok: neither, or it is disabled.',
  ),
  is_known: described(
    Flag,
    'False while the root helper is away: what the host holds is not known then, and detail says why.',
  ),
  detail: Text,
  detail_message: MessageView,
  kernel_route: described(
    nullable(KernelRouteView),
    'As read back; null where the kernel holds none, or it is not known.',
  ),
  lacks: described(list(LackView), 'What of it the host does not hold; [] of a network that is disabled.'),
})
export type NetworkView = Static<typeof NetworkView>

export const ListNetworksAnswer = shape('Networks', {
  networks: list(NetworkView),
  total: Count,
  limit: Count,
  offset: Count,
})
export type ListNetworksAnswer = Static<typeof ListNetworksAnswer>

export const NetworkPlanView = shape('NetworkPlan', {
  operation: oneOf(['none', 'create', 'update', 'delete']),
  network_id: nullable(Id),
  destinations: described(list(Text), 'The destinations that the change concerns.'),
  steps: list(StepView),
  rollback: described(list(StepView), 'What would be done if a step or a check fails after all steps were taken.'),
  verification: described(
    list(strict({ name: Text, expected: Text })),
    'What is read back afterwards, and what it must be.',
  ),
  warnings: list(Warning),
})
export type NetworkPlanView = Static<typeof NetworkPlanView>

export const NetworkVerificationView = shape('NetworkVerification', {
  ok: Flag,
  checks: list(CheckView),
  failures: list(CheckView),
})
export type NetworkVerificationView = Static<typeof NetworkVerificationView>

export const ChangeNetworkAnswer = shape('NetworkChanged', {
  network: NetworkView,
  plan: NetworkPlanView,
  verification: NetworkVerificationView,
  warnings: list(Warning),
})
export type ChangeNetworkAnswer = Static<typeof ChangeNetworkAnswer>

export const NetworkActionAnswer = shape('NetworkAction', {
  ...ChangeNetworkAnswer.properties,
  action: oneOf(['take_out', 'put_back']),
})
export type NetworkActionAnswer = Static<typeof NetworkActionAnswer>

export const PreviewNetworkAnswer = shape('NetworkPreview', {
  plan: NetworkPlanView,
  paths: described(list(NetworkPathView), 'The paths as they would be, and which of them would carry.'),
  impact: Impact,
  resolved: described(
    CreateNetworkBody,
    'The request with everything decided; posted to /networks, or patched onto the network, it makes exactly what the plan shows.',
  ),
  warnings: list(Warning),
})
export type PreviewNetworkAnswer = Static<typeof PreviewNetworkAnswer>

export const DeleteNetworkAnswer = shape('NetworkDeleted', {
  network_id: Id,
  network_title: Sentence,
  plan: NetworkPlanView,
  verification: NetworkVerificationView,
  warnings: list(Warning),
})
export type DeleteNetworkAnswer = Static<typeof DeleteNetworkAnswer>

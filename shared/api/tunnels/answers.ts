// What the API answers about tunnels, for the web daemon that says it and the page that shows it (reference.md,
// Tunnels; decisions.md, R1-R3, R13, R17-R23).
import { nullable, strict, type Static } from '../../schema.ts'
import { FILE_KINDS } from '../../tunnel/model.ts'
import { DependentNetwork } from './dependent-networks.ts'
import { DependentRoute } from './dependent-routes.ts'
import { MessageView, sentence, Warning } from '../base/errors.ts'
import { answerProperties } from '../base/field-list.ts'
import { StepView } from '../base/step.ts'
import { Count, Flag, Id, list, oneOf, shape, Text, described, Whole } from '../base/shapes.ts'
import { Impact } from '../impact/impact.ts'
import { AddressView } from './addresses.ts'
import { CreateTunnelBody } from './bodies.ts'
import { TUNNEL_FIELDS } from './fields.ts'

/** The live side of a tunnel, never mixed with what is stored. Numbers are null and texts "" where there is no link. */
export const ObservedView = shape('TunnelObserved', {
  exists: Flag,
  is_known: described(
    Flag,
    'False while the root helper is away: nothing is known then, exists is false, and detail says why.',
  ),
  detail: Text,
  detail_message: MessageView,
  oper_state: Text,
  kind: Text,
  index: nullable(Id),
  mtu: nullable(Count),
  is_up: Flag,
  is_lower_up: Flag,
  flags: list(Text),
  local_endpoint: Text,
  remote_endpoint: Text,
  addresses: list(Text),
})
export type ObservedView = Static<typeof ObservedView>

export const TunnelView = shape('Tunnel', { ...answerProperties(TUNNEL_FIELDS), observed: ObservedView })
export type TunnelView = Static<typeof TunnelView>

export const PlanView = shape('TunnelPlan', {
  operation: Text,
  interface: Text,
  tunnel_id: nullable(Id),
  steps: list(StepView),
  rollback: described(list(StepView), 'What would be done if a step or a check fails after all steps were taken.'),
  files: list(strict({ kind: oneOf(FILE_KINDS), path: Text, content: Text })),
  verification: described(
    list(strict({ name: Text, expected: Text })),
    'What is read back afterwards, and what it must be.',
  ),
  requires_recreate: Flag,
  recreate_reasons: list(Text),
  recreate_messages: described(list(MessageView), 'The same as recreate_reasons, for another language.'),
  warnings: list(Warning),
})
export type PlanView = Static<typeof PlanView>

export const CheckView = shape('Check', {
  name: Text,
  ok: Flag,
  fatal: Flag,
  skipped: Flag,
  expected: Text,
  actual: Text,
  ...sentence('detail'),
})
export type CheckView = Static<typeof CheckView>

export const VerificationView = shape('TunnelVerification', {
  ok: Flag,
  checks: list(CheckView),
  failures: list(CheckView),
  oper_state: Text,
})
export type VerificationView = Static<typeof VerificationView>

export const MtuAdvice = shape('MtuAdvice', {
  requested: nullable(Count),
  overhead: Count,
  underlay_mtu: nullable(Count),
  underlay_device: nullable(Text),
  recommended: Count,
  matches: Flag,
  breakdown: list(strict({ name: Text, bytes: Whole })),
})
export type MtuAdvice = Static<typeof MtuAdvice>

export const CreateTunnelAnswer = shape('TunnelChanged', {
  tunnel: TunnelView,
  plan: PlanView,
  verification: VerificationView,
  warnings: list(Warning),
})
export type CreateTunnelAnswer = Static<typeof CreateTunnelAnswer>

export const UpdateTunnelAnswer = CreateTunnelAnswer
export type UpdateTunnelAnswer = CreateTunnelAnswer

export const TunnelActionAnswer = shape('TunnelAction', {
  ...CreateTunnelAnswer.properties,
  action: oneOf(['up', 'down', 'restart', 'reapply']),
})
export type TunnelActionAnswer = Static<typeof TunnelActionAnswer>

export const AddressesAnswer = shape('TunnelAddresses', {
  addresses: list(AddressView),
  observed: described(list(Text), 'What the link shows, link-local addresses included; empty where nothing is known.'),
})
export type AddressesAnswer = Static<typeof AddressesAnswer>

export const ChangeAddressesAnswer = shape('TunnelAddressesChanged', {
  ...UpdateTunnelAnswer.properties,
  ...AddressesAnswer.properties,
})
export type ChangeAddressesAnswer = Static<typeof ChangeAddressesAnswer>

export const PreviewTunnelAnswer = shape('TunnelPreview', {
  plan: PlanView,
  impact: Impact,
  mtu: MtuAdvice,
  resolved: described(
    CreateTunnelBody,
    'The request with everything decided; posted to /tunnels it makes exactly what the plan shows.',
  ),
  warnings: list(Warning),
})
export type PreviewTunnelAnswer = Static<typeof PreviewTunnelAnswer>

export const ListTunnelsAnswer = shape('Tunnels', {
  tunnels: list(TunnelView),
  total: Count,
  limit: Count,
  offset: Count,
})
export type ListTunnelsAnswer = Static<typeof ListTunnelsAnswer>

export const DeleteTunnelAnswer = shape('TunnelDeleted', {
  tunnel_id: Id,
  interface: Text,
  interface_found: Flag,
  already_deleted: Flag,
  files_removed: list(Text),
  files_absent: list(Text),
  files_kept: described(
    list(Text),
    "Files in the place of the panel's own that it did not write, or that somebody edited since: left alone.",
  ),
  plan: PlanView,
  warnings: list(Warning),
  dependent_routes: described(
    list(DependentRoute),
    'The relay rules that used the tunnel: they stay, and their path is gone.',
  ),
  dependent_networks: described(
    list(DependentNetwork),
    'The networks that had the tunnel as a path: they stay, and go on over their other paths.',
  ),
})
export type DeleteTunnelAnswer = Static<typeof DeleteTunnelAnswer>

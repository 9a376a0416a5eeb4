// The half of a reconciliation that is about relay rules, as it is answered (reference.md, Reconcile; decisions.md, S8,
// S11).
import { nullable, strict, type Static } from '../../schema.ts'
import { MessageView, sentence } from '../base/errors.ts'
import { HealView } from '../base/heal.ts'
import { RECONCILE_STATUSES, type ReconcileStatus } from '../base/lookups.ts'
import { Count, Flag, Id, idIn, list, oneOf, shape, someCountsOf, Text, described, wordIn } from '../base/shapes.ts'

export const RouteFinding = shape('RouteFinding', {
  route_rule_id: Id,
  title: Text,
  status: wordIn(RECONCILE_STATUSES),
  reconcile_status_id: idIn(RECONCILE_STATUSES),
  ...sentence('detail'),
  actions: list(oneOf(['reapply', 'delete'])),
  expected_rules: Count,
  installed_rules: Count,
  diffs: list(strict({ field: Text, desired: Text, actual: Text })),
  heal: described(nullable(HealView), 'Null where the panel does not manage it.'),
  shadows: described(list(Id), 'Earlier rules that match all connections of this one.'),
  covered_by: described(list(Id), 'Rules that match all connections of this one where they come before it.'),
})
export type RouteFinding = Static<typeof RouteFinding>

/** Empty where the kernel's rules cannot be read, and `route_findings.detail` then says why. */
export const RouteFindings = strict({
  routes: list(RouteFinding),
  route_counts: someCountsOf(Object.keys(RECONCILE_STATUSES) as ReconcileStatus[]),
  route_findings: strict({
    backend: Text,
    readable: Flag,
    ...sentence('detail'),
    enabled_rules: Count,
    ip_forwarding_enabled: described(Flag, 'For each family that a rule in force needs; without rules, for any.'),
    ip_forwarding_expected: Flag,
    ip_forwarding_panel_managed: Flag,
    missing_jumps: list(Text),
    foreign_readable: Flag,
    foreign_managers: list(Text),
    foreign_shadows: list(Text),
    foreign_shadow_messages: list(MessageView),
    notes: list(Text),
    note_messages: list(MessageView),
  }),
})
export type RouteFindings = Static<typeof RouteFindings>

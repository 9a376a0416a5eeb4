// The half of a reconciliation that is about relay rules, as it is answered (interface.md, Reconcile; decisions.md, S8, S11).
import type { ReconcileStatus } from './lookups.ts'

/** `shadows` are the ids of rules that stand earlier and take all that this one listens for. */
export interface RouteFinding {
  route_rule_id: number
  title: string
  status: ReconcileStatus
  reconcile_status_id: number
  detail: string
  actions: ('reapply' | 'delete')[]
  expected_rules: number
  installed_rules: number
  diffs: { field: string; desired: string; actual: string }[]
  shadows: number[]
}

/** `routes` is empty where the kernel's rules cannot be read, and `detail` then says why. */
export interface RouteFindings {
  routes: RouteFinding[]
  route_counts: Partial<Record<ReconcileStatus, number>>
  route_findings: {
    backend: string
    readable: boolean
    detail: string
    enabled_rules: number
    /** For each family that a rule in force needs; without rules, for any. */
    ip_forwarding_enabled: boolean
    ip_forwarding_expected: boolean
    ip_forwarding_panel_managed: boolean
    missing_jumps: string[]
    foreign_readable: boolean
    foreign_managers: string[]
    foreign_shadows: string[]
    notes: string[]
  }
}

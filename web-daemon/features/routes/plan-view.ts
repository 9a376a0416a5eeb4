// A change of relay rules as the operator is shown it before and after (decisions.md, R17, F12, F13).
import type { RoutePlanView, RouteVerificationView } from '@panel/shared/api/routes/answers.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { CheckView, StepView } from '@panel/shared/api/tunnels/answers.ts'
import type { RelayRule, RulesetState } from '@panel/shared/ruleset/model.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'
import { checkRuleset } from '@panel/shared/ruleset/facts.ts'
import { changedIds, planRuleset, type RulesetStep } from '@panel/shared/ruleset/plan.ts'
import { portsOf, spelledEnd } from './ports.ts'

/** What is shown around the steps. */
interface Frame {
  /** Null in a preview: there is none yet. */
  readonly route_rule_id: number | null
  readonly warnings: readonly Warning[]
}

export function planView(change: Change<RulesetState>, { route_rule_id, warnings }: Frame): RoutePlanView {
  const stepsOf = ({ before, after }: Change<RulesetState>): StepView[] => planRuleset(before, after).map(stepView)
  const steps = stepsOf(change)
  const ids = changedIds(change)
  return {
    operation: steps.length === 0 ? 'none' : operationOf(change),
    route_rule_id,
    affected_route_rule_ids: route_rule_id === null ? [] : ids,
    steps,
    rollback: stepsOf(invert(change)),
    files: [],
    verification: checkRuleset(ids, change.after, change.after).map(({ name, expected }) => ({ name, expected })),
    requires_recreate: false,
    recreate_reasons: [],
    warnings: [...warnings],
  }
}

const operationOf = ({ before, after }: Change<RulesetState>): RoutePlanView['operation'] =>
  before && after ? 'update' : after ? 'create' : 'delete'

function stepView(step: RulesetStep): StepView {
  if (step.kind === 'counters_remove')
    return {
      kind: step.kind,
      description: `Read the counters of ${named(step.route_rule_ids)} for the last time and take them away.`,
    }
  const stays = new Set(step.after.map(({ route_rule_id }) => route_rule_id))
  const gone = step.before
    .filter(({ route_rule_id }) => !stays.has(route_rule_id))
    .map(({ route_rule_id }) => route_rule_id)
  const put =
    step.after.length === 1
      ? step.after.map(spelled)
      : step.after.length > 1
        ? [`put ${step.after.length} rules in force`]
        : []
  const words = [...put, ...(gone.length > 0 ? [`take ${named(gone)} out of force`] : [])].join(', and ')
  return { kind: step.kind, description: `In one transaction of the kernel: ${words}.` }
}

const named = (ids: readonly number[]): string => (ids.length === 1 ? `rule ${ids[0] ?? ''}` : `${ids.length} rules`)

function spelled({ protocol, bind_address, bind_port, bind_port_range_end, destinations }: RelayRule): string {
  const there = destinations
    .map(({ address, port, port_range_end }) => spelledEnd(address, portsOf(port, port_range_end)))
    .join(', ')
  return `relay ${protocol === 'both' ? 'TCP and UDP' : protocol.toUpperCase()} of ${spelledEnd(bind_address, portsOf(bind_port, bind_port_range_end))} to ${there}`
}

export function verificationView(
  checks: readonly Check[],
  { backend, rule_count }: Pick<RouteVerificationView, 'backend' | 'rule_count'>,
): RouteVerificationView {
  // Every check is fatal: one that fails has the whole change put back.
  const views: CheckView[] = checks.map(({ name, ok, expected, actual, detail }) => ({
    name,
    ok,
    fatal: true,
    skipped: false,
    expected,
    actual,
    detail,
  }))
  const failures = views.filter(({ ok }) => !ok)
  return { ok: failures.length === 0, checks: views, failures, backend, rule_count }
}

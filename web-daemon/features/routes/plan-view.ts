// A change of relay rules as the operator is shown it before and after (decisions.md, R17, F12, F13).
import type { RoutePlanView, RouteVerificationView } from '@panel/shared/api/routes/answers.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { Cause } from '@panel/shared/api/routes/causes.ts'
import type { StepView } from '@panel/shared/api/base/step.ts'
import type { CheckView } from '@panel/shared/api/tunnels/answers.ts'
import type { RelayRule, RulesetState } from '@panel/shared/ruleset/model.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import { checkMessage, type Check } from '@panel/shared/change/check.ts'
import { checkRuleset } from '@panel/shared/ruleset/facts.ts'
import { changedIds, planRuleset, type RulesetStep } from '@panel/shared/ruleset/plan.ts'
import { message, reference, messageFields, type Message } from '@panel/shared/messages/message.ts'
import { forwardingSteps, type ForwardingChange } from '../forwarding/plan-view.ts'
import { portsOf, spelledEnd } from './ports.ts'

/** What is shown around the steps. */
interface Frame {
  /** Null in a preview: there is none yet. */
  readonly route_rule_id: number | null
  readonly warnings: readonly Warning[]
  /** None of a rule that goes. */
  readonly causes?: readonly Cause[]
  /** What turns forwarding on once the rules are in force. */
  readonly switches?: readonly ForwardingChange[]
}

export function planView(
  change: Change<RulesetState>,
  { route_rule_id, warnings, causes = [], switches = [] }: Frame,
): RoutePlanView {
  const stepsOf = ({ before, after }: Change<RulesetState>): StepView[] => planRuleset(before, after).map(stepView)
  const steps = stepsOf(change)
  const forwarding = forwardingSteps(switches)
  const ids = changedIds(change)
  return {
    operation: steps.length === 0 ? 'none' : operationOf(change),
    route_rule_id,
    affected_route_rule_ids: route_rule_id === null ? [] : ids,
    steps: [...steps, ...forwarding.steps],
    rollback: [...forwarding.rollback, ...stepsOf(invert(change))],
    files: [],
    verification: checkRuleset(ids, change.after, change.after).map(({ name, expected }) => ({ name, expected })),
    requires_recreate: false,
    recreate_reasons: [],
    recreate_messages: [],
    warnings: [...warnings],
    causes: [...causes],
  }
}

const operationOf = ({ before, after }: Change<RulesetState>): RoutePlanView['operation'] =>
  before && after ? 'update' : after ? 'create' : 'delete'

function stepView(step: RulesetStep): StepView {
  const sentence = describe(step)
  return { kind: step.kind, description: sentence.message, ...reference(sentence) }
}

function describe(step: RulesetStep): Message {
  if (step.kind === 'counters_remove') return message('route.step_counters', { rules: named(step.route_rule_ids) })
  const stays = new Set(step.after.map(idOf))
  const gone = step.before.map(idOf).filter((id) => !stays.has(id))
  const put =
    step.after.length > 1 ? [message('route.step_put', { count: step.after.length })] : step.after.map(describeRule)
  const taken = gone.length > 0 ? [message('route.step_take', { rules: named(gone) })] : []
  const [first, second] = [...put, ...taken]
  return message('route.step', {
    work: first && second ? message('route.step_both', { first, second }) : (first ?? ''),
  })
}

const idOf = ({ route_rule_id }: RelayRule): number => route_rule_id

const named = (ids: readonly number[]): Message =>
  ids.length === 1
    ? message('route.rule_number', { route_rule_id: ids[0] ?? '' })
    : message('route.rule_count', { count: ids.length })

function describeRule(rule: RelayRule): Message {
  if (rule.is_closed) return message('route.step_close', { rules: named([rule.route_rule_id]) })
  const { protocol, bind_address, bind_port, bind_port_range_end } = rule
  return message('route.step_relay', {
    protocol: protocol === 'both' ? 'TCP and UDP' : protocol.toUpperCase(),
    listens: spelledEnd(bind_address, portsOf(bind_port, bind_port_range_end)),
    there: takersIn(rule)
      .map(({ address, port, port_range_end }) => spelledEnd(address, portsOf(port, port_range_end)))
      .join(', '),
  })
}

/** The destinations that get new connections: those in rotation, else the backups, else all. */
function takersIn({ destinations }: RelayRule): RelayRule['destinations'] {
  const those = (wanted: string) => destinations.filter(({ rotation }) => rotation === wanted)
  return [those('in'), those('standby')].find((some) => some.length > 0) ?? destinations
}

export function verificationView(
  checks: readonly Check[],
  { backend, rule_count }: Pick<RouteVerificationView, 'backend' | 'rule_count'>,
): RouteVerificationView {
  // Every check is fatal: one that fails has the whole change put back.
  const views: CheckView[] = checks.map((check) => ({
    name: check.name,
    ok: check.ok,
    fatal: true,
    skipped: false,
    expected: check.expected,
    actual: check.actual,
    ...messageFields('detail', checkMessage(check)),
  }))
  const failures = views.filter(({ ok }) => !ok)
  return { ok: failures.length === 0, checks: views, failures, backend, rule_count }
}

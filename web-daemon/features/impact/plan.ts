// The steps of a foreseen change as the operator is shown them, whatever nouns they are of.
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { StepView } from '@panel/shared/api/base/step.ts'
import { SYSCTL_KEYS, type ForwardingState } from '@panel/shared/forwarding/model.ts'
import { planForwarding, type ForwardingStep } from '@panel/shared/forwarding/plan.ts'
import type { Foreseen, HostChange } from '@panel/shared/impact/foreseen.ts'
import { message, reference, type Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { planView as rulePlan } from '../routes/plan-view.ts'
import { planView as tunnelPlan, type Folders } from '../tunnels/plan-view.ts'

type Plan = ImpactAnswer['plan']

export async function planOf({ request }: ReadContext, { changes }: Foreseen): Promise<Plan> {
  const hasTunnels = changes.some(({ noun }) => noun === 'tunnel')
  const { helper } = hasTunnels ? await request('host.probe', { parts: ['helper'] }) : {}
  const plans = changes.map((change) => planIn(change, helper ?? { unit_dir: '', networkd_dir: '' }))
  return {
    steps: plans.flatMap(({ steps }) => steps),
    rollback: [...plans].reverse().flatMap(({ rollback }) => rollback),
  }
}

function planIn(one: HostChange, folders: Folders): Plan {
  if (one.noun === 'forwarding') {
    const { before, after } = one.change
    return { steps: stepsBetween(before, after), rollback: stepsBetween(after, before) }
  }
  const plan =
    one.noun === 'route'
      ? rulePlan(one.change, { route_rule_id: null, warnings: [] })
      : tunnelPlan(one.change, { interface_name: nameOf(one.change), tunnel_id: null, folders, warnings: [] })
  return { steps: plan.steps, rollback: plan.rollback }
}

const nameOf = ({ before, after }: Extract<HostChange, { noun: 'tunnel' }>['change']): string =>
  (after ?? before)?.interface_name ?? ''

const stepsBetween = (before: ForwardingState, after: ForwardingState): StepView[] =>
  planForwarding(before, after).map((step) => {
    const sentence = describe(step)
    return { kind: step.kind, description: sentence.message, ...reference(sentence) }
  })

function describe(step: ForwardingStep): Message {
  if (step.kind === 'forwarding_set')
    return message('impact.step_switch', { key: SYSCTL_KEYS[step.name], value: step.is_on ? 1 : 0 })
  return step.kind === 'sysctl_file_write' ? message('impact.step_file') : message('impact.step_no_file')
}

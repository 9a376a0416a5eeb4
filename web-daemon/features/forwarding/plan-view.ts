// The steps of a change of forwarding as the operator is shown them.
import type { StepView } from '@panel/shared/api/base/step.ts'
import { CONNTRACK_MAX_KEY, SYSCTL_KEYS } from '@panel/shared/forwarding/model.ts'
import { planForwarding, type ForwardingStep } from '@panel/shared/forwarding/plan.ts'
import { acceptRaKey } from '@panel/shared/forwarding/sysctl.ts'
import type { HostChange } from '@panel/shared/impact/foreseen.ts'
import { message, reference, type Message } from '@panel/shared/messages/message.ts'

export type ForwardingChange = Extract<HostChange, { noun: 'forwarding' }>['change']

/** The changes follow on one another. */
export function forwardingSteps(changes: readonly ForwardingChange[]): { steps: StepView[]; rollback: StepView[] } {
  return {
    steps: changes.flatMap(({ before, after }) => stepsBetween(before, after)),
    rollback: [...changes].reverse().flatMap(({ before, after }) => stepsBetween(after, before)),
  }
}

const stepsBetween = (before: ForwardingChange['before'], after: ForwardingChange['after']): StepView[] =>
  planForwarding(before, after).map((step) => {
    const sentence = describe(step)
    return { kind: step.kind, description: sentence.message, ...reference(sentence) }
  })

function describe(step: ForwardingStep): Message {
  switch (step.kind) {
    case 'accept_ra_set':
      return message('impact.step_switch', { key: acceptRaKey(step.interface_name), value: step.value })
    case 'forwarding_set':
      return message('impact.step_switch', { key: SYSCTL_KEYS[step.name], value: step.is_on ? 1 : 0 })
    case 'conntrack_max_set':
      return message('impact.step_switch', { key: CONNTRACK_MAX_KEY, value: step.value })
    case 'sysctl_file_write':
      return message('impact.step_file')
    case 'sysctl_file_remove':
      return message('impact.step_no_file')
  }
}

// A change of networks as the operator is shown it before and after.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { StepView } from '@panel/shared/api/base/step.ts'
import type { NetworkPlanView, NetworkVerificationView } from '@panel/shared/api/networks/answers.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'
import { reference } from '@panel/shared/messages/message.ts'
import { changedDestinations } from '@panel/shared/network/canonical.ts'
import { describeNetwork } from '@panel/shared/network/describe.ts'
import type { NetworkStates } from '@panel/shared/network/model.ts'
import { checkNetworks, planNetworks, type NetworkStep } from '@panel/shared/network/plan.ts'
import { verificationView as tunnelVerification } from '../tunnels/plan-view.ts'

interface Frame {
  /** Null in a preview: there is none yet. */
  readonly network_id: number | null
  readonly warnings: readonly Warning[]
}

export function planView(change: Change<NetworkStates>, { network_id, warnings }: Frame): NetworkPlanView {
  const { before, after } = change
  const steps = planNetworks(before, after).map(stepView)
  const destinations = changedDestinations(change)
  return {
    operation: steps.length === 0 ? 'none' : before && after ? 'update' : after ? 'create' : 'delete',
    network_id,
    destinations,
    steps,
    rollback: rollbackOf(change).map(stepView),
    verification: checkNetworks(destinations, after, after).map(({ name, expected }) => ({ name, expected })),
    warnings: [...warnings],
  }
}

function rollbackOf(change: Change<NetworkStates>): readonly NetworkStep[] {
  const back = invert(change)
  return planNetworks(back.before, back.after)
}

/** Steps of a plan for networks, of the impact as well. */
function stepView(step: NetworkStep): StepView {
  const { description, ...rest } = describeNetwork(step)
  return { ...rest, description: description.message, ...reference(description) }
}

export function verificationView(checks: readonly Check[]): NetworkVerificationView {
  const { oper_state: _none, ...view } = tunnelVerification(checks, '')
  return view
}

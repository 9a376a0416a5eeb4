// The steps of a foreseen change as the operator is shown them, whatever nouns they are of.
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { Foreseen, HostChange } from '@panel/shared/impact/foreseen.ts'
import type { ReadContext } from '../../platform/context.ts'
import { forwardingSteps } from '../forwarding/plan-view.ts'
import { planView as networkPlan } from '../networks/plan-view.ts'
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
  const { steps, rollback } = planViewOf(one, folders)
  return { steps, rollback }
}

function planViewOf(one: HostChange, folders: Folders): Plan {
  switch (one.noun) {
    case 'forwarding':
      return forwardingSteps([one.change])
    case 'route':
      return rulePlan(one.change, { route_rule_id: null, warnings: [] })
    case 'network':
      return networkPlan(one.change, { network_id: null, warnings: [] })
    case 'tunnel':
      return tunnelPlan(one.change, { interface_name: nameOf(one.change), tunnel_id: null, folders, warnings: [] })
  }
}

const nameOf = ({ before, after }: Extract<HostChange, { noun: 'tunnel' }>['change']): string =>
  (after ?? before)?.interface_name ?? ''

// What is answered to a change of a tunnel: the tunnel as it is now, the plan that was carried out, and what was read
// back (decisions.md, R17, R20, R24).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { CreateTunnelAnswer, PlanView } from '@panel/shared/api/tunnels/answers.ts'
import type { Check } from '@panel/shared/change/check.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { verificationView } from './plan-view.ts'
import type { TunnelRecord } from './record.ts'
import { observe, tunnelView } from './view.ts'

interface Carried {
  readonly plan: PlanView
  readonly checks: readonly Check[]
  /** What root did. */
  readonly steps?: readonly string[]
  readonly warnings: readonly Warning[]
}

export async function changeAnswer(
  { request }: Pick<ReadContext, 'request'>,
  record: TunnelRecord,
  { plan, checks, steps = [], warnings }: Carried,
): Promise<CreateTunnelAnswer> {
  const observed = (await observe(request, [record.interface_name]))(record.interface_name)
  return {
    tunnel: tunnelView(record, observed),
    plan,
    verification: verificationView(checks, observed.oper_state),
    warnings: [...warnings, ...recreatedWarnings(plan, steps)],
  }
}

/** The plan was to change the link in place, and the kernel did not do that. */
function recreatedWarnings({ interface: name, steps: planned }: PlanView, steps: readonly string[]): Warning[] {
  if (planned.some(({ kind }) => kind === 'link_create') || !steps.includes('link_create')) return []
  return [{ code: 'LINK_RECREATED', ...message('tunnel.recreated_after_all', { name }), field: '' }]
}

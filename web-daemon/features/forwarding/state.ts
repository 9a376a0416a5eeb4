// IP forwarding as the kernel has it and as the panel's own file keeps it: turned on, or put back to what was before
// (decisions.md, F28, F29).
import type { ForwardingFound, ForwardingState, Switch } from '@panel/shared/forwarding/model.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { withForwarding } from '@panel/shared/forwarding/plan.ts'
import { converge } from '../../change/engine.ts'
import type { CommandContext } from '../../platform/context.ts'
import { forwardingResource } from './resource.ts'

type Context = Pick<CommandContext, 'db' | 'request' | 'now' | 'note'>

/** Turns it on, now and at boot. Safe to repeat. Call it inside `inTurn`. */
export const turnOn = (context: Context, found: ForwardingFound, wanted: readonly Switch[]): Promise<void> =>
  take(context, found.state, withForwarding(found.state, wanted))

export async function take(context: Context, before: ForwardingState, after: ForwardingState): Promise<void> {
  if (sameState(before, after)) return
  await converge(context, forwardingResource(context), { rows: [], changes: [{ before, after }] })
}

// IP forwarding as a resource of the engine. Its state is kept by the kernel and by the panel's own sysctl file: there
// is no record.
import type { ForwardingState } from '@panel/shared/forwarding/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { noRecords, type ApplyMark, type Resource } from '../../change/resource.ts'
import type { CommandContext } from '../../platform/context.ts'

export type ForwardingResource = Resource<ApplyMark, ApplyMark, ForwardingState>

export function forwardingResource({ request }: Pick<CommandContext, 'request'>): ForwardingResource {
  return {
    ...noRecords(),
    noun: 'forwarding',
    apply: (change) => request('forwarding.apply', change),
    verify: (change) => request('forwarding.verify', change),
    split: (change) => [change],
    describe: () => ({ what: message('object.forwarding'), details: {} }),
    codes: { restored: 'FORWARDING_APPLY_FAILED', stuck: 'FORWARDING_RULES_INCONSISTENT' },
  }
}

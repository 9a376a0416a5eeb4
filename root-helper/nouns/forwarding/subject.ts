// The switches of the kernel that relaying needs as a subject of the transaction.
import { message } from '@panel/shared/messages/message.ts'
import { switchesBy, SYSCTL_KEYS, type ForwardingFound, type ForwardingState } from '@panel/shared/forwarding/model.ts'
import { checkForwarding, planForwarding, type ForwardingStep } from '@panel/shared/forwarding/plan.ts'
import { readSysctl } from '@panel/shared/forwarding/read-sysctl.ts'
import { renderSysctl } from '@panel/shared/forwarding/sysctl.ts'
import type { Forwarding } from '../../kernel/facilities.ts'
import { allowForwarding, requireForwarding } from '../../policy.ts'
import type { Subject } from '../../subject.ts'

export async function probeForwarding(forwarding: Forwarding): Promise<ForwardingFound> {
  const { live, ...facts } = await forwarding.facts()
  const content = await forwarding.readFile()
  const saved = content === null ? null : readSysctl(content)
  return { state: { live, saved }, is_foreign_file: content !== null && saved === null, ...facts }
}

export function forwardingSubject(forwarding: Forwarding): Subject<ForwardingState, ForwardingFound, ForwardingStep> {
  return {
    noun: 'forwarding',
    canonical: (state) => canonical(requireForwarding(state)),
    probe: async () => probeForwarding(forwarding),
    plan: (found, wanted) => planForwarding(requireForwarding(found), requireForwarding(wanted)),
    check: (_change, wanted, found) => checkForwarding(requireForwarding(wanted), requireForwarding(found)),
    allow: async (_change, found, steps) => allowForwarding(found, steps),
    rehearse: async ({ before, after }, found) =>
      allowForwarding(found, planForwarding(requireForwarding(after), requireForwarding(before))),
    execute: (step) => executeForwardingStep(forwarding, step),
    remedy: () => [
      message('root.look_at_switches', { commands: `sysctl ${Object.values(SYSCTL_KEYS).join(' ')}` }).message,
      message('root.set_switches').message,
    ],
  }
}

function executeForwardingStep(forwarding: Forwarding, step: ForwardingStep): Promise<void> {
  switch (step.kind) {
    case 'forwarding_set':
      return forwarding.set(step.name, step.is_on)
    case 'sysctl_file_write':
      return forwarding.writeFile(renderSysctl(step.saved))
    case 'sysctl_file_remove':
      return forwarding.removeFile()
  }
}

/** The same fields in the same order, so that equal states are equal text. */
function canonical({ live, saved }: ForwardingState): ForwardingState {
  const ordered = (of: ForwardingState['live']): ForwardingState['live'] => switchesBy((name) => of[name])
  return {
    live: ordered(live),
    saved: saved && { switches: ordered(saved.switches), previous: ordered(saved.previous) },
  }
}

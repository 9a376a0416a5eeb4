// The switches of the kernel that relaying needs as a subject of the transaction.
import { message } from '@panel/shared/messages/message.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { keepingAdvertised, onHost, type HostForwarding } from '@panel/shared/forwarding/host.ts'
import {
  CONNTRACK_MAX_KEY,
  switchesBy,
  SYSCTL_KEYS,
  type AcceptRa,
  type ForwardingFound,
  type ForwardingState,
  type ForwardingSwitches,
} from '@panel/shared/forwarding/model.ts'
import { checkForwarding, planForwarding, type ForwardingStep } from '@panel/shared/forwarding/plan.ts'
import { readSysctl } from '@panel/shared/forwarding/read-sysctl.ts'
import { renderSysctl } from '@panel/shared/forwarding/sysctl.ts'
import type { Forwarding } from '../../kernel/facilities.ts'
import { allowForwarding, allowSize, requireForwarding } from '../../policy.ts'
import type { Subject } from '../../subject.ts'

export async function probeForwarding(forwarding: Forwarding): Promise<ForwardingFound> {
  const { live, conntrack_max, ...facts } = await forwarding.facts()
  const content = await forwarding.readFile()
  const file = content === null ? null : readSysctl(content)
  const previous = file?.accept_ra ?? {}
  const there = new Map((await forwarding.advertised(Object.keys(previous))).map((one) => [one.interface_name, one]))
  const names = [...new Set([...there.keys(), ...Object.keys(previous)])].sort()
  return {
    state: {
      live,
      conntrack_max,
      saved: file && { switches: file.switches, previous: file.previous, conntrack_max: file.conntrack_max },
    },
    advertised: names.map((interface_name) => ({
      interface_name,
      accept_ra: there.get(interface_name)?.accept_ra ?? null,
      previous: previous[interface_name] ?? null,
      is_settable: there.get(interface_name)?.is_settable ?? false,
    })),
    is_foreign_file: content !== null && file === null,
    ...facts,
  }
}

type Found = Omit<ForwardingFound, 'state'> & { readonly state: HostForwarding }

async function probeHost(forwarding: Forwarding): Promise<Found> {
  const found = await probeForwarding(forwarding)
  return { ...found, state: onHost(found.state, found) }
}

/**
 * A change of the wire speaks of switches alone; root finds by itself which interfaces it has to keep, so that no caller
 * can have it lose them.
 */
export async function hostChange(
  forwarding: Forwarding,
  change: Change<ForwardingState>,
): Promise<Change<HostForwarding>> {
  const before = onHost(requireForwarding(change.before), await probeForwarding(forwarding))
  return { before, after: keepingAdvertised(before, requireForwarding(change.after)) }
}

export function forwardingSubject(forwarding: Forwarding): Subject<HostForwarding, Found, ForwardingStep> {
  return {
    noun: 'forwarding',
    canonical: (state) => canonical(requireForwarding(state)),
    probe: async () => probeHost(forwarding),
    plan: (found, wanted) => planForwarding(requireForwarding(found), requireForwarding(wanted)),
    check: (_change, wanted, found) => checkForwarding(requireForwarding(wanted), requireForwarding(found)),
    allow: async ({ before, after }, found, steps) => {
      allowForwarding(found, steps)
      allowSize(found, requireForwarding(before), requireForwarding(after))
    },
    rehearse: async ({ before, after }, found) =>
      allowForwarding(found, planForwarding(requireForwarding(after), requireForwarding(before))),
    execute: (step) => executeForwardingStep(forwarding, step),
    remedy: () => [
      message('root.look_at_switches', {
        commands: `sysctl ${[...Object.values(SYSCTL_KEYS), CONNTRACK_MAX_KEY].join(' ')}`,
      }).message,
      message('root.set_switches').message,
    ],
  }
}

function executeForwardingStep(forwarding: Forwarding, step: ForwardingStep): Promise<void> {
  switch (step.kind) {
    case 'accept_ra_set':
      return forwarding.setAcceptRa(step.interface_name, step.value)
    case 'forwarding_set':
      return forwarding.set(step.name, step.is_on)
    case 'conntrack_max_set':
      return forwarding.setConntrackMax(step.value)
    case 'sysctl_file_write':
      return forwarding.writeFile(renderSysctl(step.saved))
    case 'sysctl_file_remove':
      return forwarding.removeFile()
  }
}

/** The same fields in the same order, so that equal states are equal text. */
function canonical({ live, conntrack_max, saved, accept_ra }: HostForwarding): HostForwarding {
  const ordered = (of: ForwardingSwitches): ForwardingSwitches => switchesBy((name) => of[name])
  return {
    live: ordered(live),
    conntrack_max,
    saved: saved && {
      switches: ordered(saved.switches),
      previous: ordered(saved.previous),
      conntrack_max: saved.conntrack_max && {
        value: saved.conntrack_max.value,
        previous: saved.conntrack_max.previous,
      },
      accept_ra: sorted(saved.accept_ra),
    },
    accept_ra: sorted(accept_ra),
  }
}

const sorted = (values: AcceptRa): AcceptRa =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))

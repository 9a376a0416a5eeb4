// The switches when the helper starts: boot sets what is of connection tracking from our file before that is loaded,
// and so in vain; and what brings an interface up, such as ifupdown, may set its accept_ra again.
import { ACCEPT_ALWAYS, CONNECTION_DETAILS, type ForwardingState } from '@panel/shared/forwarding/model.ts'
import type { Forwarding } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'
import { probeForwarding } from './subject.ts'

/** Those that are set for as long as the kernel runs; until connection tracking is loaded, none is. */
const settled = new WeakSet<Forwarding>()

/** Call it once the rules are in the kernel, which loads connection tracking. A failure is logged. */
export async function startSwitches(forwarding: Forwarding): Promise<void> {
  try {
    const { state, missing, advertised, conntrack } = await probeForwarding(forwarding)
    const isDue = (name: (typeof CONNECTION_DETAILS)[number]): boolean =>
      state.saved?.switches[name] === true && !state.live[name] && !missing.includes(name)
    for (const name of CONNECTION_DETAILS.filter(isDue)) {
      await forwarding.set(name, true)
      log('info', 'A switch of connection tracking is on again', { name })
    }
    const ignoring = advertised.filter(({ previous, accept_ra }) => previous !== null && accept_ra === 1)
    for (const { interface_name } of state.live.ipv6 ? ignoring : []) {
      await forwarding.setAcceptRa(interface_name, ACCEPT_ALWAYS)
      log('info', 'Router advertisements are taken again', { interface_name })
    }
    const size = sizeDue(state)
    if (size !== null && conntrack?.most) {
      await forwarding.setConntrackMax(size)
      log('info', 'As many connections are tracked as before', { conntrack_max: size })
    }
    if (conntrack) settled.add(forwarding)
  } catch (error) {
    log('error', 'The switches could not be set', { detail: messageOf(error) })
  }
}

/** More than that is left to what set it; 0 is no limit. */
function sizeDue({ conntrack_max: live, saved }: ForwardingState): number | null {
  const size = saved?.conntrack_max?.value ?? 0
  return live && live < size ? size : null
}

/** The first relay rule, or a look, may load connection tracking long after the start: with a rule it has to be set. */
export async function settingSwitches<R>(forwarding: Forwarding, work: () => Promise<R>): Promise<R> {
  const result = await work()
  if (!settled.has(forwarding)) await startSwitches(forwarding)
  return result
}

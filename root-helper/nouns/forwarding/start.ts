// The switches when the helper starts: boot sets those of connection tracking from our file before connection tracking
// is loaded, and so in vain; and what brings an interface up, such as ifupdown, may set its accept_ra again.
import { ACCEPT_ALWAYS, CONNECTION_DETAILS } from '@panel/shared/forwarding/model.ts'
import type { Forwarding } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'
import { probeForwarding } from './subject.ts'

/** Call it once the rules are in the kernel, which loads connection tracking. A failure is logged. */
export async function startSwitches(forwarding: Forwarding): Promise<void> {
  try {
    const { state, missing, advertised } = await probeForwarding(forwarding)
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
  } catch (error) {
    log('error', 'The switches could not be set', { detail: messageOf(error) })
  }
}

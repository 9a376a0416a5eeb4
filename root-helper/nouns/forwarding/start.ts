// The switches of connection tracking when the helper starts: boot sets them from our file before connection tracking
// is loaded, and so in vain.
import { CONNECTION_DETAILS } from '@panel/shared/forwarding/model.ts'
import type { Forwarding } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'
import { probeForwarding } from './subject.ts'

/** Call it once the rules are in the kernel, which loads connection tracking. A failure is logged. */
export async function startSwitches(forwarding: Forwarding): Promise<void> {
  try {
    const { state, missing } = await probeForwarding(forwarding)
    const isDue = (name: (typeof CONNECTION_DETAILS)[number]): boolean =>
      state.saved?.switches[name] === true && !state.live[name] && !missing.includes(name)
    for (const name of CONNECTION_DETAILS.filter(isDue)) {
      await forwarding.set(name, true)
      log('info', 'A switch of connection tracking is on again', { name })
    }
  } catch (error) {
    log('error', 'The switches of connection tracking could not be set', { detail: messageOf(error) })
  }
}

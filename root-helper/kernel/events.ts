// What the host's kernel tells unasked of its links and addresses, over rtnetlink.
import { LOST, type HostEvent } from '@panel/shared/model/event.ts'
import type { KernelEvents } from './facilities.ts'
import { transportError } from '../netlink/errors.ts'
import { watchLinks, type LinkEvent } from '../netlink/events.ts'
import { log } from '../log.ts'

/** Of the network namespace in which it is called. */
export const kernelEvents: KernelEvents = {
  watch(tell) {
    try {
      return watchLinks({
        onEvent: (event) => tell(hostEvent(event)),
        onLost: ({ message }) => {
          log('warning', 'Events of the kernel were lost', { detail: message })
          tell(LOST)
        },
      })
    } catch (error) {
      throw transportError('listen to the kernel', error)
    }
  },
}

const hostEvent = ({ subject, name, index, is_removal }: LinkEvent): HostEvent => ({ subject, interface_name: name, index, is_removal })

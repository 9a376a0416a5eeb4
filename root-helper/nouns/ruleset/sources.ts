// Keeps what is masqueraded over tunnels going when they are restarted: the backend is given the address of each, and
// again whenever links or addresses change.
import type { Kernel } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'
import { isOfLinks, type LinkWork } from '../../follow-links.ts'

/**
 * After a change of an address new connections are given the old one until the work has its turn, which comes when the
 * change under way has ended. Addresses that are not followed are given to no connection: the kernel masquerades by
 * itself.
 */
export const followedSources = ({ links, rulesets }: Pick<Kernel, 'links' | 'rulesets'>): LinkWork => ({
  failed: (error) => log('warning', 'The addresses of the tunnels are not followed', { detail: messageOf(error) }),
  isConcerned: isOfLinks,
  async work() {
    await rulesets.followSources(await links.sources())
    await rulesets.followDevices(await links.devices())
  },
})

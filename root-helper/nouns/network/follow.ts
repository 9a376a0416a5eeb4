// Puts networks in again as links and addresses come and go.
import { isOfLinks, type LinkWork } from '../../follow-links.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'

/** What a damaged record spoke of is not known, so nothing of it is touched. */
export const followedNetworks = ({ networks }: Pick<Kernel, 'networks'>): LinkWork => ({
  failed: (error) => log('warning', 'A network is not as it should be', { detail: messageOf(error) }),
  isConcerned: isOfLinks,
  work: () => networks.follow(),
})

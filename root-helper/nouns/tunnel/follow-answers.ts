// Keeps tunnels answered through as their links come and go.
import type { LinkWork } from '../../follow-links.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'
import { seeAllTunnels } from './probe.ts'

/**
 * The kernel loses what answers need with a link or an address. At the start everything is compared; a tunnel that has
 * neither a link nor a file any more is forgotten.
 */
export const followedAnswers = (kernel: Kernel): LinkWork => ({
  failed: (error) => log('warning', 'Tunnels are not answered through', { detail: messageOf(error) }),
  isConcerned: () => true,
  async work(cause) {
    if (cause === 'start' && kernel.answers.names().length > 0 && kernel.answers.trouble() === null) {
      const there = new Set((await seeAllTunnels(kernel)).flatMap(({ state }) => state?.interface_name ?? []))
      await kernel.answers.forget(kernel.answers.names().filter((name) => !there.has(name)))
    }
    await kernel.answers.follow()
  },
})

import type { Server } from '../lab/index.ts'
import { eventually } from '../eventually.ts'

/**
 * Resolves once no address of the link is tentative. On an Ethernet kind an IPv6 address is until nobody else claims it
 * (RFC 4862, 5.4): nothing is sent from it meanwhile, and the kernel adds its local route only then.
 */
export const settled = (server: Pick<Server, 'run'>, interface_name: string): Promise<void> =>
  eventually(
    async () => (await server.run('ip', ['-6', 'address', 'show', 'dev', interface_name, 'tentative'])) === '',
    `${interface_name} without tentative addresses`,
  )

// Resolves a host name by DNS, with the time that the answer may be used for. /etc/hosts plays no part.
import { Resolver } from 'node:dns/promises'
import type { Family } from '@panel/shared/address/ip.ts'

export type Resolution =
  | { readonly isFound: true; readonly addresses: readonly string[]; readonly ttl_seconds: number }
  /** `error`: the code of node:dns, such as ENOTFOUND, ENODATA or ETIMEOUT. */
  | { readonly isFound: false; readonly error: string }

export type ResolveHost = (hostname: string, family: Family, servers: readonly string[]) => Promise<Resolution>

const PATIENCE = { timeout: 2000, tries: 2 }

/** `servers`: addresses, with a port where it is not 53; none are those that the host is configured with. */
export const resolveHost: ResolveHost = async (hostname, family, servers) => {
  const resolver = new Resolver(PATIENCE)
  try {
    if (servers.length > 0) resolver.setServers(servers)
    const records =
      family === 6 ? await resolver.resolve6(hostname, { ttl: true }) : await resolver.resolve4(hostname, { ttl: true })
    if (records.length === 0) return { isFound: false, error: 'ENODATA' }
    return {
      isFound: true,
      addresses: records.map(({ address }) => address),
      ttl_seconds: Math.min(...records.map(({ ttl }) => ttl)),
    }
  } catch (failure) {
    return { isFound: false, error: (failure as NodeJS.ErrnoException).code ?? String(failure) }
  }
}

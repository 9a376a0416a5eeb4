// The interfaces of the network namespace that have IPv6 from router advertisements: by a route of that protocol, or by
// an address with a lifetime.
import { acceptRaKey, isPlainName } from '@panel/shared/forwarding/sysctl.ts'
import type { Forwarding } from '../facilities.ts'
import { AF_INET6, RTPROT_RA } from '../../netlink/constants.ts'
import { decodeRoute, dumpRoutes } from '../../netlink/route.ts'
import { NetlinkSocket } from '../../netlink/socket.ts'
import { isWritable, numberIn, textIn } from '../files/proc.ts'

const IFA_F_PERMANENT = 0x80
const SCOPE_GLOBAL = 0

export const acceptRaFile = (interface_name: string): string => `/proc/sys/${acceptRaKey(interface_name)}`

export class AdvertisedInterfaces {
  #socket: NetlinkSocket | null = null

  /** Those that the kernel takes advertisements for, and the named ones that are there. */
  async read(named: readonly string[]): ReturnType<Forwarding['advertised']> {
    const addresses = addressLines()
    if (addresses.length === 0 && named.length === 0) return []
    const routed = await this.#routed()
    const learnt = addresses.filter(({ index, isLearnt }) => isLearnt || routed.has(index)).map(({ name }) => name)
    return [...new Set([...learnt, ...named])].sort().flatMap((interface_name) => {
      const accept_ra = numberIn(acceptRaFile(interface_name))
      if (accept_ra === null || (accept_ra === 0 && !named.includes(interface_name))) return []
      const is_settable = isPlainName(interface_name) && isWritable(acceptRaFile(interface_name))
      return [{ interface_name, accept_ra, is_settable }]
    })
  }

  /** The kernel leaves all other routes out of its answer. */
  async #routed(): Promise<Set<number>> {
    this.#socket ??= new NetlinkSocket()
    const routes = await this.#socket.dump(dumpRoutes(AF_INET6, { protocol: RTPROT_RA }))
    return new Set(
      routes.flatMap((one) => {
        const route = decodeRoute(one)
        return route?.family === AF_INET6 && route.protocol === RTPROT_RA ? route.hops.map(({ index }) => index) : []
      }),
    )
  }
}

interface AddressLine {
  readonly index: number
  readonly name: string
  readonly isLearnt: boolean
}

/** Address, index, prefix length, scope and flags in hexadecimal, and the name: net/ipv6/addrconf.c, if6_seq_show. */
function addressLines(): AddressLine[] {
  return (textIn('/proc/net/if_inet6') ?? '').split('\n').flatMap((line) => {
    const [, index = '', , scope = '', flags = '', name] = line.trim().split(/ +/)
    if (name === undefined) return []
    const isLearnt = parseInt(scope, 16) === SCOPE_GLOBAL && (parseInt(flags, 16) & IFA_F_PERMANENT) === 0
    return [{ index: parseInt(index, 16), name, isLearnt }]
  })
}

// The hop of a route over one link.
import { farEnds } from '@panel/shared/tunnel/far-end.ts'
import type { RawAddress } from '../../netlink/address.ts'
import { AF_INET6, IFF_NOARP } from '../../netlink/constants.ts'
import type { AddressFamily } from '../../netlink/bytes.ts'
import type { RawLink } from '../../netlink/link.ts'
import type { NewHop } from '../../netlink/route.ts'
import { isUnmanaged } from '../link/found.ts'

/** A link without hardware addresses sends whatever leads over it to its far end, and needs no gateway. */
export function hopOver({ index, flags }: RawLink, addresses: readonly RawAddress[], family: AddressFamily): NewHop {
  const managed = addresses.filter((one) => one.family === family && !isUnmanaged(one))
  const [gateway = ''] = (flags & IFF_NOARP) === 0 ? farEnds(managed) : []
  return { index, gateway, weight: 1, isOnlink: gateway !== '' }
}

/** Nobody's on the link, and taken for the far end by one without hardware addresses. */
const ANY_GATEWAY = 'fe80::54'

/**
 * One of several. The kernel takes no hop of IPv6 without a gateway among several, and puts one route in the place of
 * another only if both have one.
 */
export function pathOver(
  link: RawLink,
  addresses: readonly RawAddress[],
  family: AddressFamily,
  weight: number,
): NewHop {
  const hop = { ...hopOver(link, addresses, family), weight }
  return family === AF_INET6 && hop.gateway === '' && (link.flags & IFF_NOARP) !== 0
    ? { ...hop, gateway: ANY_GATEWAY, isOnlink: true }
    : hop
}

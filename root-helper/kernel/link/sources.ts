// By which address the kernel itself sends through a link, where there is no choice (inet_select_addr in
// net/ipv4/devinet.c, ipv6_dev_get_saddr in net/ipv6/addrconf.c).
import type { LinkSource } from '../relay-facilities.ts'
import type { RawAddress } from '../../netlink/address.ts'
import {
  AF_INET,
  AF_INET6,
  IFA_F_DADFAILED,
  IFA_F_DEPRECATED,
  IFA_F_SECONDARY,
  IFA_F_TENTATIVE,
  RT_SCOPE_UNIVERSE,
} from '../../netlink/constants.ts'

/** For IPv6 the same bit says that an address is temporary. */
const UNUSED = IFA_F_SECONDARY | IFA_F_TENTATIVE | IFA_F_DEPRECATED | IFA_F_DADFAILED

/** None of a family with several: which one is taken then depends on where a packet goes. */
export const linkSources = (interface_name: string, addresses: readonly RawAddress[]): LinkSource[] =>
  [AF_INET, AF_INET6].flatMap((family) => {
    const usable = addresses.filter(
      (one) => one.family === family && one.scope === RT_SCOPE_UNIVERSE && (one.flags & UNUSED) === 0,
    )
    const [only] = usable
    return only && usable.length === 1 ? [{ interface_name, address: only.address }] : []
  })

// Features of a tunnel link that a LinkConfig cannot hold, in the syntax of `ip`; recreating the link would lose them.
import { isTapKind } from '@panel/shared/tunnel/model.ts'
import { formatCidr, type RawAddress } from '../../netlink/address.ts'
import * as k from '../../netlink/constants.ts'
import { isOurKind } from '../../netlink/gre.ts'
import type { RawLink } from '../../netlink/link.ts'

type Word = readonly [isPresent: boolean, word: string]
const present = (features: readonly Word[]): string[] =>
  features.filter(([isPresent]) => isPresent).map(([, word]) => word)

export function unmodelledLink(raw: RawLink, names: ReadonlyMap<number, string>): string[] {
  const isTap = isOurKind(raw.kind) && isTapKind(raw.kind)
  const is = (bit: number): boolean => (raw.flags & bit) !== 0
  return present([
    [raw.master !== 0, `master ${names.get(raw.master) ?? `number ${raw.master}`}`],
    [raw.alias !== '', `alias ${raw.alias}`],
    ...raw.altNames.map((name): Word => [true, `altname ${name}`]),
    [raw.group !== 0, `group ${raw.group}`],
    [raw.isDormantMode, 'mode dormant'],
    [raw.isProtoDown, 'protodown on'],
    [raw.hasXdp, 'xdp'],
    [is(k.IFF_PROMISC), 'promisc on'],
    [is(k.IFF_ALLMULTI), 'allmulticast on'],
    // Drivers make an Ethernet-like link with ARP, the others without (ether_setup; ipgre_tunnel_setup,
    // ip6gre_tunnel_setup).
    [is(k.IFF_NOARP) === isTap, `arp ${isTap ? 'off' : 'on'}`],
  ])
}

// Flags that an administrator gives. The kernel's own (permanent, tentative, deprecated) say nothing that a recreate
// would lose.
const FLAGS_BOTH: readonly (readonly [number, string])[] = [
  [k.IFA_F_NOPREFIXROUTE, 'noprefixroute'],
  [k.IFA_F_MCAUTOJOIN, 'autojoin'],
]
const FLAGS_IPV6: readonly (readonly [number, string])[] = [
  [k.IFA_F_SECONDARY, 'temporary'], // the same bit is IFA_F_TEMPORARY in IPv6
  [k.IFA_F_NODAD, 'nodad'],
  [k.IFA_F_OPTIMISTIC, 'optimistic'],
  [k.IFA_F_HOMEADDRESS, 'home'],
  [k.IFA_F_MANAGETEMPADDR, 'mngtmpaddr'],
]

export function unmodelledAddress(a: RawAddress, interfaceName: string): string[] {
  const flags = [...FLAGS_BOTH, ...(a.family === k.AF_INET6 ? FLAGS_IPV6 : [])]
  const features = present([
    [a.validSeconds !== null, `lifetime ${a.validSeconds} s`],
    [a.label !== '' && a.label !== interfaceName, `label ${a.label}`],
    [a.broadcast !== '', `broadcast ${a.broadcast}`],
    [a.metric !== 0, `metric ${a.metric}`],
    [a.family === k.AF_INET && a.scope !== k.RT_SCOPE_UNIVERSE, `scope ${k.RT_SCOPE_NAMES[a.scope] ?? a.scope}`],
    ...flags.map(([bit, name]): Word => [(a.flags & bit) !== 0, name]),
  ])
  return features.map((word) => `address ${formatCidr(a)} ${word}`)
}

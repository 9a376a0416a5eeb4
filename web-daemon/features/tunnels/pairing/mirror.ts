// A tunnel as its other end sees it: endpoints, keys, flags and addresses are swapped (reference.md, POST
// /tunnels/from-pairing-code). Pure.
import { bitsOf, canonicalIp, formatIp, enclosingNetwork, parseIp } from '@panel/shared/address/ip.ts'
import type { PairingSummary, SideName } from '@panel/shared/api/tunnels/pairing.ts'
import { titleOf, TUNNEL_SIDES, TUNNEL_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { TunnelAddressBody } from '@panel/shared/api/tunnels/addresses.ts'
import { isIpv6Kind, type LinkKind } from '@panel/shared/tunnel/model.ts'
import { subnetEnds } from '../../pools/allocation.ts'
import type { PairingContent } from './content.ts'

export interface MirroredAddress extends TunnelAddressBody {
  /**
   * True if the other server did not know the address: then it is the free one of the first two hosts of the subnet.
   */
  readonly isChosen: boolean
}

export function otherSide(tunnel_side_id: number): 10 | 20 {
  return tunnel_side_id === TUNNEL_SIDES.A ? TUNNEL_SIDES.B : TUNNEL_SIDES.A
}

const sideName = (tunnel_side_id: number): SideName => titleOf(TUNNEL_SIDES, tunnel_side_id)

export function summarise({ type, side, local, remote, mtu, ttl, ikey, okey }: PairingContent): PairingSummary {
  return {
    tunnel_type: titleOf(TUNNEL_TYPES, type),
    from_side: sideName(side),
    to_side: sideName(otherSide(side)),
    local_endpoint: local,
    remote_endpoint: remote,
    mtu,
    ttl,
    ikey: ikey ?? null,
    okey: okey ?? null,
  }
}

/** Everything but what each server decides for itself: name, number, pool and addresses. */
export function mirrored(content: PairingContent, kind: LinkKind): CreateTunnelBody {
  const shared = { tunnel_type_id: content.type, mtu: content.mtu, ttl: content.ttl, tos: content.tos }
  const v4 = { is_path_mtu_discovery: content.pmtu === true, is_ignore_df: content.idf === true }
  const v6 = { hop_limit: content.hop ?? null, encap_limit: content.encap ?? null }
  return {
    ...shared,
    tunnel_side_id: otherSide(content.side),
    local_endpoint: canonicalIp(content.remote),
    remote_endpoint: canonicalIp(content.local),
    ikey: content.okey ?? null,
    okey: content.ikey ?? null,
    has_input_checksum: content.ocsum === true,
    has_output_checksum: content.icsum === true,
    has_input_sequence: content.oseq === true,
    has_output_sequence: content.iseq === true,
    // A routing protocol needs it at both ends.
    ...(content.mc === true && { is_multicast: true }),
    ...(isIpv6Kind(kind) ? v6 : v4),
  }
}

/** Leaves out an address without another host in its subnet. */
export function mirroredAddresses({ side, addr }: PairingContent): MirroredAddress[] {
  return addr.flatMap(({ a, b, len, primary }) => {
    const here = otherSide(side)
    const [own, far] = here === TUNNEL_SIDES.A ? [a, b] : [b, a]
    const address = own === '' ? hostBeside(far, len, here) : canonicalIp(own)
    return address === null
      ? []
      : [
          {
            address,
            peer_address: far === '' ? '' : canonicalIp(far),
            prefix_length: len,
            is_primary: primary === true,
            isChosen: own === '',
          },
        ]
  })
}

/** A has the first host of a subnet and B the second (reference.md, Sides), unless the far end has that one already. */
function hostBeside(far: string, prefix_length: number, tunnel_side_id: number): string | null {
  const ip = parseIp(far)
  if (!ip || prefix_length >= bitsOf(ip.family)) return null
  const { address_a, address_b } = subnetEnds(enclosingNetwork(ip, prefix_length))
  const [fitting, other] = tunnel_side_id === TUNNEL_SIDES.A ? [address_a, address_b] : [address_b, address_a]
  return fitting === formatIp(ip) ? other : fitting
}

// How large a packet inside the tunnel may be: what the outer headers cost, and what the path's own interface carries (decisions.md, R7, R19).
import { contains, type Ip } from '@panel/shared/address/ip.ts'
import type { MtuAdvice } from '@panel/shared/api/tunnels/answers.ts'
import { isIpv6Kind, isTapKind, type LinkKind } from '@panel/shared/tunnel/model.ts'
import type { HostFacts } from '../facts.ts'
import type { Keys } from './keys.ts'
import { packetOptionsOf } from './options.ts'
import { warn, type Asked, type Sketch } from './sketch.ts'

const ETHERNET_MTU = 1500
export const MTU_RANGE = { lowest: 576, highest: 9216 }
/** RFC 8200, section 5: below it the kernel takes IPv6 off a link. */
const LEAST_FOR_IPV6 = 1280

export function draftMtu(sketch: Sketch, kind: LinkKind, keys: Keys, remote: Ip | null): MtuAdvice {
  const { body, settings } = sketch
  const underlay = remote && underlayOf(sketch.facts, remote, body.bind_device ?? null)
  const advice = adviseMtu(
    kind,
    { ...body, ...packetOptionsOf(sketch) },
    keys,
    underlay,
    settings.get('tunnel.default_mtu'),
  )
  const chosen = chosenMtu(sketch, advice)
  if (chosen > advice.recommended) {
    warn(
      sketch,
      'MTU_ADVISORY',
      'mtu',
      `Packets of ${chosen} bytes grow to ${chosen + advice.overhead} and are cut up or lost on the way; ${advice.recommended} fits.`,
    )
  }
  return { ...advice, matches: chosen === advice.recommended }
}

/** What was asked for; or else what the path carries, unless the operator would have one MTU everywhere. */
export const chosenMtu = ({ settings }: Sketch, { requested, recommended }: MtuAdvice): number =>
  requested ?? (settings.get('tunnel.auto_mtu_from_underlay') ? recommended : settings.get('tunnel.default_mtu'))

export function checkMtuForIpv6(sketch: Sketch, mtu: number, addresses: readonly { address: string }[]): void {
  if (mtu >= LEAST_FOR_IPV6 || sketch.problems.has('mtu') || !hasIpv6(addresses)) return
  sketch.problems.add(
    'mtu',
    'INVALID_MTU',
    `mtu must be at least ${LEAST_FOR_IPV6} where an address inside the tunnel is IPv6.`,
  )
}

const hasIpv6 = (addresses: readonly { address: string }[]): boolean =>
  addresses.some(({ address }) => address.includes(':'))

/** Whether a tunnel with these addresses can have it. */
export const isMtuPossible = (mtu: number, addresses: readonly { address: string }[]): boolean =>
  mtu >= (hasIpv6(addresses) ? LEAST_FOR_IPV6 : MTU_RANGE.lowest) && mtu <= MTU_RANGE.highest

export interface Underlay {
  readonly device: string
  readonly mtu: number
}

export function adviseMtu(
  kind: LinkKind,
  body: Asked,
  keys: Keys,
  underlay: Underlay | null,
  default_mtu: number,
): MtuAdvice {
  const breakdown = overheadOf(kind, body, keys)
  const overhead = breakdown.reduce((sum, { bytes }) => sum + bytes, 0)
  // Of a path that is not known, Ethernet is the likely guess.
  const room = underlay ? underlay.mtu - overhead : Math.min(default_mtu, ETHERNET_MTU - overhead)
  const recommended = Math.min(Math.max(room, MTU_RANGE.lowest), MTU_RANGE.highest)
  const requested = body.mtu ?? null
  return {
    requested,
    overhead,
    underlay_mtu: underlay?.mtu ?? null,
    underlay_device: underlay?.device ?? null,
    recommended,
    matches: requested === null || requested === recommended,
    breakdown,
  }
}

/** RFC 2784, 2890, 2473. An option counts in either direction, so that both ends come to the same MTU. */
export function overheadOf(
  kind: LinkKind,
  body: Pick<
    Asked,
    'encap_limit' | 'has_input_checksum' | 'has_output_checksum' | 'has_input_sequence' | 'has_output_sequence'
  >,
  keys: Keys,
): MtuAdvice['breakdown'] {
  const parts = [
    { name: isIpv6Kind(kind) ? 'ipv6' : 'ipv4', bytes: isIpv6Kind(kind) ? 40 : 20, is: true },
    { name: 'encap_limit', bytes: 8, is: isIpv6Kind(kind) && typeof body.encap_limit === 'number' },
    { name: 'gre', bytes: 4, is: true },
    { name: 'key', bytes: 4, is: keys.ikey !== null || keys.okey !== null },
    { name: 'checksum', bytes: 4, is: body.has_input_checksum === true || body.has_output_checksum === true },
    { name: 'sequence', bytes: 4, is: body.has_input_sequence === true || body.has_output_sequence === true },
    { name: 'ethernet', bytes: 14, is: isTapKind(kind) },
  ]
  return parts.filter(({ is }) => is).map(({ name, bytes }) => ({ name, bytes }))
}

/** The interface that the routing table picks for the other server: the longest prefix, and of these the lowest metric. */
export function underlayOf(facts: HostFacts, remote: Ip, bind_device: string | null): Underlay | null {
  const [best] = facts.routes
    .filter(({ entry, network }) => contains(network, remote) && (bind_device === null || entry.device === bind_device))
    .sort((a, b) => b.network.prefix_length - a.network.prefix_length || a.entry.metric - b.entry.metric)
  const device = bind_device ?? best?.entry.device
  const found = facts.interfaces.find(({ name }) => name === device)
  return found ? { device: found.name, mtu: found.mtu } : null
}

// The MTU of a tunnel: the overhead of the outer headers, and the MTU of the underlying interface (decisions.md, R7,
// R19).
import { contains, type Ip } from '@panel/shared/address/ip.ts'
import type { MtuAdvice } from '@panel/shared/api/tunnels/answers.ts'
import { isIpv6Kind, isTapKind, type LinkKind } from '@panel/shared/tunnel/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { HostFacts } from '../facts.ts'
import type { Keys } from './keys.ts'
import { packetOptions } from './options.ts'
import { warn, type RequestedTunnel, type DraftContext } from './context.ts'

const ETHERNET_MTU = 1500
export const MTU_RANGE = { lowest: 576, highest: 9216 }
/** RFC 8200, section 5: below it the kernel removes IPv6 from a link. */
const LEAST_FOR_IPV6 = 1280

export function draftMtu(draft: DraftContext, kind: LinkKind, keys: Keys, remote: Ip | null): MtuAdvice {
  const { body, settings } = draft
  const underlay = remote && findUnderlay(draft.facts, remote, body.bind_device ?? null)
  const advice = adviseMtu(
    kind,
    { ...body, ...packetOptions(draft) },
    keys,
    underlay,
    settings.get('tunnel.default_mtu'),
  )
  const chosen = chosenMtu(draft, advice)
  if (chosen > advice.recommended) {
    warn(
      draft,
      'MTU_ADVISORY',
      'mtu',
      message('tunnel.mtu_too_large', {
        mtu: chosen,
        size: chosen + advice.overhead,
        recommended: advice.recommended,
      }),
    )
  }
  return { ...advice, matches: chosen === advice.recommended }
}

/** The requested one, or else what the path carries, unless the settings ask for one MTU everywhere. */
export function chosenMtu({ settings }: DraftContext, { requested, recommended }: MtuAdvice): number {
  return requested ?? (settings.get('tunnel.auto_mtu_from_underlay') ? recommended : settings.get('tunnel.default_mtu'))
}

export function checkMtuForIpv6(draft: DraftContext, mtu: number, addresses: readonly { address: string }[]): void {
  if (mtu >= LEAST_FOR_IPV6 || draft.problems.has('mtu') || !hasIpv6(addresses)) return
  draft.problems.add('mtu', 'INVALID_MTU', message('tunnel.mtu_ipv6', { field: 'mtu', least: LEAST_FOR_IPV6 }))
}

const hasIpv6 = (addresses: readonly { address: string }[]): boolean =>
  addresses.some(({ address }) => address.includes(':'))

/** Whether a tunnel with these addresses can have this MTU. */
export function isMtuPossible(mtu: number, addresses: readonly { address: string }[]): boolean {
  return mtu >= (hasIpv6(addresses) ? LEAST_FOR_IPV6 : MTU_RANGE.lowest) && mtu <= MTU_RANGE.highest
}

export interface Underlay {
  readonly device: string
  readonly mtu: number
}

export function adviseMtu(
  kind: LinkKind,
  body: RequestedTunnel,
  keys: Keys,
  underlay: Underlay | null,
  default_mtu: number,
): MtuAdvice {
  const breakdown = tunnelOverhead(kind, body, keys)
  const overhead = breakdown.reduce((sum, { bytes }) => sum + bytes, 0)
  // If the path is not known, Ethernet is the likely guess.
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

/** RFC 2784, 2890, 2473. An option counts in both directions, so that both ends get the same MTU. */
export function tunnelOverhead(
  kind: LinkKind,
  body: Pick<
    RequestedTunnel,
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

/** The interface of the route to the other server: the longest prefix, then the lowest metric. */
export function findUnderlay(facts: HostFacts, remote: Ip, bind_device: string | null): Underlay | null {
  const [best] = facts.routes
    .filter(({ entry, network }) => contains(network, remote) && (bind_device === null || entry.device === bind_device))
    .sort((a, b) => b.network.prefix_length - a.network.prefix_length || a.entry.metric - b.entry.metric)
  const device = bind_device ?? best?.entry.device
  const found = facts.interfaces.find(({ name }) => name === device)
  return found ? { device: found.name, mtu: found.mtu } : null
}

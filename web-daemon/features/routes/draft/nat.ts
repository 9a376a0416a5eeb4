// What the destination sees as the source of a connection (decisions.md, section 4: SNAT codes).
import { canonicalIp, parseIp } from '@panel/shared/address/ip.ts'
import { isIpv4InIpv6, isLoopback, isMulticast, isReserved, isUnspecified } from '@panel/shared/address/special.ts'
import { NAT_MODES, ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { Listening } from './listener.ts'
import { draftOfInterface } from './of-interface.ts'
import { familyName, warn, type DraftContext } from './context.ts'

export interface Source {
  readonly nat_mode_id: number
  readonly snat_address: string | null
  readonly is_clamp_mss_to_pmtu: boolean
}

export function draftSource(draft: DraftContext, listening: Listening | null): Source | null {
  const { body, problems } = draft
  if (problems.has('nat_mode_id') || problems.has('snat_address')) return null
  const nat_mode_id = body.nat_mode_id ?? draft.settings.get('routes.default_nat_mode')
  const snat_address = nat_mode_id === NAT_MODES.Snat ? snatAddress(draft, listening) : null
  if (nat_mode_id === NAT_MODES.Snat && snat_address === null) return null
  for (const field of ['snat_address', 'snat_address_interface'] as const)
    if (nat_mode_id !== NAT_MODES.Snat && typeof body[field] === 'string')
      problems.add(field, 'SNAT_ADDRESS_UNUSED', message('route.snat_unused', { field }))
  warnOfNatMode(draft, nat_mode_id)
  const is_clamp_mss_to_pmtu = body.is_clamp_mss_to_pmtu ?? draft.settings.get('routes.default_clamp_mss')
  if (!is_clamp_mss_to_pmtu && draft.tunnel !== null && listening?.route_protocol_id !== ROUTE_PROTOCOLS.UDP) {
    const tunnel = tunnelNamed({ interface_name: draft.tunnel, tunnel_id: body.tunnel_id })
    warn(draft, 'MSS_CLAMP_RECOMMENDED', 'is_clamp_mss_to_pmtu', message('route.mss_clamp', { tunnel }))
  }
  return { nat_mode_id, snat_address, is_clamp_mss_to_pmtu }
}

function snatAddress(draft: DraftContext, listening: Listening | null): string | null {
  const { body, facts, problems } = draft
  const followed = draftOfInterface(draft, 'snat_address', listening?.family ?? 4)
  if (followed === null) return null
  const text = followed ?? body.snat_address ?? null
  if (text === null) {
    problems.add('snat_address', 'SNAT_ADDRESS_REQUIRED', message('route.snat_missing'))
    return null
  }
  const ip = parseIp(text)
  if (!ip || isUnspecified(ip) || isLoopback(ip) || isMulticast(ip) || isReserved(ip) || isIpv4InIpv6(ip)) {
    problems.add(
      'snat_address',
      'INVALID_SNAT_ADDRESS',
      message('route.snat_invalid', { field: 'snat_address', address: text }),
    )
    return null
  }
  const address = canonicalIp(text)
  if (listening && ip.family !== listening.family)
    problems.add(
      'snat_address',
      'ADDRESS_FAMILY_MISMATCH',
      message('route.field_family', { field: 'snat_address', family: familyName(listening.family) }),
    )
  else if (!facts.addresses.has(address))
    problems.add('snat_address', 'SNAT_ADDRESS_NOT_ON_HOST', message('route.snat_absent', { address }))
  return address
}

function warnOfNatMode(draft: DraftContext, nat_mode_id: number): void {
  if (nat_mode_id === NAT_MODES.None) {
    warn(draft, 'NAT_PRESERVES_CLIENT_ADDRESS', 'nat_mode_id', message('route.nat_none'))
  } else {
    warn(draft, 'NAT_HIDES_CLIENT_ADDRESS', 'nat_mode_id', message('route.nat_hides'))
  }
}

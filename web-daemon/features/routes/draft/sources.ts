// Who may use a rule: networks, stored with their host bits cleared (decisions.md, F6).
import { formatCidr, parseCidr } from '@panel/shared/address/ip.ts'
import { isIpv4InIpv6 } from '@panel/shared/address/special.ts'
import type { NewSource } from '../record.ts'
import type { Listening } from './listener.ts'
import { familyName, type DraftContext } from './context.ts'

export function draftSources({ body, problems }: DraftContext, listening: Listening | null): NewSource[] | null {
  if (problems.has('allowed_sources')) return null
  const sources: NewSource[] = []
  for (const [at, { cidr: text, description = '' }] of (body.allowed_sources ?? []).entries()) {
    const field = `allowed_sources.${at}.cidr`
    const network = parseCidr(text)
    if (!network || isIpv4InIpv6(network.base))
      problems.add(field, 'INVALID_CIDR', `${text} is not an address or a network such as 203.0.113.0/24.`)
    else if (listening && network.base.family !== listening.family)
      problems.add(
        field,
        'ADDRESS_FAMILY_MISMATCH',
        `${text} must be ${familyName(listening.family)}, as bind_address is.`,
      )
    else if (sources.some(({ cidr }) => cidr === formatCidr(network)))
      problems.add(field, 'INVALID_CIDR', `${formatCidr(network)} is among the allowed sources already.`)
    else sources.push({ cidr: formatCidr(network), description })
  }
  return problems.has('allowed_sources') ? null : sources
}

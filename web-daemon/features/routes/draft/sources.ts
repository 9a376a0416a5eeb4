// Who may use a rule: networks, stored with their host bits cleared (decisions.md, F6).
import { formatCidr, parseCidr } from '@panel/shared/address/ip.ts'
import { isIpv4InIpv6 } from '@panel/shared/address/special.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { NewSource } from '../record.ts'
import type { Listening } from './listener.ts'
import { familyName, type DraftContext } from './context.ts'

export function draftSources({ body, problems }: DraftContext, listening: Listening | null): NewSource[] | null {
  if (problems.hasWhole('allowed_sources')) return null
  const sources: NewSource[] = []
  for (const [at, source] of (body.allowed_sources ?? []).entries()) {
    if (problems.has(`allowed_sources.${at}`)) continue
    const { cidr: text, description = '' } = source
    const field = `allowed_sources.${at}.cidr`
    const network = parseCidr(text)
    if (!network || isIpv4InIpv6(network.base))
      problems.add(field, 'INVALID_CIDR', message('route.not_network', { network: text }))
    else if (listening && network.base.family !== listening.family)
      problems.add(
        field,
        'ADDRESS_FAMILY_MISMATCH',
        message('route.source_family', { network: text, family: familyName(listening.family) }),
      )
    else if (sources.some(({ cidr }) => cidr === formatCidr(network)))
      problems.add(field, 'INVALID_CIDR', message('route.source_twice', { network: formatCidr(network) }))
    else sources.push({ cidr: formatCidr(network), description })
  }
  return problems.has('allowed_sources') ? null : sources
}

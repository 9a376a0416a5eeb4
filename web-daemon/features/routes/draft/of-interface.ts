// The address that a rule takes from an interface, for `bind_address` and `snat_address` (decisions.md, F50).
import { addressIn, canonicalIp, parseIp, type Family } from '@panel/shared/address/ip.ts'
import { isLinkLocal, isLoopback } from '@panel/shared/address/special.ts'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import { familyName, warn, type DraftContext } from './context.ts'

export const FOLLOWING = { bind_address: 'bind_address_interface', snat_address: 'snat_address_interface' } as const
export type FollowingField = keyof typeof FOLLOWING

/** What an interface lends to rules, in the kernel's order and in canonical spelling. */
const addressesOf = ({ addresses }: HostInterface, family: Family): string[] =>
  addresses.map(addressIn).filter((address) => {
    const ip = parseIp(address)
    return ip?.family === family && !isLinkLocal(ip) && !isLoopback(ip)
  })

/** The one in use as long as the interface has it, and its first otherwise; null if it has none. */
export function addressOf(interfaceNow: HostInterface, family: Family, inUse: string | null): string | null {
  const there = addressesOf(interfaceNow, family)
  return inUse !== null && there.includes(inUse) ? inUse : (there[0] ?? null)
}

/**
 * The address for a field that follows an interface. One that has none leaves the field as it is, and is a problem where
 * that is empty. Undefined where the field is fixed, and null after a problem.
 */
export function draftOfInterface(
  draft: DraftContext,
  field: FollowingField,
  family: Family,
): string | null | undefined {
  const { body, facts, problems } = draft
  const name = body[FOLLOWING[field]] ?? null
  if (name === null) return undefined
  if (problems.has(FOLLOWING[field])) return null
  const sent = body[field] ?? ''
  const inUse = parseIp(sent) && !isWildcard(canonicalIp(sent)) ? canonicalIp(sent) : null
  const found = facts.interfaces.get(name)
  const address = found ? addressOf(found, family, inUse) : null
  if (address !== null) return address
  const words = { name, family: familyName(family) }
  if (inUse === null)
    problems.add(FOLLOWING[field], 'INTERFACE_WITHOUT_ADDRESS', message('route.interface_address_missing', words))
  else warn(draft, 'INTERFACE_WITHOUT_ADDRESS', FOLLOWING[field], message('route.interface_no_address', words))
  return inUse
}

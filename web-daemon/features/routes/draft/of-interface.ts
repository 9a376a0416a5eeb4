// The address that a rule takes from an interface, for `bind_address` and `snat_address` (decisions.md, F50).
import { canonicalIp, parseIp, type Family } from '@panel/shared/address/ip.ts'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import { message } from '@panel/shared/messages/message.ts'
import { addressOf } from '../../../platform/network/interface-address.ts'
import { familyName, warn, type DraftContext } from './context.ts'

export const FOLLOWING = { bind_address: 'bind_address_interface', snat_address: 'snat_address_interface' } as const
export type FollowingField = keyof typeof FOLLOWING

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

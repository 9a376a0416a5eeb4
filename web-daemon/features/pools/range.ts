// The range of a pool as the operator gives it, and its division into subnets with room for two ends (decisions.md,
// R35).
import { formatCidr, parseCidr, type Cidr, type Family } from '@panel/shared/address/ip.ts'
import { SHORTEST_PREFIX } from '@panel/shared/tunnel/address-rules.ts'
import type { PoolFields } from '@panel/shared/api/pools.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { Problems } from '../../platform/http/problems.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { lowestFree, type Range } from './allocation.ts'

const LENGTHS: Readonly<Record<Family, { shortest: number; longest: number }>> = {
  4: { shortest: 24, longest: 31 },
  6: { shortest: SHORTEST_PREFIX[6], longest: 127 },
}

/** The network, with host bits cleared. Null if a field has a problem, found here or by the schema. */
export function parseRange(
  { cidr, prefix_length: given }: PoolFields,
  problems: Problems,
  lengthFor: (range: Cidr) => number,
): Range | null {
  const range = cidr === undefined ? null : readRange(cidr, problems)
  if (!range || problems.has('prefix_length')) return null
  const prefix_length = given ?? lengthFor(range)
  checkLength(range, prefix_length, problems)
  if (problems.has('prefix_length')) return null
  const pool = { cidr: formatCidr(range), prefix_length }
  if (lowestFree(pool, [], () => true) !== null) return pool
  problems.add('cidr', 'INVALID_CIDR', message('pool.no_host_address', { cidr: pool.cidr }))
  return null
}

/**
 * The setting is one number for both families: below 32 it means IPv4. If the range cannot be divided by it, a subnet
 * for two ends is used.
 */
export function defaultLength({ base: { family }, prefix_length }: Cidr, settings: SettingsReader): number {
  const { shortest, longest } = LENGTHS[family]
  const usual = settings.get('addressing.default_prefix_len')
  const isMeant = family === 4 ? usual <= longest : usual > LENGTHS[4].longest
  return Math.max(isMeant ? usual : TWO_ENDS[family], shortest, prefix_length)
}

const TWO_ENDS: Readonly<Record<Family, number>> = { 4: 30, 6: 126 }

/** Also for a length that the request gives instead of the pool's own. */
export function checkLength(range: Cidr, prefix_length: number, problems: Problems): void {
  const { shortest, longest } = LENGTHS[range.base.family]
  const least = Math.max(shortest, range.prefix_length)
  if (Number.isInteger(prefix_length) && prefix_length >= least && prefix_length <= longest) return
  const about = { field: 'prefix_length', cidr: formatCidr(range) }
  const sentence =
    least === longest
      ? message('pool.one_prefix_length', { ...about, length: least })
      : message('pool.prefix_length', { ...about, least, longest })
  problems.add('prefix_length', 'INVALID_PREFIX_LENGTH', sentence)
}

function readRange(text: string, problems: Problems): Cidr | null {
  const range = text.includes('/') ? parseCidr(text) : null
  if (!range) problems.add('cidr', 'INVALID_CIDR', message('input.range', { field: 'cidr' }))
  else if (range.prefix_length > LENGTHS[range.base.family].longest)
    problems.add('cidr', 'INVALID_CIDR', message('pool.single_address', { cidr: formatCidr(range) }))
  return problems.has('cidr') ? null : range
}

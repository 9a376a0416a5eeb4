// How much of a network works: lists and incidents say the same of it (decisions.md, T37).
import type { Severity } from '@panel/shared/api/base/severity.ts'
import type { NetworkFound } from '@panel/shared/network/model.ts'
import { compareNetwork, type Comparison } from './compare.ts'
import { canCarry, failedSince, type NetworkRecord, type PathTunnels } from './record.ts'

/** `observed` null: what the host holds is not known. */
export function severityOf(
  record: NetworkRecord,
  tunnels: PathTunnels,
  observed: { readonly found: NetworkFound | null } | null,
): Severity {
  if (!record.is_enabled) return 'ok'
  if (!canCarry(record, tunnels)) return 'down'
  const failed_since = failedSince(record, tunnels)
  if (observed) return worstOf({ failed_since, ...compareNetwork(record, tunnels, observed.found) })
  return failed_since === null ? 'unknown' : 'down'
}

/** `failed_since`: since when the monitor has found every path of it down; null while one is well. */
export function worstOf({
  status,
  isCut,
  failed_since,
}: Pick<Comparison, 'status' | 'isCut'> & { readonly failed_since: string | null }): Exclude<Severity, 'unknown'> {
  if (isCut || failed_since !== null) return 'down'
  return status === 'InSync' ? 'ok' : 'degraded'
}

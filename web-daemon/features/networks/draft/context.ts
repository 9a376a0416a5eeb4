// What every part of the draft of a network works with: the request, what is stored, and facts of the host. Read once.
import type { WarningCode } from '@panel/shared/api/base/codes.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { requestProperties } from '@panel/shared/api/base/field-list.ts'
import type { CreateNetworkBody } from '@panel/shared/api/networks/bodies.ts'
import { NETWORK_FIELDS } from '@panel/shared/api/networks/fields.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import { hostFacts, type HostFacts } from '../../tunnels/facts.ts'
import { existingTunnels, type ExistingTunnel } from '../../tunnels/store.ts'
import type { NetworkRecord, PathTunnels } from '../record.ts'
import { allNetworks, pathTunnels } from '../store.ts'

/** In the order in which a request's problems are reported. */
export const FIELD_ORDER = Object.keys(requestProperties(NETWORK_FIELDS))

/** The fields of a network as a request names them; of a new one some may be missing. */
export type RequestedNetwork = Partial<Omit<CreateNetworkBody, 'idempotency_key' | 'i_understand_i_may_lose_access'>>

export interface DraftContext {
  readonly context: ReadContext
  /** What is stored stands in the place of fields that are absent. */
  readonly body: RequestedNetwork
  readonly problems: Problems
  readonly warnings: Warning[]
  readonly stored: NetworkRecord | null
  /** All other networks. */
  readonly others: readonly NetworkRecord[]
  readonly tunnels: readonly ExistingTunnel[]
  readonly pathTunnels: PathTunnels
  readonly facts: HostFacts
}

export async function makeDraftContext(
  context: ReadContext,
  { body: sent, problems }: { readonly body: RequestedNetwork; readonly problems: Problems },
  stored: NetworkRecord | null,
): Promise<DraftContext> {
  const { db, request } = context
  const named = Object.fromEntries(Object.entries(sent).filter(([name]) => FIELD_ORDER.includes(name)))
  const body: RequestedNetwork = { ...(stored && asBody(stored)), ...named }
  const [facts, all, tunnels] = await Promise.all([hostFacts(request), allNetworks(db), existingTunnels(db)])
  const others = all.filter(({ network_id }) => network_id !== stored?.network_id)
  const ids = (body.paths ?? []).map(({ tunnel_id }) => tunnel_id)
  const known = await pathTunnels(db, stored ? [stored] : [], ids)
  return { context, body, problems, warnings: [], stored, others, tunnels, pathTunnels: known, facts }
}

/** The stored network as the request that would create it. */
export const asBody = (record: Omit<NetworkRecord, 'network_id'>): Required<RequestedNetwork> => ({
  network_title: record.network_title,
  note: record.note,
  is_enabled: record.is_enabled,
  destination: record.destination,
  paths: record.paths.map(({ tunnel_id, preference, weight }) => ({ tunnel_id, preference, weight })),
  own_addresses: [...record.own_addresses],
  source_address: record.source_address,
  metric: record.metric,
})

export function warn({ warnings }: DraftContext, code: WarningCode, field: string, text: Message): void {
  warnings.push({ code, ...text, field })
}

// From a request to the record that will be stored and the state that root shall keep. It only reads.
import { formatCidr } from '@panel/shared/address/ip.ts'
import { withDefaults } from '@panel/shared/api/base/field-list.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { NETWORK_FIELDS } from '@panel/shared/api/networks/fields.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import type { NetworkRecord, NewNetwork, PathTunnels } from '../record.ts'
import { draftOwnAddresses, draftSource } from './addresses.ts'
import { FIELD_ORDER, makeDraftContext, type DraftContext, type RequestedNetwork } from './context.ts'
import { draftDestination } from './destination.ts'
import { checkCarriers, draftPaths } from './paths.ts'
import { checkTitle, titleFor } from './title.ts'
import { warnOfUnderlay } from './underlay.ts'

export interface Draft {
  readonly record: NewNetwork
  readonly warnings: Warning[]
  readonly tunnels: PathTunnels
}

export interface DraftRequest {
  readonly body: RequestedNetwork
  /** Prefilled with what the schema found. */
  readonly problems: Problems
}

/** Throws 422 with all problems at once. `stored`: the network that is to become this. */
export async function draftNetwork(
  context: ReadContext,
  request: DraftRequest,
  stored: NetworkRecord | null = null,
): Promise<Draft> {
  const draft = await makeDraftContext(context, request, stored)
  await checkTitle(context.db, request.body.network_title, draft)
  const record = await draftRecord(draft, request.body.network_title)
  if (record) checkCarriers(record, draft.pathTunnels, draft.problems)
  draft.problems.throwIfAny(FIELD_ORDER)
  if (!record) throw new Error('A draft without problems is incomplete')
  await warnOfUnderlay(draft)
  return { record, warnings: draft.warnings, tunnels: draft.pathTunnels }
}

/** Null if a problem leaves something undecided. */
async function draftRecord(draft: DraftContext, title: string | undefined): Promise<NewNetwork | null> {
  const { context, body, stored } = draft
  const network = await draftDestination(draft)
  const paths = draftPaths(draft)
  const own_addresses = draftOwnAddresses(draft, network)
  const source_address = draftSource(draft, network, own_addresses ?? [])
  if (!network || !paths || !own_addresses || source_address === undefined) return null
  const destination = formatCidr(network)
  const now = context.now().toISOString()
  return {
    ...withDefaults(NETWORK_FIELDS, body),
    ...(stored && howApplied(stored)),
    network_title: await titleFor(context.db, title, destination, stored),
    destination,
    paths,
    own_addresses,
    source_address,
    created_date: stored?.created_date ?? now,
    updated_date: now,
  }
}

/** How it was applied last stays until the change is applied. */
const howApplied = ({
  apply_status_id,
  last_applied_date,
  last_apply_error,
  last_apply_error_message,
}: NetworkRecord) => ({ apply_status_id, last_applied_date, last_apply_error, last_apply_error_message })

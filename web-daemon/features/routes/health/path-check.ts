// Whether this server lets through what a rule relays: its own forwarding, and the firewalls of other software.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import type { RelayBlock } from '@panel/shared/foreign/relay-block.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import type { CommandContext, ReadContext } from '../../../platform/context.ts'
import { forwardFor } from '../../forwarding/auto.ts'
import { foreignBlocks, foreignRules, remediesOf, toldOf } from '../../forwarding/foreign.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { tunnelNames } from '../../tunnels/store.ts'
import { familyOf, ruleOf, type NamedRoute, type RouteRecord } from '../record.ts'
import { onlyEgressDevice } from './egress.ts'

/** Turns forwarding on for an enabled rule, and warns of foreign firewalls. Call it inside `inTurn`. */
export async function preparePath(context: CommandContext, record: RouteRecord): Promise<Warning[]> {
  return record.is_enabled
    ? [...(await forwardFor(context, familyOf(record))), ...(await foreignWarnings(context, record))]
    : []
}

export async function blocksOfRoute(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  record: NamedRoute,
  foreign: ForeignFound,
): Promise<RelayBlock[]> {
  const rule = ruleOf({ ...record, is_enabled: true })
  if (!rule || rule.destinations.length === 0 || foreign.chains.length === 0) return []
  const names = await tunnelNames(db, record.tunnel_id === null ? [] : [record.tunnel_id])
  return foreignBlocks(
    request,
    foreign,
    rule,
    record.tunnel_id === null ? await onlyEgressDevice(request, record) : (names.get(record.tunnel_id) ?? null),
  )
}

/** The rule stands even if this cannot be read. Single rules that might drop packets are left to the analysis. */
async function foreignWarnings(context: CommandContext, record: RouteRecord): Promise<Warning[]> {
  try {
    const blocks = await blocksOfRoute(context, record, await foreignRules(context.request))
    const [block] = blocks
    return block && (block.is_certain || block.is_policy)
      ? [{ code: 'FOREIGN_FORWARD_POLICY_DROP', ...verbatim(`${toldOf(block)} ${remediesOf(blocks)}`), field: '' }]
      : []
  } catch (refused) {
    if (refused instanceof Refusal) return []
    throw refused
  }
}

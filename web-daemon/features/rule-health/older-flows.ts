// UDP flows to the listener of a rule that are older than the rule (decisions.md, S36).
import { listensForUdp } from '@panel/shared/ruleset/in-force.ts'
import { fromRoot, message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ruleOf } from '../routes/record.ts'
import { cause } from './cause.ts'
import { byCauses, passes, type Finding } from './finding.ts'
import type { Judged } from './health.ts'

/** A sender that the rule refuses has a flow that it does not own either, so nothing is found then. */
export async function olderFlows({ request }: Pick<ReadContext, 'request'>, { record }: Judged): Promise<Finding[]> {
  const rule = ruleOf(record)
  if (!rule || !listensForUdp(rule) || rule.allowed_sources.length > 0 || rule.bind_interface !== null) return []
  const { bind_address, bind_port, bind_port_range_end } = rule
  const found = await request('connections.older', { listeners: [{ bind_address, bind_port, bind_port_range_end }] })
  if (!found.is_readable)
    return [passes('older_flows', message('health.older_unreadable', { detail: fromRoot(found.detail) }))]
  const count = found.connections
  if (count === 0) return []
  const older = cause('OLDER_FLOW', 'degrades', message('health.older_flows', { count }), {
    remedies: [message('health.fix_older')],
  })
  return [byCauses('older_flows', [older], ['OLDER_FLOW'], older.sentence, { flows: count })]
}

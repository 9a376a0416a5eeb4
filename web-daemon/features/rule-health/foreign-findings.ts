// What rules of other software do to the packets of a rule.
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { fromRoot, message } from '@panel/shared/messages/message.ts'
import { hex } from '@panel/shared/ruleset/mark.ts'
import type { StoreContext } from '../../platform/context.ts'
import { describeWriter } from '../forwarding/foreign.ts'
import { byCauses, passes, stops, type Finding } from './finding.ts'
import type { Judged } from './health.ts'

export function firewalls(foreign: ForeignFound, { causes, facts }: Judged): Finding {
  const { is_readable: readable, managers, total } = foreign
  const [block = null] = facts.foreign?.blocks ?? []
  const data = { readable, managers, total, block: block && { ...block, remedy: block.remedy.message } }
  const codes = ['FOREIGN_DROP', 'FOREIGN_MAY_DROP', 'NOT_TRACKED', 'NOT_READ'] as const
  return byCauses('foreign_rules', causes, codes, message('health.firewalls_fine', { count: total }), data)
}

export const taken = ({ causes, facts }: Judged): Finding =>
  byCauses('foreign_dnat', causes, ['FOREIGN_DNAT'], message('health.not_taken'), { ...facts.foreign?.takers[0] })

/**
 * What is not masqueraded finds no way back, where the destination's own way leads past this server. Rules that cannot
 * be read, and programs in the kernel, show in the connections alone.
 */
export async function marked({ request }: StoreContext, { record, causes, facts }: Judged): Promise<Finding> {
  const { route_rule_id } = record
  const [writer] = facts.foreign?.writers ?? []
  const unmarked = await request('ruleset.unmarked', { route_rule_id })
  const data = { ...writer, unmarked_connections: unmarked.is_readable ? unmarked.connections : null }
  if (writer) return byCauses('connection_mark', causes, ['FOREIGN_MARK'], describeWriter(writer), data)
  if (unmarked.connections > 0) {
    const params = { count: unmarked.connections, marks: unmarked.marks.map(hex).join(', ') }
    const finding = passes('connection_mark', message('health.unmarked', params), data)
    return stops('FORWARD_BLOCKED', finding, [message('health.fix_unmarked')], false)
  }
  return unmarked.is_readable
    ? passes('connection_mark', message('health.not_marked'), data)
    : passes('connection_mark', message('health.marks_unreadable', { why: fromRoot(unmarked.detail) }), data)
}

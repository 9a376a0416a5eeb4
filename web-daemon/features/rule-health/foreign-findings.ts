// What rules of other software do to the packets of a rule.
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { fromRoot, message } from '@panel/shared/messages/message.ts'
import { hex } from '@panel/shared/ruleset/mark.ts'
import type { StoreContext } from '../../platform/context.ts'
import { blockMessage, describeTaker, describeWriter, remediesOf, type InTheWay } from '../forwarding/foreign.ts'
import type { RouteRecord } from '../routes/record.ts'
import { passes, stops, type Finding } from './finding.ts'

/** What cannot be read for certain is evidence, not a verdict. */
export function blocked(foreign: ForeignFound, { blocks }: InTheWay): Finding {
  const { is_readable: readable, managers, total, detail } = foreign
  const [block = null] = blocks
  const data = { readable, managers, total, block: block && { ...block, remedy: block.remedy.message } }
  if (!readable && block?.is_certain !== true)
    return passes('foreign_rules', message('health.firewalls_unreadable', { detail: fromRoot(detail) }), data)
  if (!block) return passes('foreign_rules', message('health.firewalls_fine', { count: total }), data)
  if (!block.is_certain)
    return passes(
      'foreign_rules',
      message('health.block_unsure', { block: blockMessage(block), remedies: remediesOf(blocks) }),
      data,
    )
  return stops(
    'FORWARD_BLOCKED',
    passes('foreign_rules', blockMessage(block), data),
    blocks.map(({ remedy }) => remedy),
  )
}

export function taken({ takers }: InTheWay): Finding {
  const [taker] = takers
  if (!taker) return passes('foreign_dnat', message('health.not_taken'))
  const finding = passes('foreign_dnat', describeTaker(taker), { ...taker })
  return taker.is_certain ? stops('RULE_SHADOWED', finding, [message('forwarding.fix_taken')]) : finding
}

/**
 * What is not masqueraded finds no way back, where the destination's own way leads past this server. Rules that cannot
 * be read, and programs in the kernel, show in the connections alone.
 */
export async function marked(
  { request }: StoreContext,
  { route_rule_id }: RouteRecord,
  { writers: [writer] }: InTheWay,
): Promise<Finding> {
  const unmarked = await request('ruleset.unmarked', { route_rule_id })
  const data = { ...writer, unmarked_connections: unmarked.is_readable ? unmarked.connections : null }
  if (writer) {
    const finding = passes('connection_mark', describeWriter(writer), data)
    return writer.is_after && writer.is_certain
      ? stops('FORWARD_BLOCKED', finding, [message('forwarding.fix_mark')], false)
      : finding
  }
  if (unmarked.connections > 0) {
    const params = { count: unmarked.connections, marks: unmarked.marks.map(hex).join(', ') }
    const finding = passes('connection_mark', message('health.unmarked', params), data)
    return stops('FORWARD_BLOCKED', finding, [message('health.fix_unmarked')], false)
  }
  return unmarked.is_readable
    ? passes('connection_mark', message('health.not_marked'), data)
    : passes('connection_mark', message('health.marks_unreadable', { why: fromRoot(unmarked.detail) }), data)
}

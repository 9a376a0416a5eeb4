// A range that is relayed to other ports costs the kernel one set element per port, so their number is limited: that of
// a rule, and what all rules take together.
import { ELEMENTS_MAX, SHIFTED_PORTS_MAX, shiftedPorts, shiftedPortsAtMost } from '@panel/shared/ruleset/elements.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { ReadDb } from '../../../platform/context.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { isRotated, ruleOf, type NamedRoute } from '../record.ts'
import { elementsOfOthers, elementsOfRecord } from '../store-elements.ts'

/**
 * Throws 422. Call it once nothing else is wrong. A disabled rule is checked by itself as if it were enabled. What
 * takes no more than before is never too much.
 */
export async function refuseTooManyPorts(db: ReadDb, record: NamedRoute, stored: NamedRoute | null): Promise<void> {
  const rule = ruleOf({ ...record, is_enabled: true })
  // Root refuses a rotation that takes too many, and then a destination that is down would stay in.
  const count = rule ? (isRotated(record) ? shiftedPortsAtMost : shiftedPorts)(rule) : 0
  if (count > SHIFTED_PORTS_MAX)
    refuse('bind_port_range_end', message('route.shift_too_wide', { count, most: SHIFTED_PORTS_MAX }))
  const wanted = elementsOfRecord(record)
  if (wanted <= (stored ? elementsOfRecord(stored) : 0)) return
  const sum = wanted + (await elementsOfOthers(db, record.route_rule_id))
  if (sum > ELEMENTS_MAX)
    refuse(
      count > 0 ? 'bind_port_range_end' : 'bind_port',
      message('route.too_many_elements', { count: sum, most: ELEMENTS_MAX }),
    )
}

function refuse(field: string, why: Message): void {
  const problems = new Problems()
  problems.add(field, 'INVALID_PORT_RANGE', why)
  problems.throwIfAny()
}

// A range that is relayed to other ports costs the kernel one set element per port, so their number is limited.
import { SHIFTED_PORTS_MAX, shiftedPorts } from '@panel/shared/ruleset/slots.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { ruleOf, type NamedRoute } from '../record.ts'

/** Throws 422. Call it once nothing else is wrong. A disabled rule is checked as if it were enabled. */
export function refuseTooManyPorts(record: NamedRoute): void {
  const rule = ruleOf({ ...record, is_enabled: true })
  const count = rule ? shiftedPorts(rule) : 0
  if (count <= SHIFTED_PORTS_MAX) return
  const problems = new Problems()
  problems.add(
    'bind_port_range_end',
    'INVALID_PORT_RANGE',
    `The range and its destinations shift ${count} ports, and ${SHIFTED_PORTS_MAX} are the most: bind the very ports that the destinations have, or fewer.`,
  )
  problems.throwIfAny()
}

// A range that goes to other ports than are bound costs the kernel an element for each of them, and so there is a most.
import { SHIFTED_PORTS_MAX, shiftedPorts } from '@panel/shared/ruleset/slots.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { ruleOf, type NamedRoute } from '../record.ts'

/** 422; call it once nothing else is wrong. A rule that is not in force yet is judged as if it were. */
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

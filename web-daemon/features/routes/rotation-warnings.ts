// What an operator is warned of while destinations of a rule are down, or taken out by hand.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { message } from '@panel/shared/messages/message.ts'
import { shiftedPorts } from '@panel/shared/ruleset/elements.ts'
import { portsOf, spelledEnd } from './ports.ts'
import { isRotated, isActive, rotationOf, ruleOf, type NamedRoute, type NewDestination } from './record.ts'

/** The number of shifted ports from which on moving them is felt. */
export const SHIFTED_SLOW = 10_000

export function rotationWarnings(record: NamedRoute): Warning[] {
  if (!record.is_enabled) return []
  return [...outWarnings(record), ...shiftedWarnings(record)]
}

function outWarnings(record: NamedRoute): Warning[] {
  const active = record.destinations.filter((one) => isActive(one) && one.address !== '')
  const out = active.filter((one) => rotationOf(one) === 'out')
  const field = 'destinations'
  if (out.length > 0 && out.length === active.length) {
    const isClosed = ruleOf(record)?.is_closed === true
    return [
      { code: 'ALL_DESTINATIONS_DOWN', ...message(isClosed ? 'check.all_down_refused' : 'check.all_down'), field },
    ]
  }
  return out
    .filter(({ state }) => state === 'down')
    .map((one) => ({
      code: 'DESTINATION_DOWN' as const,
      ...message('check.destination_down', { destination: endOf(one) }),
      field,
    }))
}

/** A rule that is never rotated moves none. */
function shiftedWarnings(record: NamedRoute): Warning[] {
  const rule = ruleOf(record)
  const count = rule && isRotated(record) && rule.destinations.length > 1 ? shiftedPorts(rule) : 0
  if (count < SHIFTED_SLOW) return []
  return [{ code: 'SHIFTED_RANGE_SLOW', ...message('check.shifted_slow', { count }), field: 'bind_port_range_end' }]
}

export const endOf = ({ address, port, hostname }: Pick<NewDestination, 'address' | 'port' | 'hostname'>): string =>
  spelledEnd(hostname ?? address, portsOf(port, null))

// How the destinations of a draft are checked: what can be decided, and what becomes of connections while none is up.
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import { CHECK_DEFAULTS, type RouteCheck, type RouteCheckBody } from '@panel/shared/api/routes/check.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { NewDestination } from '../record.ts'
import { processesOn } from './conflicts.ts'
import type { DraftContext } from './context.ts'
import type { Listening } from './listener.ts'

export function checkCheck(draft: DraftContext, listening: Listening): void {
  const { body, problems } = draft
  const { check } = body
  if (!check) return
  // Silence of a UDP port says nothing, so how such a rule is checked is for the operator to say.
  if (listening.route_protocol_id === ROUTE_PROTOCOLS.UDP && check.kind === undefined && !problems.has('check.kind'))
    problems.add('check.kind', 'CHECK_UNDECIDABLE', message('check.undecidable'))
  if ((check.timeout_ms ?? CHECK_DEFAULTS.timeout_ms) > (check.interval_ms ?? CHECK_DEFAULTS.interval_ms))
    problems.add('check.timeout_ms', 'INVALID_VALUE', message('check.timeout', { field: 'check.timeout_ms' }))
  const [user] = check.on_all_down === 'refuse' ? processesOn(draft, listening) : []
  if (user)
    problems.add(
      'check.on_all_down',
      'PORT_IN_USE',
      message('check.refuse_in_use', {
        process: user.process || message('route.a_process'),
        protocol: user.protocol,
        port: user.port,
      }),
    )
}

/** Without checks nothing is known of the destinations. */
export function checkedAs(
  body: RouteCheckBody | null,
  destinations: readonly NewDestination[],
): { check: RouteCheck | null; destinations: NewDestination[] } {
  const check = body && { ...CHECK_DEFAULTS, ...body }
  return {
    check,
    destinations: check?.is_enabled ? [...destinations] : destinations.map((one) => ({ ...one, state: 'unknown' })),
  }
}

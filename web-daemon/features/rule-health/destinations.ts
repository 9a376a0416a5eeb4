// The health of a rule by its destinations: how many of them take new connections, and why the others do not.
import type { RouteHealthState } from '@panel/shared/api/routes/answers.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { isActive, isUnresolved, rotationOf, ruleOf, type RouteRecord } from '../routes/record.ts'
import { endOf } from '../routes/rotation-warnings.ts'
import { isDrained } from '../failover/shown-state.ts'
import { takersOf } from '../failover/takers.ts'

export interface Verdict {
  readonly state: RouteHealthState
  readonly sentence: Message
}

/** Null where all are in rotation. What was taken out by hand impairs nothing while others are up. */
export function ofDestinations(
  record: RouteRecord,
  reasonOf: (route_destination_id: number) => Message | null,
): Verdict | null {
  const active = record.destinations.filter((one) => isActive(one) && one.address !== '')
  const out = active.filter((one) => rotationOf(one) === 'out')
  const worst = out.find(({ state }) => state === 'down') ?? out[0]
  if (!worst) return null
  const why = isDrained(worst)
    ? message('check.drained')
    : (reasonOf(worst.route_destination_id) ?? message('check.never'))
  const params = { total: active.length, destination: endOf(worst), why }
  if (out.length === active.length)
    return {
      state: 'impaired',
      sentence: message(ruleOf(record)?.is_closed ? 'check.health_refused' : 'check.health_kept', params),
    }
  const takers = takersOf(record)
  const primaries = active.filter(({ is_backup }) => !is_backup)
  const sentence = takers.every(({ is_backup }) => is_backup)
    ? message('check.health_backup', { destination: params.destination, why })
    : message('check.health_some', { ...params, total: primaries.length, count: takers.length })
  return { state: isDrained(worst) ? 'healthy' : 'impaired', sentence }
}

/** The kernel holds nothing of a rule that has no address to relay to. */
export function closed({ destinations }: RouteRecord): Verdict | null {
  const hostname = destinations.find(isUnresolved)?.hostname
  return hostname ? { state: 'impaired', sentence: message('check.health_unresolved', { hostname }) } : null
}

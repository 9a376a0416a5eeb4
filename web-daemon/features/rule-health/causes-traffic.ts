// The causes that only packets show: what went to the destination and did not come back.
import { NAT_MODES, ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import { message } from '@panel/shared/messages/message.ts'
import { isOneWay } from '../traffic/evidence.ts'
import type { RouteRecord } from '../routes/record.ts'
import { cause, type Cause } from './cause.ts'
import type { RuleFacts } from './facts.ts'

/** UDP may be meant for one direction alone, such as logs. */
export function ofTraffic(record: RouteRecord, { unanswered }: Pick<RuleFacts, 'unanswered'>): Cause[] {
  if (!isOneWay(unanswered)) return []
  const isOwed = record.route_protocol_id === ROUTE_PROTOCOLS.TCP
  const remedies = [
    message(record.nat_mode_id === NAT_MODES.None ? 'health.fix_way_back' : 'health.fix_destination_silent'),
  ]
  const sentence = message('health.no_replies', { count: unanswered.packets })
  return [cause('NO_REPLIES', isOwed ? 'stops' : 'may_stop', sentence, { remedies })]
}

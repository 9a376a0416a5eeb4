// The causes that only packets show: what went to the destination and did not come back.
import { NAT_MODES, ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import { message } from '@panel/shared/messages/message.ts'
import { isOneWay } from '../traffic/evidence.ts'
import type { RouteRecord } from '../routes/record.ts'
import { cause, type Cause } from './cause.ts'
import type { RuleFacts } from './facts.ts'

/** UDP may be meant for one direction alone, such as logs. */
export function ofTraffic(record: RouteRecord, facts: RuleFacts): Cause[] {
  const { unanswered } = facts
  if (!isOneWay(unanswered)) return elsewhere(record, facts)
  const isOwed = record.route_protocol_id === ROUTE_PROTOCOLS.TCP
  const remedies = [
    message(record.nat_mode_id === NAT_MODES.None ? 'health.fix_way_back' : 'health.fix_destination_silent'),
  ]
  const sentence = message('health.no_replies', { count: unanswered.packets })
  return [cause('NO_REPLIES', isOwed ? 'stops' : 'may_stop', sentence, { remedies })]
}

/** Other networks drop packets that come from an address which is not theirs. */
function elsewhere({ bind_interface }: RouteRecord, { stuck, owner }: RuleFacts): Cause[] {
  const came_in = bind_interface ?? owner?.name
  const away = stuck.find(({ device }) => device !== null && device !== '' && device !== came_in)
  if (came_in === undefined || !away) return []
  const { address, device } = away
  return [
    cause(
      'REPLIES_LEAVE_ELSEWHERE',
      'stops',
      message('health.replies_elsewhere', { address, device: device ?? '', name: came_in }),
      {
        remedies: [message('health.fix_reply_route', { name: came_in })],
      },
    ),
  ]
}

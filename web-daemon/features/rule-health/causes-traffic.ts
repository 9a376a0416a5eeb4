// The causes that only packets show: what went to the destination and did not come back.
import { NAT_MODES, ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { TunnelOnPath } from '@panel/shared/api/routes/answers.ts'
import type { Effect } from '@panel/shared/api/routes/cause-codes.ts'
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { isOneWay } from '../traffic/evidence.ts'
import { atFarEnd } from '../routes/path/far-end.ts'
import { familyOf, type RouteRecord } from '../routes/record.ts'
import { cause, type Cause } from './cause.ts'
import type { RuleFacts } from './facts.ts'

/** UDP may be meant for one direction alone, such as logs. */
export function ofTraffic(record: RouteRecord, facts: RuleFacts): Cause[] {
  const { unanswered } = facts
  if (!isOneWay(unanswered)) return ofReplies(record, facts)
  const effect = record.route_protocol_id === ROUTE_PROTOCOLS.TCP ? 'stops' : 'may_stop'
  const keepsClients = record.nat_mode_id === NAT_MODES.None
  const over = keepsClients ? facts.tunnels.find(({ tunnel_id }) => facts.answersProbes(tunnel_id)) : undefined
  if (over) return [anotherWay(record, facts, over, effect)]
  const remedies = [message(keepsClients ? 'health.fix_way_back' : 'health.fix_destination_silent')]
  return [cause('NO_REPLIES', effect, message('health.no_replies', { count: unanswered.packets }), { remedies })]
}

/** The far end is there, and sends what is due to the clients by its own default route. */
function anotherWay(
  record: RouteRecord,
  { unanswered: { packets: count }, paths }: RuleFacts,
  over: TunnelOnPath,
  effect: Effect,
): Cause {
  const hops = paths.hopsOf(record)
  const addresses = record.destinations
    .filter(({ is_enabled }) => is_enabled)
    .flatMap(({ address }, at) => (hops[at] === over.tunnel_id && address !== '' ? [address] : []))
  const sentence = message('far_end.another_way', { count, tunnel: tunnelNamed(over) })
  const remedies = atFarEnd(paths, over.tunnel_id, addresses)
  return cause('ANSWERS_TAKE_ANOTHER_WAY', effect, sentence, { remedies })
}

/** Other networks drop packets that come from an address which is not theirs. Root leads those of its uplinks back. */
export function ofReplies(
  record: Pick<RouteRecord, 'bind_interface' | 'address_family_id'>,
  { stuck, owner, held }: Pick<RuleFacts, 'stuck' | 'owner' | 'held'>,
): Cause[] {
  const { bind_interface } = record
  const isAnswered = held?.uplinks.some(
    ({ interface_name, family }) => interface_name === bind_interface && family === familyOf(record),
  )
  const came_in = isAnswered ? undefined : (bind_interface ?? owner?.name)
  const away = stuck.find(({ device }) => device !== null && device !== '' && device !== came_in)
  if (came_in === undefined || !away) return []
  const { address, device } = away
  return [
    cause(
      'REPLIES_LEAVE_ELSEWHERE',
      'stops',
      message('health.replies_elsewhere', { address, device: device ?? '', name: came_in }),
      {
        remedies: [
          message(bind_interface === null ? 'health.fix_reply_interface' : 'health.fix_reply_route', { name: came_in }),
        ],
      },
    ),
  ]
}

// Whether anything has come to a rule, and whether what came was forwarded and answered.
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { trafficView } from '../traffic/view.ts'
import { settingRemedies } from './cause.ts'
import { isStrict } from './causes-reverse.ts'
import { byCauses, passes, stops, type Finding } from './finding.ts'
import type { Judged } from './health.ts'

export async function inbound(
  { request }: Pick<ReadContext, 'request'>,
  traffic: Traffic,
  { record, causes, facts }: Judged,
): Promise<Finding> {
  await traffic.read()
  const view = await trafficView(traffic, record)
  const arrived = await request('ruleset.arrived', { route_rule_id: record.route_rule_id })
  const data = {
    tx_packets_since_boot: view.tx_packets_since_boot,
    tx_packets_since_creation: view.tx_packets_since_creation,
    rx_packets_since_creation: view.rx_packets_since_creation,
    read: traffic.available.is_readable,
    arrived: arrived.is_readable ? arrived.connections : null,
  }
  const { tx_packets_since_creation: there, rx_packets_since_creation: back } = view
  if (there > 0) return relayed(causes, { there, back }, data)
  if (arrived.connections > 0) return droppedHere(arrived.connections, facts.near, data)
  const isInDoubt = (facts.foreign?.takers.length ?? 0) > 0 || facts.foreign?.writers.some(({ is_after }) => is_after)
  const fix = [
    message('health.fix_try'),
    message('health.fix_inbound', {
      what: record.route_protocol_id === ROUTE_PROTOCOLS.UDP ? 'datagrams' : 'connections',
      port: record.bind_port,
    }),
  ]
  return stops(
    'NO_INBOUND_TRAFFIC',
    passes('traffic', message('health.nothing_came'), data),
    fix,
    traffic.available.is_readable && isInDoubt !== true,
  )
}

/** They came as far as the translation, and not to the counters behind the filters. */
function droppedHere(count: number, near: HostInterface | null, data: Record<string, unknown>): Finding {
  const finding = passes('traffic', message('health.none_forwarded', { count }), data)
  // The filter that looks at the way back stands between the two, and no listing shows whom it drops.
  return near && isStrict(near)
    ? stops('REVERSE_PATH', finding, settingRemedies(near.name, 'rp_filter=2'), false)
    : stops('FORWARD_BLOCKED', finding, [message('health.fix_none_forwarded')])
}

const SHOWN_BY_PACKETS = ['ANSWERS_TAKE_ANOTHER_WAY', 'NO_REPLIES', 'REPLIES_LEAVE_ELSEWHERE'] as const

/** Nothing has come back yet of what went a moment ago: that is no certainty until the counters were read again. */
function relayed(
  causes: Judged['causes'],
  packets: { readonly there: number; readonly back: number },
  data: Record<string, unknown>,
): Finding {
  const well = message('health.has_relayed', packets)
  const finding = byCauses('traffic', causes, SHOWN_BY_PACKETS, well, data)
  if (finding.verdict !== null || packets.back > 0) return finding
  return stops('NO_REPLIES', finding, [message('health.fix_destination_silent')], false)
}

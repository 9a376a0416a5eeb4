// What each part of the snapshot says about a tunnel: always evidence, and a verdict if something is wrong
// (decisions.md, D7).
import type { Evidence } from '@panel/shared/api/analysis.ts'
import type { TunnelVerdict } from '@panel/shared/api/diagnostics.ts'
import type { PingPacket } from '@panel/shared/path/model.ts'
import { fromRoot, message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import { findGreBlock, type GreBlock } from '@panel/shared/foreign/gre-block.ts'
import { drawnSentence } from '../system/limits.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { isAnswered, type PingSample, type TunnelSnapshot } from './snapshot.ts'
import { DROPPED_HERE, NO_SUCH_TUNNEL } from './root-words.ts'

export interface Finding {
  readonly evidence: Evidence
  readonly sentence: Message
  /** Null if nothing is wrong. */
  readonly verdict: TunnelVerdict | null
  readonly fix: readonly Message[]
  readonly isCertain: boolean
}

/** In the order in which they decide the verdict. */
export function evaluateSnapshot(record: TunnelRecord, snapshot: TunnelSnapshot): Finding[] {
  const facts = {
    ...snapshot,
    block: isAnswered(snapshot.inside) ? null : findGreBlock(record, snapshot.foreign, snapshot.device),
  }
  return [
    present(record, facts),
    up(record, facts),
    underlay(record, facts),
    answers(record, facts),
    traffic(record, facts),
    mtu(record, facts),
    firewall(record, facts),
    ...draws(facts),
  ]
}

/** `block`: a rule of other software that certainly drops the tunnel's packets. Not searched for if packets arrive. */
type Facts = TunnelSnapshot & { readonly block: GreBlock | null }

const fine = (name: string, sentence: Message, data: Record<string, unknown> = {}): Finding => ({
  evidence: { name, ...messageFields('detail', sentence), data },
  sentence,
  verdict: null,
  fix: [],
  isCertain: true,
})
const fails = (verdict: TunnelVerdict, finding: Finding, fix: readonly Message[], isCertain = true): Finding => ({
  ...finding,
  verdict,
  fix,
  isCertain,
})

function present({ interface_name }: TunnelRecord, { link }: Facts): Finding {
  if (link)
    return fine('interface', message('finding.interface', { name: interface_name }), {
      index: link.index,
      kind: link.kind,
      mtu: link.mtu,
    })
  return fails('INTERFACE_MISSING', fine('interface', message('finding.interface_missing', { name: interface_name })), [
    message('finding.fix_reapply'),
  ])
}

function up({ interface_name, is_enabled }: TunnelRecord, { link }: Facts): Finding {
  if (!link) return fine('link', message('finding.no_link'))
  const data = { is_up: link.is_up, is_lower_up: link.is_lower_up, oper_state: link.oper_state }
  if (link.is_up && link.is_lower_up) return fine('link', message('finding.link_up', { name: interface_name }), data)
  const fix = !is_enabled
    ? message('finding.fix_enable')
    : link.is_up
      ? message('finding.fix_bound')
      : message('finding.fix_reapply')
  return fails(
    'INTERFACE_DOWN',
    fine('link', message(link.is_up ? 'finding.link_lower_down' : 'finding.link_down', { name: interface_name }), data),
    [fix],
  )
}

const pingData = ({ target, packets }: PingSample): Record<string, unknown> => ({
  target,
  sent: packets.length,
  received: packets.filter(({ outcome }) => outcome === 'reply').length,
  packets,
})
const some = (pinged: PingSample | null, holds: (packet: PingPacket) => boolean): boolean =>
  pinged?.packets.some(holds) ?? false
const isDroppedHere = (pinged: PingSample | null): boolean =>
  some(pinged, ({ outcome, detail }) => outcome === 'not_sent' && detail.includes(DROPPED_HERE))
const failureDetail = ({ packets }: PingSample): Message => {
  const detail = packets.find((one) => one.detail !== '')?.detail
  return detail === undefined ? message('finding.no_answer') : fromRoot(detail)
}
const receivesInside = ({ inside, sample: counted }: Facts): boolean =>
  isAnswered(inside) || (counted?.deltas.rx_packets ?? 0) > 0

/** The kernel accepts a packet into the tunnel and counts an error if it cannot be sent on. */
const isStuckHere = ({ sample: counted, around }: Facts): boolean =>
  (counted?.deltas.tx_errors ?? 0) > 0 && isAnswered(around)
const isBlockedHere = (facts: Facts): boolean =>
  facts.block !== null || isStuckHere(facts) || isDroppedHere(facts.inside) || isDroppedHere(facts.around)

/** The other server has no tunnel with these endpoints and keys. */
const isRefusedThere = ({ inside }: Facts): boolean =>
  some(inside, ({ outcome, detail }) => outcome === 'unreachable' && detail.includes(NO_SUCH_TUNNEL))

/**
 * Received packets do not match this tunnel, or a host behind it does not know the address, or nothing can be sent from
 * the own address.
 */
const isMismatched = (facts: Facts): boolean =>
  (facts.sample?.deltas.rx_errors ?? 0) > 0 ||
  (facts.link?.is_up === true &&
    some(facts.inside, ({ outcome, detail, from_address }) =>
      outcome === 'not_sent'
        ? !detail.includes(DROPPED_HERE)
        : outcome === 'unreachable' && from_address !== facts.inside?.source && !detail.includes('GRE'),
    ))

/**
 * Replies with another key or source match no interface and are refused; so are unrelated packets, hence the threshold.
 */
const isRefusedHere = ({ inside, refused }: Facts): boolean => inside !== null && refused >= inside.packets.length

/** A server that answers no pings is not unreachable: not if packets come out of the tunnel. */
function underlay({ local_endpoint, remote_endpoint }: TunnelRecord, facts: Facts): Finding {
  const { around } = facts
  if (isAnswered(around))
    return fine('underlay', message('finding.underlay_answers', { address: remote_endpoint }), pingData(around))
  const data = fine(
    'underlay',
    message('finding.underlay_silent', { address: remote_endpoint, why: failureDetail(around) }),
    pingData(around),
  )
  const isReported = some(around, ({ outcome }) => outcome === 'unreachable' || outcome === 'not_sent')
  if (receivesInside(facts) || isRefusedThere(facts) || isDroppedHere(around) || (isBlockedHere(facts) && !isReported))
    return data
  const isOwnFault = some(around, ({ outcome }) => outcome === 'not_sent')
  const fix = [
    message('finding.fix_reach', { address: remote_endpoint }),
    message('finding.fix_remote', { field: 'remote_endpoint' }),
  ]
  return fails(
    'UNDERLAY_UNREACHABLE',
    data,
    isOwnFault
      ? [
          message('finding.fix_local', { field: 'local_endpoint', address: local_endpoint, remote: remote_endpoint }),
          ...fix,
        ]
      : fix,
    isReported,
  )
}

const compare = ({ ikey, okey }: TunnelRecord): Message =>
  message('finding.fix_keys', { ikey: ikey ?? 'none', okey: okey ?? 'none' })
const PAIR = message('finding.fix_pair')

/** Packets were sent and nothing came back. */
function answers(record: TunnelRecord, facts: Facts): Finding {
  const { inside, reason } = facts
  const { local_endpoint, remote_endpoint } = record
  if (!inside)
    return fine(
      'tunnel_ping',
      reason.message === '' ? message('finding.nothing_sent') : message('finding.nobody_asked', { reason }),
    )
  if (isAnswered(inside))
    return fine('tunnel_ping', message('finding.inside_answers', { address: inside.target }), pingData(inside))
  const silent = fine(
    'tunnel_ping',
    message('finding.inside_silent', { address: inside.target, why: failureDetail(inside) }),
    pingData(inside),
  )
  if (isRefusedThere(facts))
    return fails('KEY_OR_ADDRESSING_MISMATCH', silent, [
      compare(record),
      message('finding.fix_tunnel_there', { from: remote_endpoint, to: local_endpoint }),
      PAIR,
    ])
  const hasLeft = inside.packets.some(({ outcome }) => outcome !== 'not_sent')
  if (!hasLeft || isMismatched(facts) || receivesInside(facts) || isBlockedHere(facts)) return silent
  return isRefusedHere(facts) ? refusedHere(record, facts, silent) : noReturnTraffic(record, facts, inside, silent)
}

function refusedHere(record: TunnelRecord, { refused }: Facts, silent: Finding): Finding {
  const { local_endpoint, remote_endpoint } = record
  const sentence = message('finding.refused_here', { text: silent.sentence, count: refused })
  return fails(
    'KEY_OR_ADDRESSING_MISMATCH',
    fine('tunnel_ping', sentence, silent.evidence.data),
    [compare(record), message('finding.fix_sends', { from: remote_endpoint, to: local_endpoint }), PAIR],
    false,
  )
}

function noReturnTraffic(
  { remote_endpoint }: TunnelRecord,
  { sample: counted, around }: Facts,
  inside: PingSample,
  silent: Finding,
): Finding {
  const fix = [
    message('finding.fix_other_up'),
    message('finding.fix_firewall_between', { address: remote_endpoint }),
    message('finding.fix_address_and_keys', { address: inside.target }),
  ]
  return fails('NO_RETURN_TRAFFIC', silent, fix, (counted?.deltas.tx_packets ?? 0) > 0 && isAnswered(around))
}

function traffic(record: TunnelRecord, facts: Facts): Finding {
  const { sample: counted, inside } = facts
  if (!counted) return fine('counters', message('finding.no_counters'))
  const { rx_packets, tx_packets, rx_errors, tx_errors } = counted.deltas
  const finding = fine(
    'counters',
    message('finding.counters', {
      seconds: counted.interval_seconds,
      sent: tx_packets,
      received: rx_packets,
      errors_out: tx_errors,
      errors_in: rx_errors,
    }),
    { ...counted },
  )
  if (inside === null || isAnswered(inside) || isRefusedThere(facts) || !(isMismatched(facts) || receivesInside(facts)))
    return finding
  return fails(
    'KEY_OR_ADDRESSING_MISMATCH',
    finding,
    [
      ...(record.has_input_sequence && rx_errors > 0 ? [message('finding.fix_sequence', { count: rx_errors })] : []),
      message('finding.fix_compare_addresses', { address: inside.target }),
      compare(record),
      PAIR,
    ],
    isMismatched(facts),
  )
}

function mtu({ interface_name }: TunnelRecord, { large, link }: Facts): Finding {
  if (!large) return fine('mtu', message('finding.mtu_untried'))
  const size = { mtu: link?.mtu ?? 0, name: interface_name }
  const finding = fine(
    'mtu',
    isAnswered(large) ? message('finding.mtu_arrives', size) : message('finding.mtu_lost', size),
    pingData(large),
  )
  return isAnswered(large)
    ? finding
    : fails(
        'MTU_PROBLEM',
        finding,
        [message('finding.fix_mtu')],
        some(large, ({ outcome }) => outcome === 'too_big') || large.packets.length > 2,
      )
}

function firewall({ remote_endpoint, interface_name }: TunnelRecord, facts: Facts): Finding {
  const { foreign, inside, around, block } = facts
  const data = { readable: foreign.is_readable, managers: foreign.managers, total: foreign.total }
  const letOut = message('finding.fix_let_out', { address: remote_endpoint, name: interface_name })
  if (block)
    return fails(
      'LOCAL_FIREWALL_BLOCK',
      fine(
        'firewall',
        message(block.direction === 'in' ? 'finding.blocked_in' : 'finding.blocked_out', {
          table: block.table,
          chain: block.chain,
          address: remote_endpoint,
          text: block.text,
        }),
        { ...data, block: { ...block, remedy: block.remedy.message } },
      ),
      [block.remedy],
    )
  if (isDroppedHere(inside) || isDroppedHere(around))
    return fails('LOCAL_FIREWALL_BLOCK', fine('firewall', message('finding.dropped_here'), data), [letOut])
  if (isStuckHere(facts) && !isAnswered(inside))
    return fails('LOCAL_FIREWALL_BLOCK', fine('firewall', message('finding.stuck_here'), data), [letOut], false)
  if (!foreign.is_readable)
    return fine('firewall', message('finding.firewalls_unreadable', { detail: fromRoot(foreign.detail) }), data)
  return fine('firewall', message('finding.no_block'), data)
}

/** What is sent to these addresses goes to the far end, whatever the internet has there. */
const draws = ({ drawn }: Facts): Finding[] =>
  drawn ? [fine('public_addresses', drawnSentence(drawn), { ...drawn })] : []

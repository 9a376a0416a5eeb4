// What each part of the snapshot says about a tunnel: always evidence, and a verdict if something is wrong
// (decisions.md, D7).
import type { Evidence } from '@panel/shared/api/analysis.ts'
import type { TunnelVerdict } from '@panel/shared/api/diagnostics.ts'
import { DROPPED_HERE, NO_SUCH_TUNNEL, type PingPacket } from '@panel/shared/path/model.ts'
import { findGreBlock, type GreBlock } from '@panel/shared/foreign/gre-block.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { isAnswered, type PingSample, type TunnelSnapshot } from './snapshot.ts'

export interface Finding {
  readonly evidence: Evidence
  /** Null if nothing is wrong. */
  readonly verdict: TunnelVerdict | null
  readonly fix: readonly string[]
  readonly isCertain: boolean
}

/** In the order in which they decide the verdict. */
export function findingsOf(record: TunnelRecord, snapshot: TunnelSnapshot): Finding[] {
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
  ]
}

/** `block`: a rule of other software that certainly drops the tunnel's packets. Not searched for if packets arrive. */
type Facts = TunnelSnapshot & { readonly block: GreBlock | null }

const fine = (name: string, detail: string, data: Record<string, unknown> = {}): Finding => ({
  evidence: { name, detail, data },
  verdict: null,
  fix: [],
  isCertain: true,
})
const fails = (verdict: TunnelVerdict, { evidence }: Finding, fix: readonly string[], isCertain = true): Finding => ({
  evidence,
  verdict,
  fix,
  isCertain,
})

function present({ interface_name }: TunnelRecord, { link }: Facts): Finding {
  if (link)
    return fine('interface', `The interface ${interface_name} is there.`, {
      index: link.index,
      kind: link.kind,
      mtu: link.mtu,
    })
  return fails('INTERFACE_MISSING', fine('interface', `The interface ${interface_name} is not there.`), [
    'Reapply the tunnel.',
  ])
}

function up({ interface_name, is_enabled }: TunnelRecord, { link }: Facts): Finding {
  if (!link) return fine('link', 'There is no interface that could be up.')
  const data = { is_up: link.is_up, is_lower_up: link.is_lower_up, oper_state: link.oper_state }
  if (link.is_up && link.is_lower_up) return fine('link', `${interface_name} is up.`, data)
  const fix = !is_enabled
    ? 'Bring the tunnel up: it is down as its operator wishes.'
    : link.is_up
      ? 'Bring the interface up that the tunnel is bound to.'
      : 'Reapply the tunnel.'
  return fails(
    'INTERFACE_DOWN',
    fine(
      'link',
      link.is_up ? `${interface_name} is up, but has no link below it.` : `${interface_name} is down.`,
      data,
    ),
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
const failureDetail = ({ packets }: PingSample): string =>
  packets.find(({ detail }) => detail !== '')?.detail || 'no answer in time'
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
  if (isAnswered(around)) return fine('underlay', `The other server ${remote_endpoint} answers.`, pingData(around))
  const data = fine(
    'underlay',
    `The other server ${remote_endpoint} does not answer: ${failureDetail(around)}.`,
    pingData(around),
  )
  const isReported = some(around, ({ outcome }) => outcome === 'unreachable' || outcome === 'not_sent')
  if (receivesInside(facts) || isRefusedThere(facts) || isDroppedHere(around) || (isBlockedHere(facts) && !isReported))
    return data
  const isOwnFault = some(around, ({ outcome }) => outcome === 'not_sent')
  const fix = [
    `See that ${remote_endpoint} is up and can be reached from this server: POST diagnostics/traceroute tells how far packets come.`,
    'See that remote_endpoint is the address of the other server.',
  ]
  return fails(
    'UNDERLAY_UNREACHABLE',
    data,
    isOwnFault
      ? [
          `See that local_endpoint ${local_endpoint} is an address of this server, and that it has a route to ${remote_endpoint}.`,
          ...fix,
        ]
      : fix,
    isReported,
  )
}

const compare = ({ ikey, okey }: TunnelRecord): string =>
  `Compare the keys of both ends: ikey here (${ikey ?? 'none'}) is okey there, and okey here (${okey ?? 'none'}) is ikey there. So with checksums and sequence numbers.`
const PAIR = 'A pairing code of this tunnel gives the other server all of them.'

/** Packets were sent and nothing came back. */
function answers(record: TunnelRecord, facts: Facts): Finding {
  const { inside, reason } = facts
  const { local_endpoint, remote_endpoint } = record
  if (!inside)
    return fine(
      'tunnel_ping',
      reason === '' ? 'Nothing can be sent without an interface.' : `Nobody inside the tunnel was asked. ${reason}`,
    )
  if (isAnswered(inside))
    return fine('tunnel_ping', `The other end ${inside.target} answers through the tunnel.`, pingData(inside))
  const silent = fine(
    'tunnel_ping',
    `The other end ${inside.target} does not answer through the tunnel: ${failureDetail(inside)}.`,
    pingData(inside),
  )
  if (isRefusedThere(facts))
    return fails('KEY_OR_ADDRESSING_MISMATCH', silent, [
      compare(record),
      `See that the other server has a tunnel from ${remote_endpoint} to ${local_endpoint}, of the same type, and that it is up.`,
      PAIR,
    ])
  const hasLeft = inside.packets.some(({ outcome }) => outcome !== 'not_sent')
  if (!hasLeft || isMismatched(facts) || receivesInside(facts) || isBlockedHere(facts)) return silent
  return isRefusedHere(facts) ? refusedHere(record, facts, silent) : noReturnTraffic(record, facts, inside, silent)
}

function refusedHere(record: TunnelRecord, { refused }: Facts, silent: Finding): Finding {
  const { local_endpoint, remote_endpoint } = record
  const detail = `${silent.evidence.detail} Meanwhile this server refused ${refused} packets, as it does those that none of its tunnels takes.`
  return fails(
    'KEY_OR_ADDRESSING_MISMATCH',
    fine('tunnel_ping', detail, silent.evidence.data),
    [
      compare(record),
      `See that the tunnel of the other server sends from ${remote_endpoint} to ${local_endpoint}.`,
      PAIR,
    ],
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
    'See that the other server has a tunnel to this one, and that it is up.',
    `See that no firewall between here and ${remote_endpoint}, nor one of the other server, drops GRE (IP protocol 47).`,
    `See that ${inside.target} is an address of the tunnel on the other server, and that both ends have the same keys: a packet with another key is dropped.`,
  ]
  return fails('NO_RETURN_TRAFFIC', silent, fix, (counted?.deltas.tx_packets ?? 0) > 0 && isAnswered(around))
}

function traffic(record: TunnelRecord, facts: Facts): Finding {
  const { sample: counted, inside } = facts
  if (!counted) return fine('counters', 'There are no counters without an interface.')
  const { rx_packets, tx_packets, rx_errors, tx_errors } = counted.deltas
  const finding = fine(
    'counters',
    `In ${counted.interval_seconds} s ${tx_packets} packets went out and ${rx_packets} came in; errors: ${tx_errors} out, ${rx_errors} in.`,
    { ...counted },
  )
  if (inside === null || isAnswered(inside) || isRefusedThere(facts) || !(isMismatched(facts) || receivesInside(facts)))
    return finding
  return fails(
    'KEY_OR_ADDRESSING_MISMATCH',
    finding,
    [
      `Compare the addresses: ${inside.target} is to be an address of the tunnel on the other server.`,
      compare(record),
      PAIR,
    ],
    isMismatched(facts),
  )
}

function mtu({ interface_name }: TunnelRecord, { large, link }: Facts): Finding {
  if (!large) return fine('mtu', 'Whether large packets arrive was not tried, as small ones do not.')
  const finding = fine(
    'mtu',
    isAnswered(large)
      ? `Packets of ${link?.mtu} bytes, the MTU of ${interface_name}, arrive.`
      : `Small packets arrive, and those of ${link?.mtu} bytes, the MTU of ${interface_name}, do not.`,
    pingData(large),
  )
  return isAnswered(large)
    ? finding
    : fails(
        'MTU_PROBLEM',
        finding,
        ['Find the MTU that fits, and apply it: POST diagnostics/mtu-probe.'],
        some(large, ({ outcome }) => outcome === 'too_big') || large.packets.length > 2,
      )
}

function firewall({ remote_endpoint, interface_name }: TunnelRecord, facts: Facts): Finding {
  const { foreign, inside, around, block } = facts
  const data = { readable: foreign.is_readable, managers: foreign.managers, total: foreign.total }
  const letOut = `Let GRE (IP protocol 47) to ${remote_endpoint} and everything out of ${interface_name} through.`
  if (block)
    return fails(
      'LOCAL_FIREWALL_BLOCK',
      fine(
        'firewall',
        `Table ${block.table}, chain ${block.chain}, drops GRE that ${block.direction === 'in' ? `comes from ${remote_endpoint}` : 'this server sends'}: ${block.text}.`,
        { ...data, block },
      ),
      [block.remedy],
    )
  if (isDroppedHere(inside) || isDroppedHere(around))
    return fails(
      'LOCAL_FIREWALL_BLOCK',
      fine('firewall', 'A firewall rule of this server drops what it sends itself.', data),
      [letOut],
    )
  if (isStuckHere(facts) && !isAnswered(inside))
    return fails(
      'LOCAL_FIREWALL_BLOCK',
      fine(
        'firewall',
        'This server does not let out the GRE packets that the tunnel sends, though it reaches the other server.',
        data,
      ),
      [letOut],
      false,
    )
  if (!foreign.is_readable)
    return fine(
      'firewall',
      `${foreign.detail}, so a firewall of this server that drops GRE would not be seen here.`,
      data,
    )
  return fine('firewall', 'No rule of other software is seen that drops GRE.', data)
}

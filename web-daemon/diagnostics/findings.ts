// What each thing that was looked at says of a tunnel: evidence always, and a verdict where it speaks against it (decisions.md, D7).
import type { Evidence } from '@panel/shared/api/analysis.ts'
import type { TunnelVerdict } from '@panel/shared/api/diagnostics.ts'
import type { ForeignRule } from '@panel/shared/model/foreign-netfilter.ts'
import { DROPPED_HERE } from '@panel/shared/model/path.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { isAnswered, type Pinged, type Seen } from './seen.ts'

export interface Finding {
  readonly evidence: Evidence
  /** Null: it speaks against nothing. */
  readonly verdict: TunnelVerdict | null
  readonly fix: readonly string[]
  readonly isCertain: boolean
}

/** In the order of the verdicts. */
export function findingsOf(record: TunnelRecord, seen: Seen): Finding[] {
  return [present(record, seen), up(record, seen), underlay(record, seen), answers(record, seen), traffic(record, seen), mtu(record, seen), firewall(record, seen)]
}

const fine = (name: string, detail: string, data: Record<string, unknown> = {}): Finding => ({ evidence: { name, detail, data }, verdict: null, fix: [], isCertain: true })
const against = (verdict: TunnelVerdict, { evidence }: Finding, fix: readonly string[], isCertain = true): Finding => ({ evidence, verdict, fix, isCertain })

function present({ interface_name }: TunnelRecord, { link }: Seen): Finding {
  if (link) return fine('interface', `The interface ${interface_name} is there.`, { index: link.index, kind: link.kind, mtu: link.mtu })
  return against('INTERFACE_MISSING', fine('interface', `The interface ${interface_name} is not there.`), ['Reapply the tunnel.'])
}

function up({ interface_name, is_enabled }: TunnelRecord, { link }: Seen): Finding {
  if (!link) return fine('link', 'There is no interface that could be up.')
  const data = { is_up: link.is_up, is_lower_up: link.is_lower_up, oper_state: link.oper_state }
  if (link.is_up && link.is_lower_up) return fine('link', `${interface_name} is up.`, data)
  const fix = !is_enabled ? 'Bring the tunnel up: it is down as its operator wishes.' : link.is_up ? 'Bring the interface up that the tunnel is bound to.' : 'Reapply the tunnel.'
  return against('INTERFACE_DOWN', fine('link', link.is_up ? `${interface_name} is up, but has no link below it.` : `${interface_name} is down.`, data), [fix])
}

const told = ({ target, packets }: Pinged): Record<string, unknown> => ({ target, sent: packets.length, received: packets.filter(({ outcome }) => outcome === 'reply').length, packets })
const isDroppedHere = (pinged: Pinged | null): boolean => pinged !== null && pinged.packets.some(({ outcome, detail }) => outcome === 'not_sent' && detail.includes(DROPPED_HERE))
const wordsOf = ({ packets }: Pinged): string => packets.find(({ detail }) => detail !== '')?.detail ?? ''
const isHeardInside = ({ inside, counted }: Seen): boolean => isAnswered(inside) || (counted?.deltas.rx_packets ?? 0) > 0

/** Silence alone proves nothing, as many servers answer no pings: not where packets come out of the tunnel. */
function underlay({ remote_endpoint }: TunnelRecord, seen: Seen): Finding {
  const { around } = seen
  if (isAnswered(around)) return fine('underlay', `The other server ${remote_endpoint} answers.`, told(around))
  const words = wordsOf(around)
  const data = fine('underlay', `The other server ${remote_endpoint} does not answer: ${words === '' ? 'no answer in time' : words}.`, told(around))
  if (isHeardInside(seen) || isDroppedHere(around)) return data
  const isTold = around.packets.some(({ outcome }) => outcome === 'unreachable' || outcome === 'not_sent')
  return against('UNDERLAY_UNREACHABLE', data, [`See that ${remote_endpoint} is up and can be reached from this server: POST diagnostics/traceroute tells how far packets come.`, 'See that remote_endpoint is the address of the other server.'], isTold)
}

/** Packets left, and nothing at all came back. */
function answers({ remote_endpoint }: TunnelRecord, seen: Seen): Finding {
  const { inside, why, counted } = seen
  if (!inside) return fine('tunnel_ping', why === '' ? 'Nothing can be sent without an interface.' : `Nobody inside the tunnel was asked. ${why}`)
  if (isAnswered(inside)) return fine('tunnel_ping', `The other end ${inside.target} answers through the tunnel.`, told(inside))
  const words = wordsOf(inside)
  const silent = fine('tunnel_ping', `The other end ${inside.target} does not answer through the tunnel: ${words === '' ? 'no answer in time' : words}.`, told(inside))
  const hasLeft = inside.packets.some(({ outcome }) => outcome !== 'not_sent')
  if (!hasLeft || isMismatched(seen) || isHeardInside(seen) || blockOf(seen)) return silent
  const fix = [`See that the other server has a tunnel to this one, and that it is up.`, `See that no firewall between here and ${remote_endpoint} drops GRE (IP protocol 47).`, 'See that both ends have the same keys: a packet with another key is dropped without a word.']
  return against('NO_RETURN_TRAFFIC', silent, fix, (counted?.deltas.tx_packets ?? 0) > 0 && isAnswered(seen.around))
}

/** The other server says that it has no such tunnel, what comes does not fit this one, or nothing can be sent from its address. */
const isMismatched = ({ link, inside, counted }: Seen): boolean =>
  (counted?.deltas.rx_errors ?? 0) > 0 || (counted?.deltas.tx_errors ?? 0) > 0 || (link?.is_up === true && inside !== null && inside.packets.some(({ outcome, detail }) => outcome === 'unreachable' || (outcome === 'not_sent' && !detail.includes(DROPPED_HERE))))

function traffic(record: TunnelRecord, seen: Seen): Finding {
  const { counted, inside } = seen
  if (!counted) return fine('counters', 'There are no counters without an interface.')
  const { rx_packets, tx_packets, rx_errors, tx_errors } = counted.deltas
  const found = fine('counters', `In ${counted.interval_seconds} s ${tx_packets} packets went out and ${rx_packets} came in; errors: ${tx_errors} out, ${rx_errors} in.`, { ...counted })
  if (inside === null || isAnswered(inside) || !(isMismatched(seen) || isHeardInside(seen))) return found
  const fix = [`Compare the keys of both ends: ikey here (${record.ikey ?? 'none'}) is okey there, and okey here (${record.okey ?? 'none'}) is ikey there. So with checksums and sequence numbers.`, `Compare the addresses: ${inside.target} is to be an address of the tunnel on the other server.`, 'A pairing code of this tunnel gives the other server all of them.']
  return against('KEY_OR_ADDRESSING_MISMATCH', found, fix, isMismatched(seen))
}

function mtu({ interface_name }: TunnelRecord, { large, link }: Seen): Finding {
  if (!large) return fine('mtu', 'Whether large packets arrive was not tried, as small ones do not.')
  const found = fine('mtu', isAnswered(large) ? `Packets of ${link?.mtu} bytes, the MTU of ${interface_name}, arrive.` : `Small packets arrive, and those of ${link?.mtu} bytes, the MTU of ${interface_name}, do not.`, told(large))
  return isAnswered(large) ? found : against('MTU_PROBLEM', found, ['Find the MTU that fits, and apply it: POST diagnostics/mtu-probe.'], large.packets.some(({ outcome }) => outcome === 'too_big') || large.packets.length > 2)
}

/** A rule of other software that surely drops every GRE packet to or from here. */
const blockOf = ({ foreign: { rules, chains } }: Seen): ForeignRule | null =>
  rules.find((rule) => ['gre', '47'].includes(rule.protocol) && ['drop', 'reject'].includes(rule.verdict) && rule.is_whole && chains.some(({ table, chain, hook }) => table === rule.table && chain === rule.chain && (hook === 'input' || hook === 'output' || hook === 'prerouting'))) ?? null

function firewall(record: TunnelRecord, seen: Seen): Finding {
  const { foreign, inside, around } = seen
  const data = { readable: foreign.is_readable, managers: foreign.managers, total: foreign.total }
  if (isDroppedHere(inside) || isDroppedHere(around)) return against('LOCAL_FIREWALL_BLOCK', fine('firewall', 'A firewall rule of this server drops what it sends itself.', data), [`Let GRE (IP protocol 47) to ${record.remote_endpoint} and everything out of ${record.interface_name} through.`])
  const block = isAnswered(inside) ? null : blockOf(seen)
  if (block) return against('LOCAL_FIREWALL_BLOCK', fine('firewall', `Table ${block.table}, chain ${block.chain}, drops GRE: ${block.text}.`, { ...data, block }), [`Let GRE from ${record.remote_endpoint} through before that rule.`], block.address === '')
  if (!foreign.is_readable) return fine('firewall', `${foreign.detail}, so a firewall of this server that drops GRE would not be seen here.`, data)
  return fine('firewall', 'No rule of other software is seen that drops GRE.', data)
}

// The addresses that a diagnostic run uses: inside the tunnel, like its monitor probes unless the request says
// otherwise, or between the endpoints (decisions.md, D1, D5).
import { formatIp, parseIp, type Ip } from '@panel/shared/address/ip.ts'
import { isMulticast, isReserved, isUnspecified } from '@panel/shared/address/special.ts'
import { message, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { probeEnds } from '../monitor/probe-target.ts'
import { familyIdOf, type TunnelRecord } from '../tunnels/record.ts'

/** The ends in the names of the RPC. */
export interface Ends {
  readonly interface_name: string
  readonly source_address: string
  readonly target_address: string
}

export interface RequestedEnds {
  readonly source?: string
  readonly target?: string
}

export type PathName = 'tunnel' | 'underlay'

/** Adds a problem to the field that is wrong. */
export function pathEnds(record: TunnelRecord, path: PathName, requested: RequestedEnds, problems: Problems): Ends {
  const target = requested.target === undefined ? null : parseHost('target', requested.target, problems)
  const source = requested.source === undefined ? null : parseHost('source', requested.source, problems)
  const defaults = path === 'tunnel' ? inside(record, target) : around(record)
  const target_address = target ?? defaults.target
  if (target_address === '' && !problems.has('target'))
    problems.add('target', 'INVALID_ADDRESS', message('diagnostics.no_target', { reason: defaults.reason }))
  const source_address =
    source ??
    (defaults.source !== '' && target_address !== '' && familyIdOf(defaults.source) === familyIdOf(target_address)
      ? defaults.source
      : '')
  if (source !== null && target_address !== '' && familyIdOf(source) !== familyIdOf(target_address))
    problems.add('source', 'INVALID_ADDRESS', message('diagnostics.source_family', { source, target: target_address }))
  return {
    interface_name: path === 'tunnel' ? record.interface_name : (record.bind_device ?? ''),
    source_address,
    target_address,
  }
}

interface DefaultEnds {
  readonly source: string
  readonly target: string
  /** Why there is no target. */
  readonly reason: Message
}

const around = ({ local_endpoint, remote_endpoint }: TunnelRecord): DefaultEnds => ({
  source: local_endpoint,
  target: remote_endpoint,
  reason: message('finding.no_other_server'),
})

/** To a given target, from the tunnel's first address of its family. */
function inside(record: TunnelRecord, target: string | null): DefaultEnds {
  const ends = probeEnds(record)
  if (target === null)
    return 'message' in ends ? { source: '', target: '', reason: ends } : { ...ends, reason: verbatim('') }
  const from = record.addresses.find(({ address }) => familyIdOf(address) === familyIdOf(target))
  return { source: from?.address ?? '', target: '', reason: verbatim('') }
}

function parseHost(field: 'source' | 'target', text: string, problems: Problems): string | null {
  const ip = parseIp(text)
  if (ip && isHost(ip)) return formatIp(ip)
  problems.add(
    field,
    'INVALID_ADDRESS',
    ip ? message('diagnostics.not_one_host', { field, address: text }) : message('input.ip', { field }),
  )
  return null
}

const isHost = (ip: Ip): boolean => !isMulticast(ip) && !isUnspecified(ip) && !isReserved(ip)

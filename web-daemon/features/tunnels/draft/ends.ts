// The two endpoints of a tunnel: errors and warnings (decisions.md, R6, R15).
import { compareIp, contains, formatCidr, formatIp, parseIp, type Ip } from '@panel/shared/address/ip.ts'
import {
  isIpv4InIpv6,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isReserved,
  isUnspecified,
} from '@panel/shared/address/special.ts'
import { isEdge } from '@panel/shared/tunnel/address-rules.ts'
import { whyNoFarEnd } from '@panel/shared/limits/judge.ts'
import { isIpv6Kind } from '@panel/shared/tunnel/model.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { HeldAddress } from '../facts.ts'
import { addLimit, warn, type DraftContext } from './context.ts'

export interface Ends {
  readonly local: Ip | null
  readonly remote: Ip | null
}

export function draftEnds(draft: DraftContext): Ends {
  const { body, problems } = draft
  checkBindDevice(draft)
  const local = endpoint(draft, 'local_endpoint')
  const remote = endpoint(draft, 'remote_endpoint')
  if (local && remote && compareIp(local, remote) === 0)
    problems.add(
      'remote_endpoint',
      'ENDPOINTS_IDENTICAL',
      message('tunnel.endpoints_identical', { field: 'remote_endpoint', other_field: 'local_endpoint' }),
    )
  if (remote) checkRemote(draft, remote)
  addLimit(draft, 'remote_endpoint', remote && ((allowed) => whyNoFarEnd(allowed, remote)))
  if (local && !draft.facts.held.some(({ ip }) => compareIp(ip, local) === 0)) {
    warn(
      draft,
      'LOCAL_ENDPOINT_NOT_FOUND',
      'local_endpoint',
      message('tunnel.local_endpoint_absent', { address: body.local_endpoint ?? '' }),
    )
  }
  return { local, remote }
}

/** An address of this server is not the other one's, and a broadcast address is nobody's. */
function checkRemote({ facts, problems }: DraftContext, remote: Ip): void {
  const whatIs = ({ device, ip, network }: HeldAddress): Message | null => {
    if (compareIp(ip, remote) === 0) return message('tunnel.own_address', { device })
    const isOnEdge = contains(network, remote) && isEdge(remote, network.prefix_length)
    return isOnEdge ? message('tunnel.edge_address', { network: formatCidr(network) }) : null
  }
  const [why] = facts.held.map(whatIs).filter((what) => what !== null)
  if (why !== undefined && !problems.has('remote_endpoint'))
    problems.add(
      'remote_endpoint',
      'INVALID_ENDPOINT',
      message('tunnel.remote_is_here', { field: 'remote_endpoint', address: formatIp(remote), what: why }),
    )
}

/** Null if the field has a problem, found here or by the schema. */
function endpoint(draft: DraftContext, field: 'local_endpoint' | 'remote_endpoint'): Ip | null {
  const { body, kind, problems } = draft
  const text = body[field]
  if (text === undefined) return null
  const ip = parseIp(text)
  const refused = ip ? endpointProblem(ip, typeof body.bind_device === 'string') : message('tunnel.not_ip')
  if (refused !== null) problems.add(field, 'INVALID_ENDPOINT', message('tunnel.field_is', { field, reason: refused }))
  else if (ip && kind && (ip.family === 6) !== isIpv6Kind(kind)) {
    problems.add(
      field,
      'ENDPOINT_FAMILY_MISMATCH',
      message('tunnel.endpoint_family', { field, family: isIpv6Kind(kind) ? 6 : 4, kind }),
    )
  }
  return problems.has(field) ? null : ip
}

function endpointProblem(ip: Ip, hasBindDevice: boolean): Message | null {
  if (isUnspecified(ip)) return message('tunnel.any_address')
  if (isLoopback(ip)) return message('tunnel.loopback_endpoint')
  if (isMulticast(ip)) return message('tunnel.multicast_endpoint')
  if (isReserved(ip)) return message('tunnel.reserved_endpoint')
  if (isIpv4InIpv6(ip)) return message('tunnel.mapped_endpoint')
  if (isLinkLocal(ip) && !hasBindDevice) return message('tunnel.link_local_endpoint')
  return null
}

function checkBindDevice({ body, facts, problems }: DraftContext): void {
  const device = body.bind_device
  if (typeof device !== 'string' || facts.interfaces.some(({ name }) => name === device)) return
  problems.add('bind_device', 'INTERFACE_NOT_FOUND', message('tunnel.no_interface', { device }))
}

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
import { isIpv6Kind } from '@panel/shared/tunnel/model.ts'
import type { HeldAddress } from '../facts.ts'
import { warn, type DraftContext } from './context.ts'

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
      'remote_endpoint must be another address than local_endpoint.',
    )
  if (remote) checkRemote(draft, remote)
  if (local && !draft.facts.held.some(({ ip }) => compareIp(ip, local) === 0)) {
    warn(
      draft,
      'LOCAL_ENDPOINT_NOT_FOUND',
      'local_endpoint',
      `No interface of this server has the address ${body.local_endpoint ?? ''}: the tunnel stays silent until one has.`,
    )
  }
  return { local, remote }
}

/** An address of this server is not the other one's, and a broadcast address is nobody's. */
function checkRemote({ facts, problems }: DraftContext, remote: Ip): void {
  const whatIs = ({ device, ip, network }: HeldAddress): string | null => {
    if (compareIp(ip, remote) === 0) return `an address of this server, on ${device}`
    const isOnEdge = contains(network, remote) && isEdge(remote, network.prefix_length)
    return isOnEdge ? `the network or broadcast address of ${formatCidr(network)}` : null
  }
  const [why] = facts.held.map(whatIs).filter((what) => what !== null)
  if (why !== undefined && !problems.has('remote_endpoint'))
    problems.add(
      'remote_endpoint',
      'INVALID_ENDPOINT',
      `remote_endpoint must be an address of another server, and ${formatIp(remote)} is ${why}.`,
    )
}

/** Null if the field has a problem, found here or by the schema. */
function endpoint(draft: DraftContext, field: 'local_endpoint' | 'remote_endpoint'): Ip | null {
  const { body, kind, problems } = draft
  const text = body[field]
  if (text === undefined) return null
  const ip = parseIp(text)
  const refused = ip ? endpointProblem(ip, typeof body.bind_device === 'string') : 'is not an IP address'
  if (refused !== null) problems.add(field, 'INVALID_ENDPOINT', `${field} ${refused}.`)
  else if (ip && kind && (ip.family === 6) !== isIpv6Kind(kind)) {
    problems.add(
      field,
      'ENDPOINT_FAMILY_MISMATCH',
      `${field} must be an IPv${isIpv6Kind(kind) ? 6 : 4} address for a ${kind} tunnel.`,
    )
  }
  return problems.has(field) ? null : ip
}

function endpointProblem(ip: Ip, hasBindDevice: boolean): string | null {
  if (isUnspecified(ip)) return 'must be one address, not "any"'
  if (isLoopback(ip)) return 'must not be a loopback address'
  if (isMulticast(ip)) return 'must not be a multicast address'
  if (isReserved(ip)) return 'must not be a broadcast or reserved address'
  if (isIpv4InIpv6(ip)) return 'must not be an IPv4 address in IPv6 clothes'
  if (isLinkLocal(ip) && !hasBindDevice) return 'is link-local, which needs a bind_device'
  return null
}

function checkBindDevice({ body, facts, problems }: DraftContext): void {
  const device = body.bind_device
  if (typeof device !== 'string' || facts.interfaces.some(({ name }) => name === device)) return
  problems.add('bind_device', 'INTERFACE_NOT_FOUND', `This server has no interface ${device}.`)
}

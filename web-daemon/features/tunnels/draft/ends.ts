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
import { addLimit, warn, type DraftContext, type RequestedTunnel } from './context.ts'

export interface Ends {
  readonly local: Ip | null
  readonly remote: Ip | null
}

export function draftEnds(draft: DraftContext): Ends {
  const { body, problems } = draft
  checkBindDevice(draft)
  const local = endpoint(draft, 'local_endpoint', body.local_endpoint ?? undefined)
  const field = farEndField(body)
  requireFarEnd(draft)
  const remote = endpoint(draft, field, body.remote_endpoint)
  if (local && remote && compareIp(local, remote) === 0)
    problems.add(
      field,
      'ENDPOINTS_IDENTICAL',
      message('tunnel.endpoints_identical', { field, other_field: 'local_endpoint' }),
    )
  const why = remote && whyHere(draft, remote)
  if (why && !problems.has(field)) problems.add(field, 'INVALID_ENDPOINT', why)
  addLimit(draft, field, remote && ((allowed) => whyNoFarEnd(allowed, remote)))
  warnOfName(draft)
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

/** The field of the request that the address of the far end comes from. */
export const farEndField = ({
  remote_hostname,
}: Pick<RequestedTunnel, 'remote_hostname'>): 'remote_hostname' | 'remote_endpoint' =>
  typeof remote_hostname === 'string' ? 'remote_hostname' : 'remote_endpoint'

function requireFarEnd({ body, problems }: DraftContext): void {
  if (body.remote_endpoint !== undefined || typeof body.remote_hostname === 'string') return
  for (const field of ['remote_endpoint', 'remote_hostname']) if (problems.has(field)) return
  problems.add('remote_endpoint', 'INVALID_ENDPOINT', message('input.ip', { field: 'remote_endpoint' }))
}

function warnOfName(draft: DraftContext): void {
  const { remote_hostname: hostname } = draft.body
  if (typeof hostname !== 'string' || draft.problems.has('remote_hostname')) return
  warn(draft, 'FAR_END_IS_A_NAME', 'remote_hostname', message('tunnel.name_not_authenticated', { hostname }))
}

/** Why what a name resolves to is no far end; null where it can be one. */
export function farEndProblem(draft: DraftContext, address: string): Message | null {
  const ip = parseIp(address)
  if (!ip) return message('tunnel.not_ip')
  return endpointProblem(ip, typeof draft.body.bind_device === 'string') ?? whyHere(draft, ip)
}

/** An address of this server is not the other one's, and a broadcast address is nobody's. */
function whyHere({ body, facts }: DraftContext, remote: Ip): Message | null {
  const whatIs = ({ device, ip, network }: HeldAddress): Message | null => {
    if (compareIp(ip, remote) === 0) return message('tunnel.own_address', { device })
    const isOnEdge = contains(network, remote) && isEdge(remote, network.prefix_length)
    return isOnEdge ? message('tunnel.edge_address', { network: formatCidr(network) }) : null
  }
  const [what] = facts.held.map(whatIs).filter((one) => one !== null)
  if (what === undefined) return null
  return message('tunnel.remote_is_here', { field: farEndField(body), address: formatIp(remote), what })
}

/** Null if the field has a problem, found here or by the schema. */
function endpoint(
  { body, kind, problems }: DraftContext,
  field: 'local_endpoint' | ReturnType<typeof farEndField>,
  text: string | undefined,
): Ip | null {
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

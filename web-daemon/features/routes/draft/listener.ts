// Where a rule listens: family, address, ports and interface (decisions.md, F3, and reference.md on bind_address).
import { canonicalIp, parseIp, type Family, type Ip } from '@panel/shared/address/ip.ts'
import { isIpv4InIpv6, isLoopback, isMulticast, isReserved, isUnspecified } from '@panel/shared/address/special.ts'
import { ADDRESS_FAMILIES } from '@panel/shared/api/base/lookups.ts'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import { portsOf, type Ports } from '../ports.ts'
import { familyName, warn, type DraftContext } from './context.ts'

export interface Listening {
  readonly family: Family
  readonly route_protocol_id: number
  readonly bind_address: string
  readonly ports: Ports
  readonly bind_interface: string | null
}

/** Null if a problem leaves it undecided. */
export function draftListener(draft: DraftContext): Listening | null {
  const { body, problems } = draft
  const bind_address = bindAddress(draft)
  const ports = draftPorts(problems, 'bind_port', body.bind_port, body.bind_port_range_end)
  checkInterface(draft)
  if (bind_address === null || !ports || problems.has('route_protocol_id') || problems.has('bind_interface'))
    return null
  const route_protocol_id = body.route_protocol_id ?? draft.settings.get('routes.default_protocol')
  return {
    family: bind_address.includes(':') ? 6 : 4,
    route_protocol_id,
    bind_address,
    ports,
    bind_interface: body.bind_interface ?? null,
  }
}

const EVERY: Readonly<Record<Family, string>> = { 4: '0.0.0.0', 6: '::' }

function bindAddress(draft: DraftContext): string | null {
  const { body, problems, facts } = draft
  if (problems.has('bind_address') || problems.has('address_family_id')) return null
  const text = body.bind_address ?? EVERY[requestedFamily(draft)]
  const ip = parseIp(text)
  const refused = ip ? bindProblem(text, ip) : 'is not an IP address'
  if (refused !== null || !ip) {
    problems.add('bind_address', 'INVALID_BIND_ADDRESS', `bind_address ${refused ?? ''}.`)
    return null
  }
  if (body.address_family_id !== undefined && body.address_family_id !== familyId(ip.family)) {
    problems.add(
      'address_family_id',
      'INVALID_ADDRESS_FAMILY',
      `address_family_id must be ${familyId(ip.family)} (${familyName(ip.family)}), as bind_address is ${text}.`,
    )
  }
  const address = canonicalIp(text)
  if (isWildcard(address))
    warn(
      draft,
      'BIND_ANY_ADDRESS',
      'bind_address',
      `${address} is every address of this server: whoever reaches any of them reaches the destination, unless allowed_sources says otherwise.`,
    )
  else if (!facts.addresses.has(address))
    warn(
      draft,
      'BIND_ADDRESS_NOT_FOUND',
      'bind_address',
      `No interface of this server has the address ${address}: the rule sees no connection until one has.`,
    )
  return address
}

const familyId = (family: Family): number => (family === 6 ? ADDRESS_FAMILIES.IPv6 : ADDRESS_FAMILIES.IPv4)

/** Without a bind address: the requested family, or else that of the destination. */
function requestedFamily({ body }: DraftContext): Family {
  if (body.address_family_id !== undefined) return body.address_family_id === ADDRESS_FAMILIES.IPv6 ? 6 : 4
  const destination = body.destination_address ?? body.destinations?.[0]?.address ?? ''
  return parseIp(destination)?.family ?? 4
}

function bindProblem(text: string, ip: Ip): string | null {
  if (isWildcard(canonicalIp(text))) return null
  if (isUnspecified(ip)) return 'must be an address of this server, or 0.0.0.0 for every one'
  if (isLoopback(ip)) return 'must not be a loopback address: no connection from outside comes to it'
  if (isMulticast(ip)) return 'must not be a multicast address'
  if (isReserved(ip)) return 'must not be a broadcast or reserved address'
  return isIpv4InIpv6(ip) ? 'must not be an IPv4 address in IPv6 clothes' : null
}

/** `field` is that of the first port; the name of the last follows from it. */
export function draftPorts(
  problems: Problems,
  field: string,
  first: number | undefined,
  end: number | null | undefined,
): Ports | null {
  if (first === undefined || problems.has(field) || problems.has(`${field}_range_end`)) return null
  if (typeof end === 'number' && end < first) {
    problems.add(
      `${field}_range_end`,
      'INVALID_PORT_RANGE',
      `${field}_range_end must not be below ${first}, the first port.`,
    )
    return null
  }
  return portsOf(first, end)
}

function checkInterface({ body, facts, problems }: DraftContext): void {
  const device = body.bind_interface
  if (typeof device !== 'string' || facts.interfaces.has(device)) return
  problems.add('bind_interface', 'INTERFACE_NOT_FOUND', `This server has no interface ${device}.`)
}

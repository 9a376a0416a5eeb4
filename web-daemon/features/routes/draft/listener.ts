// Where a rule listens: family, address, ports and interface (decisions.md, F3, and reference.md on bind_address).
import { canonicalIp, parseIp, type Family, type Ip } from '@panel/shared/address/ip.ts'
import { isIpv4InIpv6, isLoopback, isMulticast, isReserved, isUnspecified } from '@panel/shared/address/special.ts'
import { ADDRESS_FAMILIES } from '@panel/shared/api/base/lookups.ts'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import { portsOf, type Ports } from '../ports.ts'
import { familyName, warn, type DraftContext } from './context.ts'
import { canonicalName } from '../../../platform/network/followed-names.ts'
import { draftOfInterface } from './of-interface.ts'

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
  // An interface that is not there is a problem, and leaves nothing undecided.
  const isUndecided = problems.has('route_protocol_id') || problems.has('bind_interface')
  checkInterface(draft)
  if (bind_address === null || !ports || isUndecided) return null
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
  const family = parseIp(body.bind_address ?? '')?.family ?? requestedFamily(draft)
  const followed = draftOfInterface(draft, 'bind_address', family)
  if (followed === null) return null
  const text = followed ?? body.bind_address ?? EVERY[family]
  const ip = parseIp(text)
  const refused = ip ? bindProblem(text, ip) : message('tunnel.not_ip')
  if (refused !== null || !ip) {
    const reason = refused ?? ''
    problems.add('bind_address', 'INVALID_BIND_ADDRESS', message('route.field_is', { field: 'bind_address', reason }))
    return null
  }
  if (body.address_family_id !== undefined && body.address_family_id !== familyId(ip.family)) {
    problems.add(
      'address_family_id',
      'INVALID_ADDRESS_FAMILY',
      message('route.family_id', {
        field: 'address_family_id',
        id: familyId(ip.family),
        family: familyName(ip.family),
        address: text,
      }),
    )
  }
  const address = canonicalIp(text)
  if (isWildcard(address)) warn(draft, 'BIND_ANY_ADDRESS', 'bind_address', message('route.every_address', { address }))
  else if (!facts.addresses.has(address))
    warn(draft, 'BIND_ADDRESS_NOT_FOUND', 'bind_address', message('route.bind_absent', { address }))
  return address
}

const familyId = (family: Family): number => (family === 6 ? ADDRESS_FAMILIES.IPv6 : ADDRESS_FAMILIES.IPv4)

/** Without a bind address: the requested family, or else that of the destination. */
function requestedFamily({ body, names }: DraftContext): Family {
  if (body.address_family_id !== undefined) return body.address_family_id === ADDRESS_FAMILIES.IPv6 ? 6 : 4
  const [first] = body.destinations ?? []
  const name = first?.hostname ? names.get(canonicalName(first.hostname)) : undefined
  if (name) return !name[4].isFound && name[6].isFound ? 6 : 4
  return parseIp(body.destination_address ?? first?.address ?? '')?.family ?? 4
}

function bindProblem(text: string, ip: Ip): Message | null {
  if (isWildcard(canonicalIp(text))) return null
  if (isUnspecified(ip)) return message('route.bind_any')
  if (isLoopback(ip)) return message('route.bind_loopback')
  if (isMulticast(ip)) return message('tunnel.multicast_endpoint')
  if (isReserved(ip)) return message('tunnel.reserved_endpoint')
  return isIpv4InIpv6(ip) ? message('tunnel.mapped_endpoint') : null
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
      message('route.range_order', { field: `${field}_range_end`, port: first }),
    )
    return null
  }
  return portsOf(first, end)
}

/** A rule that is forced, such as one from the backup of another host, waits for its interface. */
function checkInterface(draft: DraftContext): void {
  const { body, facts, problems } = draft
  const device = body.bind_interface
  if (typeof device !== 'string' || facts.interfaces.has(device)) return
  if (body.force === true)
    warn(draft, 'BIND_INTERFACE_NOT_FOUND', 'bind_interface', message('route.bind_interface_absent', { device }))
  else problems.add('bind_interface', 'INTERFACE_NOT_FOUND', message('tunnel.no_interface', { device }))
}

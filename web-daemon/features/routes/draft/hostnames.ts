// The addresses of a draft's destinations. What a name resolves to comes from other people, so it is held against the
// same rules as an address that the operator writes, and never leads to the panel or to SSH of this host.
import { canonicalIp, parseIp } from '@panel/shared/address/ip.ts'
import { isLoopback } from '@panel/shared/address/special.ts'
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import { MAX_ADDRESSES_OF_NAME, type RouteDestinationBody } from '@panel/shared/api/routes/destinations.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { canonicalName, inOrder, otherFamily, stickyAddress } from '../../../platform/network/followed-names.ts'
import { has, portsOf } from '../ports.ts'
import { hasOtherFamily, whatBecomes, whyUnresolved } from '../unresolved.ts'
import { warn, type DraftContext } from './context.ts'
import { destinationProblem } from './destination-problem.ts'
import { destinationBeyond, ownPorts, type Home } from './limits.ts'
import type { Listening } from './listener.ts'

/** How the request names the fields of a destination: `destination_address`, or `destinations.0.address`. */
export interface Place {
  readonly given: RouteDestinationBody
  readonly fields: Readonly<Record<'address' | 'port' | 'port_range_end' | 'hostname', string>>
}

/** A place with its address; "" is that of a name that does not resolve. */
export interface AddressedPlace extends Place {
  readonly address: string
  readonly name: Name | null
}

interface Name {
  readonly hostname: string
  readonly policy: 'first' | 'all'
}

/** Null for each that a problem leaves undecided. */
export function withAddresses(
  draft: DraftContext,
  listening: Listening | null,
  places: readonly (Place | null)[],
): (AddressedPlace[] | null)[] {
  const addressed: (AddressedPlace[] | null)[] = []
  const spread = new Set<string>()
  for (const place of places) {
    if (!place) {
      addressed.push(null)
      continue
    }
    const { hostname, hostname_policy, port } = place.given
    if (!hostname) {
      addressed.push(byAddress(draft, place))
      continue
    }
    const name = { hostname: canonicalName(hostname), policy: hostname_policy ?? 'first' }
    const end = `${name.hostname} ${port}`
    // An answer lists a name once for each of its addresses.
    if (name.policy === 'all' && spread.has(end)) continue
    spread.add(end)
    const found = listening && byName(draft, listening, place, name)
    addressed.push(found && found.map((address) => ({ ...place, address, name })))
  }
  return addressed
}

function byAddress({ problems }: DraftContext, place: Place): AddressedPlace[] | null {
  const { address } = place.given
  if (address !== undefined) return [{ ...place, address, name: null }]
  const field = place.fields.address
  if (!problems.has(field)) problems.add(field, 'INVALID_DESTINATION', message('route.destination_missing', { field }))
  return null
}

function byName(draft: DraftContext, listening: Listening, { given, fields }: Place, name: Name): string[] | null {
  const { hostname } = name
  refuseOtherAddress(draft, listening, { given, fields }, name)
  const resolution = draft.names.get(hostname)?.[listening.family]
  if (!resolution?.isFound) {
    const error = resolution?.error ?? 'ENOTFOUND'
    const other = draft.names.get(hostname)?.[otherFamily(listening.family)]
    const refusal = unresolvedMessage(whyUnresolved(hostname, listening.family, error, other), { hostname, error })
    if (draft.body.force !== true) {
      draft.problems.add(fields.hostname, 'HOSTNAME_UNRESOLVED', refusal.unlessForced)
      return null
    }
    warn(draft, 'HOSTNAME_UNRESOLVED', fields.hostname, refusal.forced)
    return ['']
  }
  const judged = resolution.addresses.map((address) => ({
    address,
    why: addressProblem(draft, listening, address, given.port),
  }))
  const usable = judged.filter(({ why }) => why === null).map(({ address }) => canonicalIp(address))
  const [refused] = judged.flatMap(({ why }) => why ?? [])
  if (refused && usable.length === 0) {
    draft.problems.add(fields.hostname, refused.code, refused.message)
    return null
  }
  if (refused) warn(draft, 'HOSTNAME_LEADS_HOME', fields.hostname, refused.message)
  return chosenAddresses(name.policy, usable, heldBy(draft, name, given.port))
}

const unresolvedMessage = (why: Message, params: { readonly hostname: string; readonly error: string }) =>
  hasOtherFamily(why)
    ? {
        unlessForced: message('check.name_unless_forced', { why, other: String(why.params['other']) }),
        forced: message('health.sentence', { text: whatBecomes(why, false) }),
      }
    : {
        unlessForced: message('check.unresolved_unless_forced', params),
        forced: message('check.unresolved', params),
      }

/** An address beside a name is what it was resolved to, as an answer shows it; any other would be without effect. */
function refuseOtherAddress(draft: DraftContext, { family }: Listening, { given, fields }: Place, name: Name): void {
  const { address = '', port } = given
  const resolution = draft.names.get(name.hostname)?.[family]
  if (address === '' || !resolution?.isFound || draft.problems.has(fields.address)) return
  const known = [...resolution.addresses.map(canonicalIp), ...heldBy(draft, name, port)]
  if (parseIp(address) && known.includes(canonicalIp(address))) return
  const sentence = message('check.address_beside', { address, hostname: name.hostname })
  draft.problems.add(fields.address, 'INVALID_DESTINATION', sentence)
}

interface AddressProblem {
  readonly code: 'HOSTNAME_LEADS_HOME' | 'INVALID_DESTINATION' | 'BEYOND_LIMITS'
  readonly message: Message
}

/** Why an address that a name resolves to is not used; null where it is. */
export function addressProblem(home: Home, listening: Listening, address: string, port: number): AddressProblem | null {
  const ip = parseIp(address)
  const refused = ip ? destinationProblem(ip) : message('route.not_ip', { address })
  if (refused) return { code: 'INVALID_DESTINATION', message: refused }
  if (leadsHome(home, listening, address, port))
    return { code: 'HOSTNAME_LEADS_HOME', message: message('check.leads_home', { address, port }) }
  const limit = destinationBeyond(home, listening, address, port)
  return limit && { code: 'BEYOND_LIMITS', message: limit }
}

function leadsHome(home: Home, listening: Listening, address: string, port: number): boolean {
  const ip = parseIp(address)
  if (!ip || listening.route_protocol_id === ROUTE_PROTOCOLS.UDP) return false
  if (!isLoopback(ip) && !home.facts.addresses.has(canonicalIp(address))) return false
  const there = portsOf(port, port + listening.ports.last - listening.ports.first)
  const { panel, sshd } = ownPorts(home)
  return [...panel, ...sshd].some((one) => has(there, one))
}

/** What is taken of the addresses that a name resolves to. */
export const chosenAddresses = (
  policy: 'first' | 'all',
  addresses: readonly string[],
  held: readonly string[],
): string[] =>
  policy === 'all' ? inOrder(addresses).slice(0, MAX_ADDRESSES_OF_NAME) : [stickyAddress(addresses, held)]

const heldBy = ({ stored }: DraftContext, { hostname }: Name, port: number): string[] =>
  (stored?.destinations ?? [])
    .filter((one) => one.hostname === hostname && one.port === port)
    .map(({ address }) => address)

// Where a rule relays to, and how new connections are balanced among several destinations (decisions.md, F3, F4, F5).
import { canonicalIp, parseIp } from '@panel/shared/address/ip.ts'
import { isLoopback } from '@panel/shared/address/special.ts'
import { LOAD_BALANCE_MODES } from '@panel/shared/api/base/lookups.ts'
import type { RouteDestinationBody } from '@panel/shared/api/routes/destinations.ts'
import { message } from '@panel/shared/messages/message.ts'
import { identityOf, isActive, type Identified, type NewDestination } from '../record.ts'
import { portsOf } from '../ports.ts'
import { destinationProblem } from './destination-problem.ts'
import { withAddresses, type AddressedPlace, type Place } from './hostnames.ts'
import { destinationBeyond } from './limits.ts'
import type { Listening } from './listener.ts'
import { familyName, warn, type DraftContext } from './context.ts'

export interface Balanced {
  readonly destinations: NewDestination[]
  readonly load_balance_mode_id: number
}

const SINGLE = {
  address: 'destination_address',
  port: 'destination_port',
  port_range_end: 'destination_port_range_end',
  hostname: 'destination_address',
} as const

export function draftDestinations(draft: DraftContext, listening: Listening | null): Balanced | null {
  const { problems } = draft
  const places = listPlaces(draft)
  if (!places) return null
  const drafted = withAddresses(draft, listening, places)
    .flatMap((addressed) => addressed ?? [null])
    .map((place, at) => place && draftOne(draft, listening, place, at))
  const destinations = drafted.filter((one) => one !== null)
  if (destinations.length < drafted.length) return null
  checkTwice(draft, destinations)
  const active = destinations.filter(isActive)
  if (active.length === 0) problems.add('destinations', 'INVALID_DESTINATION', message('route.one_active'))
  else if (active.every(({ is_backup }) => is_backup))
    problems.add('destinations', 'ONLY_BACKUPS', message('check.only_backups'))
  const load_balance_mode_id = draftMode(draft, destinations)
  return load_balance_mode_id === null ? null : { destinations, load_balance_mode_id }
}

/** A place of the list is null if the schema refuses it; the others are checked all the same. */
function listPlaces({ body, problems }: DraftContext): (Place | null)[] | null {
  if (problems.hasWhole('destinations') || Object.values(SINGLE).some((field) => problems.has(field))) return null
  const {
    destination_address: address,
    destination_port: port = body.bind_port,
    destination_port_range_end: port_range_end,
  } = body
  if (body.destinations) {
    const [first] = body.destinations
    if (address !== undefined && first && !isSameEnd(first, address, body.destination_port ?? first.port))
      problems.add('destination_address', 'INVALID_DESTINATION', message('route.first_destination'))
    return [...body.destinations].map((given, at) => {
      const field = `destinations.${at}`
      if (problems.has(field)) return null
      const [address, port] = [`${field}.address`, `${field}.port`]
      return {
        given,
        fields: { address, port, port_range_end: `${field}.port_range_end`, hostname: `${field}.hostname` },
      }
    })
  }
  if (address === undefined) {
    problems.add(
      'destination_address',
      'INVALID_DESTINATION',
      message('route.destination_missing', { field: 'destination_address' }),
    )
    return null
  }
  return port === undefined
    ? null
    : [{ given: { address, port, port_range_end: port_range_end ?? null }, fields: SINGLE }]
}

const isSameEnd = (first: RouteDestinationBody, address: string, port: number): boolean => {
  const [one, other] = [parseIp(first.address ?? ''), parseIp(address)]
  return (
    one !== null && other !== null && one.family === other.family && one.value === other.value && first.port === port
  )
}

function draftOne(
  draft: DraftContext,
  listening: Listening | null,
  { given, fields, address: text, name }: AddressedPlace,
  sort_order: number,
): NewDestination | null {
  const { problems } = draft
  const ports = checkPorts(draft, listening, given, fields)
  const address =
    name && text === '' ? '' : checkAddress(draft, listening, text, name ? fields.hostname : fields.address)
  if (address === null || !ports || problems.has(fields.port_range_end)) return null
  const { weight = 1, is_enabled = true, is_backup = false, port, port_range_end } = given
  const limit = listening && !name && destinationBeyond(draft, listening, address, port)
  if (limit) problems.add(fields.address, 'BEYOND_LIMITS', limit)
  if (listening && address !== '') checkLoop(draft, listening, address, port, name ? fields.hostname : fields.address)
  return {
    address,
    hostname: name?.hostname ?? null,
    hostname_policy: name?.policy ?? null,
    port,
    port_range_end: port_range_end === port ? null : (port_range_end ?? null),
    weight,
    is_enabled,
    is_backup,
    ...asStored(draft, { address, port, hostname: name?.hostname ?? null, hostname_policy: name?.policy ?? null }),
    sort_order,
  }
}

/** What is known of a destination stays with it. */
function asStored({ stored }: DraftContext, one: Identified): Pick<NewDestination, 'drained_until' | 'state'> {
  const before = stored?.destinations.find((other) => identityOf(other) === identityOf(one))
  return {
    drained_until: before?.drained_until ?? null,
    state: before?.address === one.address ? before.state : 'unknown',
  }
}

/** Null where it is refused. */
function checkAddress(draft: DraftContext, listening: Listening | null, text: string, field: string): string | null {
  const { problems } = draft
  const ip = parseIp(text)
  const refused = ip ? destinationProblem(ip) : message('route.not_ip', { address: text })
  if (refused !== null) problems.add(field, 'INVALID_DESTINATION', refused)
  else if (ip && listening && ip.family !== listening.family)
    problems.add(
      field,
      'ADDRESS_FAMILY_MISMATCH',
      message('route.address_family', { address: text, family: familyName(listening.family) }),
    )
  else if (ip && isLoopback(ip)) loopback(draft, field, text)
  return !ip || refused !== null ? null : canonicalIp(text)
}

function loopback(draft: DraftContext, field: string, address: string): void {
  if (draft.body.force === true)
    warn(draft, 'LOOPBACK_DESTINATION_FORCED', field, message('route.loopback', { address }))
  else draft.problems.add(field, 'LOOPBACK_DESTINATION', message('route.loopback_unless_forced', { address }))
}

/** If a range is bound, the destination port is the first of a range of the same width. */
function checkPorts(
  { problems }: DraftContext,
  listening: Listening | null,
  { port, port_range_end }: RouteDestinationBody,
  fields: Place['fields'],
): boolean {
  if (typeof port_range_end === 'number' && port_range_end < port) {
    problems.add(
      fields.port_range_end,
      'INVALID_PORT_RANGE',
      message('route.range_order', { field: fields.port_range_end, port }),
    )
    return false
  }
  if (!listening) return true
  const width = listening.ports.last - listening.ports.first
  const last = port + width
  if (typeof port_range_end === 'number' && port_range_end !== last) {
    problems.add(
      fields.port_range_end,
      'PORT_RANGE_WIDTH_MISMATCH',
      width === 0
        ? message('route.range_width_one')
        : message('route.range_width', { count: width + 1, first: port, last }),
    )
    return false
  }
  if (last > 65_535)
    problems.add(fields.port, 'INVALID_PORT_RANGE', message('route.range_too_high', { count: width + 1, port }))
  return last <= 65_535
}

/** Not even `force` allows it: the packets would come back here. A disabled rule relays none, and is warned of it. */
function checkLoop(
  draft: DraftContext,
  { bind_address, ports }: Listening,
  address: string,
  port: number,
  field: string,
): void {
  const isOwn =
    bind_address === address ||
    ((bind_address === '0.0.0.0' || bind_address === '::') &&
      draft.facts.addresses.has(address) &&
      !isLoopbackText(address))
  const there = portsOf(port, port + ports.last - ports.first)
  if (!isOwn || there.first > ports.last || ports.first > there.last) return
  const end = `${address}:${port}`
  if (draft.body.is_enabled === false) warn(draft, 'SELF_FORWARD_LOOP', field, message('route.loop_disabled', { end }))
  else draft.problems.add(field, 'SELF_FORWARD_LOOP', message('route.loop', { end }))
}

const isLoopbackText = (address: string): boolean => {
  const ip = parseIp(address)
  return ip !== null && isLoopback(ip)
}

function checkTwice({ body, problems }: DraftContext, destinations: readonly NewDestination[]): void {
  const ends = new Set<string>()
  for (const [at, { address, port, hostname }] of destinations.entries()) {
    const end = `${address === '' ? hostname : address} ${port}`
    if (ends.has(end))
      problems.add(
        body.destinations ? `destinations.${at}.address` : SINGLE.address,
        'INVALID_DESTINATION',
        message('route.destination_twice', { address: address === '' ? (hostname ?? '') : address, port }),
      )
    ends.add(end)
  }
}

function draftMode({ body, problems }: DraftContext, destinations: readonly NewDestination[]): number | null {
  if (problems.has('load_balance_mode_id')) return null
  const active = destinations.filter((one) => isActive(one) && !one.is_backup).length
  // A name can resolve to more addresses later.
  const isSpread = active > 1 || destinations.some(({ hostname_policy }) => hostname_policy === 'all')
  const mode = body.load_balance_mode_id ?? (isSpread ? LOAD_BALANCE_MODES.RoundRobin : LOAD_BALANCE_MODES.None)
  if (mode === LOAD_BALANCE_MODES.None && active > 1) {
    problems.add('load_balance_mode_id', 'INVALID_LOAD_BALANCE_MODE', message('route.balance_none', { count: active }))
  }
  return mode
}

// By which interface packets leave to the clients of a rule, as the reverse path filter looks it up.
import { isPublicRange } from '@panel/shared/address/special.ts'
import { bitsOf, parseCidr, parseIp } from '@panel/shared/address/ip.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import { lookUpRoutes, onlyDevice } from '../routes/path/path.ts'
import { familyOf, type RouteRecord } from '../routes/record.ts'

export interface WayBack {
  readonly address: string
  /** Null if there is none, or not one alone. */
  readonly device: string | null
  /** One address, of which no part has another way. */
  readonly isHost: boolean
  readonly isPublic: boolean
}

/** An address that nobody has (RFC 5737): packets to it take the default route. */
const NOBODY = '192.0.2.1'

/** Looked up only for the rules whose packets come in by an interface with a strict filter. */
export async function readWaysBack(
  request: Reader,
  records: readonly RouteRecord[],
  nearOf: (record: RouteRecord) => HostInterface | null,
): Promise<(record: RouteRecord) => readonly WayBack[]> {
  const concerned = records.filter((one) => one.is_enabled && familyOf(one) === 4 && nearOf(one)?.rp_filter === 1)
  const ends = new Map(concerned.map((one) => [one.route_rule_id, clientsOf(one)]))
  const addresses = [...new Set([...ends.values()].flat().map(({ address }) => address))]
  const routes = await lookUpRoutes(request, addresses)
  return ({ route_rule_id }) =>
    (ends.get(route_rule_id) ?? []).map((one) => ({ ...one, device: onlyDevice(routes.get(one.address)?.route) }))
}

type Client = Omit<WayBack, 'device'>

function clientsOf({ allowed_sources, bind_address }: RouteRecord): Client[] {
  if (allowed_sources.length > 0) return allowed_sources.flatMap(({ cidr }) => sourceOf(cidr))
  const own = parseIp(bind_address)
  return [
    {
      address: NOBODY,
      isHost: false,
      isPublic: own !== null && isPublicRange({ base: own, prefix_length: bitsOf(4) }),
    },
  ]
}

function sourceOf(text: string): Client[] {
  const network = parseCidr(text)
  const [address = ''] = text.split('/')
  return network ? [{ address, isHost: network.prefix_length === bitsOf(4), isPublic: isPublicRange(network) }] : []
}

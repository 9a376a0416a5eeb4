// The host names among the destinations of a request, resolved before the draft. A name that the stored rule has keeps
// what it was last resolved to: it is resolved again in the background.
import { parseIp, type Family } from '@panel/shared/address/ip.ts'
import type { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { canonicalName } from '../../../platform/network/followed-names.ts'
import { resolveHost, type Resolution } from '../../../platform/network/resolver.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import { familyOf, type RouteRecord } from '../record.ts'

/** Resolutions by family: a rule without a bind address is of the family of its first destination. */
export type Names = ReadonlyMap<string, Readonly<Record<Family, Resolution>>>

export async function resolveNames(
  body: Partial<CreateRouteBody>,
  stored: RouteRecord | null,
  settings: SettingsReader,
): Promise<Names> {
  const hostnames = new Set(
    (body.destinations ?? []).flatMap(({ hostname }) => (hostname ? [canonicalName(hostname)] : [])),
  )
  const servers = settings.get('routes.dns_servers')
  const resolved = await Promise.all(
    [...hostnames].map(async (hostname) => {
      const held = stored && !changesFamily(body, stored) ? storedAddresses(stored, hostname) : []
      if (held.length > 0) return [hostname, inFamilies(held)] as const
      const [four, six] = await Promise.all([resolveHost(hostname, 4, servers), resolveHost(hostname, 6, servers)])
      return [hostname, { 4: four, 6: six }] as const
    }),
  )
  return new Map(resolved)
}

/** The rule then needs addresses that were never looked for. */
const changesFamily = ({ bind_address }: Partial<CreateRouteBody>, stored: RouteRecord): boolean => {
  const family = bind_address === undefined ? undefined : parseIp(bind_address)?.family
  return family !== undefined && family !== familyOf(stored)
}

const storedAddresses = ({ destinations }: RouteRecord, hostname: string): string[] => [
  ...new Set(
    destinations.filter((one) => one.hostname === hostname && one.address !== '').map(({ address }) => address),
  ),
]

function inFamilies(addresses: readonly string[]): Readonly<Record<Family, Resolution>> {
  const of = (isSix: boolean): Resolution => {
    const its = addresses.filter((address) => address.includes(':') === isSix)
    return its.length === 0 ? { isFound: false, error: 'ENODATA' } : { isFound: true, addresses: its, ttl_seconds: 0 }
  }
  return { 4: of(false), 6: of(true) }
}

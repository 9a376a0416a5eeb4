// What becomes of the source of masqueraded packets, on the path that they take now (decisions.md, F40).
import { NAT_MODES } from '@panel/shared/api/base/lookups.ts'
import { NAMES_MAX, type Reader } from '@panel/shared/rpc/methods.ts'
import { INTERFACE_NAME_PATTERN } from '@panel/shared/tunnel/model.ts'
import type { SourcesFound } from '@panel/shared/ruleset/found.ts'
import type { RelayDestination, RelayRule } from '@panel/shared/ruleset/model.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import type { Paths } from '../routes/path/path.ts'
import type { RouteRecord } from '../routes/record.ts'

/**
 * How the kernel carries out a rule; undefined if it does not hold it. Null: it does not masquerade, or it is not known
 * where the packets leave.
 */
export type CarriedOut = (
  rule: RelayRule | undefined,
  destination: Pick<RelayDestination, 'address' | 'port'>,
) => string | null

/** Over an interface that root names no address of, the kernel masquerades by itself. */
export async function readCarriedOut(
  request: Reader,
  records: readonly RouteRecord[],
  { deviceTo }: Pick<Paths, 'deviceTo'>,
): Promise<CarriedOut> {
  const devices = new Map(
    records.filter(isMasqueraded).flatMap(({ destinations }) =>
      destinations.flatMap(({ address }) => {
        const device = deviceTo(address)
        return device !== null && NAME.test(device) ? [[address, device] as const] : []
      }),
    ),
  )
  const sources = await readSources(request, [...new Set(devices.values())])
  return (rule, { address, port }) => {
    const device = devices.get(address)
    // A mark may have another routing table looked up.
    if (!sources || device === undefined || rule?.nat_mode !== 'masquerade' || rule.fwmark !== null) return null
    if (!rule.destinations.some((one) => one.address === address && one.port === port)) return null
    const source = sources.get(keyOf(device, address))
    return source === undefined ? 'masquerade' : `snat ${source}`
  }
}

/** Root takes no other names, so nobody knows of a link of such a name. */
const NAME = new RegExp(INTERFACE_NAME_PATTERN)

const isMasqueraded = ({ is_enabled, nat_mode_id }: RouteRecord): boolean =>
  is_enabled && nat_mode_id === NAT_MODES.Masquerade

const keyOf = (device: string, address: string): string => `${device} ${address.includes(':') ? 6 : 4}`

/** The sources by interface and family; null if root cannot read them. */
async function readSources(request: Reader, devices: readonly string[]): Promise<Map<string, string> | null> {
  const found: SourcesFound['sources'] = []
  for (let at = 0; at < devices.length; at += NAMES_MAX) {
    const interface_names = devices.slice(at, at + NAMES_MAX)
    const answer = await nullIfHelperAway(request('ruleset.sources', { interface_names }))
    if (!answer?.is_readable) return null
    found.push(...answer.sources)
  }
  return new Map(found.map(({ interface_name, address }) => [keyOf(interface_name, address), address]))
}

/** What it is for all destinations of the rule; null where they differ. */
export function carriedOutAlike(rule: RelayRule | undefined, carriedOut: CarriedOut): string | null {
  const [first = null, ...others] = new Set((rule?.destinations ?? []).map((one) => carriedOut(rule, one)))
  return others.length === 0 ? first : null
}

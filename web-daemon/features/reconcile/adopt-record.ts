// The record of a tunnel that is adopted: what the kernel holds, and around it what no kernel knows (decisions.md, S12,
// S13).
import { contains, parseCidr, parseIp } from '@panel/shared/address/ip.ts'
import { defaultsOf } from '@panel/shared/api/base/field-list.ts'
import { APPLY_STATUSES, PERSISTENCE_TYPES, typeOfKind } from '@panel/shared/api/base/lookups.ts'
import type { AdoptBody, LegacyName } from '@panel/shared/api/reconcile.ts'
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import type { LinkState, Saved, TunnelAddress } from '@panel/shared/tunnel/model.ts'
import type { PoolRecord } from '../pools/store.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { inOrder } from '../tunnels/draft/addresses.ts'
import type { NewTunnel } from '../tunnels/record.ts'
import type { ExistingTunnel } from '../tunnels/store.ts'

export interface Adopted {
  readonly body: AdoptBody
  readonly link: LinkState
  readonly saved: Saved | null
  readonly is_answered_through: boolean
  readonly persistence_type_id: number
  readonly legacy: LegacyName | null
  readonly neighbours: readonly ExistingTunnel[]
  readonly pools: readonly PoolRecord[]
  readonly settings: SettingsReader
}

export function recordOfAdopted(
  { body, link, saved, is_answered_through, persistence_type_id, legacy, neighbours, pools, settings }: Adopted,
  now: string,
): NewTunnel {
  const { kind, addresses, ...config } = link.config
  return {
    // Over IPv6 ttl and tos stand for hop_limit and traffic_class where those are null, as they are by default.
    ...defaultsOf(TUNNEL_FIELDS),
    ...config,
    tunnel_type_id: typeOfKind(kind),
    interface_name: body.interface_name,
    is_name_templated: false,
    tunnel_side_id: body.tunnel_side_id ?? TUNNEL_FIELDS.tunnel_side_id.byDefault,
    tunnel_number: legacy && isFree(legacy.tunnel_number, neighbours) ? legacy.tunnel_number : null,
    addresses: inOrder(addresses),
    persistence_type_id,
    ...keepaliveOf(saved, persistence_type_id, settings),
    address_pool_id: body.address_pool_id === undefined ? poolOf(addresses, pools) : body.address_pool_id,
    is_enabled: link.is_up,
    is_answered_through,
    apply_status_id: APPLY_STATUSES.Applied,
    last_applied_date: now,
    note: body.note ?? '',
    created_date: now,
    updated_date: now,
  }
}

function keepaliveOf(
  saved: Saved | null,
  persistence_type_id: number,
  settings: SettingsReader,
): Pick<NewTunnel, 'keepalive_interval_seconds' | 'keepalive_packet_size'> {
  const kept =
    persistence_type_id === PERSISTENCE_TYPES.Runtime ? null : (saved?.systemd_keepalive_unit?.config ?? null)
  return {
    keepalive_interval_seconds: kept?.interval_seconds ?? null,
    keepalive_packet_size: kept?.packet_size ?? settings.get('keepalive.packet_size'),
  }
}

/** The schema's limit for the number. */
const MAX_NUMBER = 0xff_ffff

const isFree = (tunnel_number: number, neighbours: readonly ExistingTunnel[]): boolean =>
  tunnel_number <= MAX_NUMBER && !neighbours.some((n) => n.tunnel_number === tunnel_number)

/**
 * The narrowest pool that one of the addresses lies in, enabled or not: a pool that is off can still be where a tunnel
 * came from.
 */
function poolOf(addresses: readonly TunnelAddress[], pools: readonly PoolRecord[]): number | null {
  const ranges = pools
    .map(({ address_pool_id, cidr }) => ({ address_pool_id, range: parseCidr(cidr) }))
    .sort((a, b) => (b.range?.prefix_length ?? 0) - (a.range?.prefix_length ?? 0))
  for (const { address } of addresses) {
    const ip = parseIp(address)
    const pool = ranges.find(({ range }) => range && ip && contains(range, ip))
    if (pool) return pool.address_pool_id
  }
  return null
}

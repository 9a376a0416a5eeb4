// From a request to the record that will be stored and the state that the host must have. It only reads.
import { kindOfType, PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { MtuAdvice } from '@panel/shared/api/tunnels/answers.ts'
import { withDefaults } from '@panel/shared/api/base/field-list.ts'
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { canonicalIp } from '@panel/shared/address/ip.ts'
import { isIpv6Kind, type TunnelState } from '@panel/shared/tunnel/model.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Incoming } from '../../../platform/http/endpoint.ts'
import type { HostFacts } from '../facts.ts'
import { stateOf, type NewTunnel } from '../record.ts'
import { warnOfNoWay } from './answers.ts'
import { draftEnds } from './ends.ts'
import { draftKeys, type Keys } from './keys.ts'
import { checkMtuForIpv6, chosenMtu, draftMtu } from './mtu.ts'
import { draftOptions, packetOptions, pathMtuDiscovery, formatTrafficClass } from './options.ts'
import { draftKeepalive, type KeepaliveFields } from './keepalive.ts'
import { checkLimits, draftPersistence } from './persistence.ts'
import { draftPlace, type Place } from './place.ts'
import { farEndFields, withFarEnd } from './far-end.ts'
import { localEndFields, withLocalEnd } from './local-end.ts'
import { FIELD_ORDER, makeDraftContext, type DraftContext } from './context.ts'

export interface Draft {
  readonly record: NewTunnel
  /** What the host shall hold. */
  readonly after: TunnelState
  readonly mtu: MtuAdvice
  /** The request with all decisions filled in: sent again, it gives the same draft. */
  readonly resolved: CreateTunnelBody
  readonly warnings: Warning[]
  readonly facts: HostFacts
}

export interface DraftOptions {
  /** The tunnel comes from a backup or a revision: an empty list of addresses means none, and no pool is used. */
  readonly isRestored?: boolean
  /** Whether the facts include which kinds of tunnel the kernel can make. */
  readonly withLinkKinds?: boolean
}

/** Throws 422 with all problems at once, then errors that no field could fix, one at a time. */
export async function draftTunnel(
  context: ReadContext,
  { body, problems }: Incoming<CreateTunnelBody>,
  { isRestored = false, withLinkKinds = false }: DraftOptions = {},
): Promise<Draft> {
  const requested = await makeDraftContext(context, body, problems, { withLinkKinds })
  const named = await withFarEnd(requested, { sent: body, isRestored })
  const draft = {
    ...(await withLocalEnd(context, named, { sent: body, isRestored })),
    hasNoAddresses: isRestored && body.addresses?.length === 0,
  }
  const drafted = draftFields(draft)
  problems.throwIfAny(FIELD_ORDER)
  if (!drafted) throw incomplete()
  const record = makeRecord(draft, drafted, context.now().toISOString())
  const after = stateOf(record)
  return {
    record,
    after,
    mtu: drafted.mtu,
    resolved: resolveRequest(body, record),
    warnings: draft.warnings,
    facts: draft.facts,
  }
}

export function incomplete(): Error {
  return new Error('A draft without problems is incomplete')
}

export interface DraftedFields {
  readonly keys: Keys
  readonly mtu: MtuAdvice
  readonly place: Place
  readonly persistence_type_id: number
  readonly keepalive: KeepaliveFields
}

/** Finds every problem; null if one leaves something undecided. */
export function draftFields(draft: DraftContext): DraftedFields | null {
  draftOptions(draft)
  const ends = draftEnds(draft)
  const keys = draftKeys(draft, ends)
  const persistence_type_id = draftPersistence(draft)
  const mtu = draft.kind && draftMtu(draft, draft.kind, keys, ends.remote)
  const place = draftPlace(draft, ends)
  if (mtu) checkMtuForIpv6(draft, chosenMtu(draft, mtu), place?.addresses ?? draft.body.addresses ?? [])
  if (place) warnOfNoWay(draft, place)
  if (!mtu || !place) return null
  const drafted = {
    keys,
    mtu,
    place,
    persistence_type_id,
    keepalive: draftKeepalive(draft, persistence_type_id, place.addresses),
  }
  checkPersistence(draft, drafted)
  return drafted
}

/** Only for a draft without problems: checks whether networkd can keep the whole configuration. */
function checkPersistence(draft: DraftContext, drafted: DraftedFields): void {
  if (drafted.persistence_type_id !== PERSISTENCE_TYPES.Networkd || draft.problems.all.length > 0) return
  const { interface_name, link } = stateOf(makeRecord(draft, drafted, ''))
  if (link) checkLimits(draft, interface_name, link.config)
}

export function makeRecord(
  draft: DraftContext,
  { keys, mtu, place, persistence_type_id, keepalive }: DraftedFields,
  now: string,
): NewTunnel {
  const { body, settings } = draft
  const { remote_hostname = null, is_local_endpoint_automatic = false } = body
  const localEnd = { local_endpoint: canonicalIp(body.local_endpoint ?? ''), is_local_endpoint_automatic }
  const farEnd = { remote_endpoint: canonicalIp(body.remote_endpoint ?? ''), remote_hostname }
  return {
    ...withDefaults(TUNNEL_FIELDS, body),
    tunnel_type_id: body.tunnel_type_id ?? settings.get('tunnel.default_type'),
    ...place,
    ...localEndFields(draft.stored, localEnd),
    ...farEndFields(draft.stored, farEnd, now),
    mtu: chosenMtu(draft, mtu),
    ...outerHeader(draft),
    ...keys,
    ...packetOptions(draft),
    persistence_type_id,
    monitor_target: typeof body.monitor_target === 'string' ? canonicalIp(body.monitor_target) : null,
    ...keepalive,
    created_date: now,
    updated_date: now,
  }
}

function outerHeader(draft: DraftContext) {
  const { body, settings } = draft
  const overIpv6 = isIpv6Kind(kindOfType(body.tunnel_type_id ?? settings.get('tunnel.default_type')))
  const tos = formatTrafficClass(body.tos ?? settings.get('tunnel.default_tos')) ?? 'inherit'
  return {
    ttl: body.ttl ?? settings.get('tunnel.default_ttl'),
    // The IPv4 driver stores "inherit" as the value 1.
    tos: tos === '0x01' && !overIpv6 ? 'inherit' : tos,
    traffic_class:
      body.traffic_class === undefined || body.traffic_class === null ? null : formatTrafficClass(body.traffic_class),
    is_path_mtu_discovery: pathMtuDiscovery(draft),
  }
}

function resolveRequest(body: CreateTunnelBody, record: NewTunnel): CreateTunnelBody {
  const { interface_name, tunnel_side_id, tunnel_number, mtu, ikey, okey, address_pool_id } = record
  const addresses = record.addresses.map(({ address, peer_address, prefix_length, is_primary }) => ({
    address,
    peer_address,
    prefix_length,
    is_primary,
  }))
  const { local_endpoint, is_local_endpoint_automatic, remote_endpoint, remote_hostname } = record
  const decided = { interface_name, tunnel_side_id, tunnel_number, mtu, ikey, okey, address_pool_id, addresses }
  return {
    ...body,
    ...(is_local_endpoint_automatic && { local_endpoint, is_local_endpoint_automatic }),
    ...(remote_hostname !== null && { remote_hostname, remote_endpoint }),
    ...decided,
  }
}

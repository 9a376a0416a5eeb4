// From what an operator asks to what will be stored and what the host shall hold. It reads, and cannot change anything.
import { kindOfType, PERSISTENCE_TYPES } from '@panel/shared/api/lookups.ts'
import type { Warning } from '@panel/shared/api/errors.ts'
import type { MtuAdvice } from '@panel/shared/api/tunnels/answers.ts'
import { withDefaults } from '@panel/shared/api/field-list.ts'
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { canonicalIp } from '@panel/shared/address/ip.ts'
import { isIpv6Kind, type TunnelState } from '@panel/shared/tunnel/model.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Incoming } from '../../../platform/http/endpoint.ts'
import type { HostFacts } from '../facts.ts'
import { stateOf, type NewTunnel } from '../record.ts'
import { stateBefore } from './before.ts'
import { draftEnds } from './ends.ts'
import { draftKeys, type Keys } from './keys.ts'
import { checkMtuForIpv6, chosenMtu, draftMtu } from './mtu.ts'
import { draftOptions, packetOptionsOf, pathMtuDiscoveryOf, trafficClassOf } from './options.ts'
import { draftKeepalive, type KeepaliveFields } from './keepalive.ts'
import { checkLimits, draftPersistence } from './persistence.ts'
import { draftPlace, type Place } from './place.ts'
import { FIELD_ORDER, sketchOf, type Sketch } from './sketch.ts'

export interface Draft {
  readonly record: NewTunnel
  /** What the host holds under the name, and what it shall hold. */
  readonly before: TunnelState | null
  readonly after: TunnelState
  readonly mtu: MtuAdvice
  /** The request with everything that was decided for it: asked once more, it is this very draft again. */
  readonly resolved: CreateTunnelBody
  readonly warnings: Warning[]
  readonly facts: HostFacts
}

export interface Manner {
  /** Of a tunnel that was once: then an empty list of addresses means none, and no pool is asked for some. */
  readonly isRestored?: boolean
}

/** Throws 422 with all problems at once; then, one by one, what no other field would mend. */
export async function draftTunnel(
  context: ReadContext,
  { body, problems }: Incoming<CreateTunnelBody>,
  { isRestored = false }: Manner = {},
): Promise<Draft> {
  const sketch = { ...(await sketchOf(context, body, problems)), isBare: isRestored && body.addresses?.length === 0 }
  const parts = draftParts(sketch)
  problems.throwIfAny(FIELD_ORDER)
  if (!parts) throw incomplete()
  const record = recordOf(sketch, parts, context.now().toISOString())
  const after = stateOf(record)
  const before = await stateBefore(context.ask, after)
  return {
    record,
    before,
    after,
    mtu: parts.mtu,
    resolved: resolvedOf(body, record),
    warnings: sketch.warnings,
    facts: sketch.facts,
  }
}

export const incomplete = (): Error => new Error('A draft without problems is incomplete')

export interface Parts {
  readonly keys: Keys
  readonly mtu: MtuAdvice
  readonly place: Place
  readonly persistence_type_id: number
  readonly keepalive: KeepaliveFields
}

/** Finds every problem; null where one of them leaves something undecided. */
export function draftParts(sketch: Sketch): Parts | null {
  draftOptions(sketch)
  const ends = draftEnds(sketch)
  const keys = draftKeys(sketch, ends)
  const persistence_type_id = draftPersistence(sketch)
  const mtu = sketch.kind && draftMtu(sketch, sketch.kind, keys, ends.remote)
  const place = draftPlace(sketch, ends)
  if (mtu) checkMtuForIpv6(sketch, chosenMtu(sketch, mtu), place?.addresses ?? sketch.body.addresses ?? [])
  if (!mtu || !place) return null
  const parts = {
    keys,
    mtu,
    place,
    persistence_type_id,
    keepalive: draftKeepalive(sketch, persistence_type_id, place.addresses),
  }
  checkKept(sketch, parts)
  return parts
}

/** Told of a draft that is right but for this: the record that it makes is looked at as a whole. */
function checkKept(sketch: Sketch, parts: Parts): void {
  if (parts.persistence_type_id !== PERSISTENCE_TYPES.Networkd || sketch.problems.all.length > 0) return
  const { interface_name, link } = stateOf(recordOf(sketch, parts, ''))
  if (link) checkLimits(sketch, interface_name, link.config)
}

export function recordOf(
  sketch: Sketch,
  { keys, mtu, place, persistence_type_id, keepalive }: Parts,
  now: string,
): NewTunnel {
  const { body, settings } = sketch
  return {
    ...withDefaults(TUNNEL_FIELDS, body),
    tunnel_type_id: body.tunnel_type_id ?? settings.get('tunnel.default_type'),
    ...place,
    local_endpoint: canonicalIp(body.local_endpoint ?? ''),
    remote_endpoint: canonicalIp(body.remote_endpoint ?? ''),
    mtu: chosenMtu(sketch, mtu),
    ...outerHeaderOf(sketch),
    ...keys,
    ...packetOptionsOf(sketch),
    persistence_type_id,
    monitor_target: typeof body.monitor_target === 'string' ? canonicalIp(body.monitor_target) : null,
    ...keepalive,
    created_date: now,
    updated_date: now,
  }
}

function outerHeaderOf(sketch: Sketch) {
  const { body, settings } = sketch
  const overIpv6 = isIpv6Kind(kindOfType(body.tunnel_type_id ?? settings.get('tunnel.default_type')))
  const tos = trafficClassOf(body.tos ?? settings.get('tunnel.default_tos')) ?? 'inherit'
  return {
    ttl: body.ttl ?? settings.get('tunnel.default_ttl'),
    // The IPv4 driver keeps "inherit" as the value 1, so it is stored as what it is.
    tos: tos === '0x01' && !overIpv6 ? 'inherit' : tos,
    traffic_class:
      body.traffic_class === undefined || body.traffic_class === null ? null : trafficClassOf(body.traffic_class),
    is_path_mtu_discovery: pathMtuDiscoveryOf(sketch),
  }
}

function resolvedOf(body: CreateTunnelBody, record: NewTunnel): CreateTunnelBody {
  const { interface_name, tunnel_side_id, tunnel_number, mtu, ikey, okey, address_pool_id } = record
  const addresses = record.addresses.map(({ address, peer_address, prefix_length, is_primary }) => ({
    address,
    peer_address,
    prefix_length,
    is_primary,
  }))
  return { ...body, interface_name, tunnel_side_id, tunnel_number, mtu, ikey, okey, address_pool_id, addresses }
}

// The content of a pairing code: the tunnel as the server that made the code sees it (decisions.md, R26). False and
// null are left out.
import { parseIp } from '@panel/shared/address/ip.ts'
import { TUNNEL_SIDES, TUNNEL_TYPES } from '@panel/shared/api/base/lookups.ts'
import { integer, integerEnum, Type, U32_MAX, type Static } from '@panel/shared/schema.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { asMessage } from '../../../platform/http/refusal.ts'
import { validate, type Body } from '../../../platform/http/validate.ts'
import type { PoolRecord } from '../../pools/store.ts'
import { PairingCodeError } from './code.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { AddressRecord, TunnelRecord } from '../record.ts'

const VERSION = 1
const maybe = Type.Optional
const flag = maybe(Type.Boolean())
const ip = Type.String({ maxLength: 45 })

/** Unknown fields are accepted: a later version may add some. */
const PairingContent = Type.Object({
  type: integerEnum(Object.values(TUNNEL_TYPES)),
  side: integerEnum(Object.values(TUNNEL_SIDES)),
  name: maybe(Type.String({ maxLength: 15 })),
  tmpl: flag,
  num: maybe(integer(0, 0xff_ffff)),
  local: ip,
  remote: ip,
  ttl: integer(0, 255),
  tos: Type.String({ pattern: '^(inherit|0x[0-9a-f]{2})$' }),
  mtu: integer(576, 9216),
  ikey: maybe(integer(0, U32_MAX)),
  okey: maybe(integer(0, U32_MAX)),
  icsum: flag,
  ocsum: flag,
  iseq: flag,
  oseq: flag,
  pmtu: flag,
  idf: flag,
  mc: flag,
  hop: maybe(integer(0, 255)),
  encap: maybe(integer(0, 255)),
  /** The addresses of side A and side B; "" if the server does not know that of the other side. */
  addr: Type.Array(Type.Object({ a: ip, b: ip, len: integer(1, 128), primary: flag }), { minItems: 1, maxItems: 64 }),
  pool_cidr: maybe(Type.String({ maxLength: 49 })),
  pool_len: maybe(integer(1, 127)),
  pool_title: maybe(Type.String({ maxLength: 100 })),
})
export type PairingContent = Static<typeof PairingContent>

export function makeContent(record: TunnelRecord, pool: PoolRecord | null): PairingContent & { v: number } {
  return sparse({
    v: VERSION,
    type: record.tunnel_type_id,
    side: record.tunnel_side_id,
    name: record.interface_name,
    tmpl: record.is_name_templated,
    num: record.tunnel_number,
    local: record.local_endpoint,
    remote: record.remote_endpoint,
    ttl: record.ttl,
    // The kernel has one field for both, and so does the code.
    tos: record.traffic_class ?? record.tos,
    mtu: record.mtu,
    ikey: record.ikey,
    okey: record.okey,
    icsum: record.has_input_checksum,
    ocsum: record.has_output_checksum,
    iseq: record.has_input_sequence,
    oseq: record.has_output_sequence,
    pmtu: record.is_path_mtu_discovery,
    idf: record.is_ignore_df,
    mc: record.is_multicast,
    hop: record.hop_limit,
    encap: record.encap_limit,
    addr: record.addresses.map((address) => bySide(address, record.tunnel_side_id)),
    pool_cidr: pool?.cidr ?? null,
    pool_len: pool?.prefix_length ?? null,
    pool_title: pool?.address_pool_title ?? null,
  }) as PairingContent & { v: number }
}

/** Throws a PairingCodeError if the value is not a tunnel that this version understands. */
export function readContent(value: unknown): PairingContent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unusable(message('pairing.no_tunnel'))
  const given = value as Body
  if (given['v'] !== VERSION)
    throw unusable(message('pairing.content_version', { version: String(given['v']), known: VERSION }))
  const problems = new Problems()
  validate(PairingContent, withoutNulls(given), problems)
  const [problem] = problems.all
  if (problem) throw unusable({ ...asMessage(problem), message: problem.message.replace(/^The field/, 'the field') })
  const content = withoutNulls(given) as unknown as PairingContent
  const wrong = listAddresses(content).find((text) => !parseIp(text))
  if (wrong !== undefined) throw unusable(message('pairing.not_ip', { text: JSON.stringify(wrong) }))
  return content
}

const bySide = ({ address, peer_address, prefix_length, is_primary }: AddressRecord, tunnel_side_id: number) => {
  const [a, b] = tunnel_side_id === TUNNEL_SIDES.A ? [address, peer_address] : [peer_address, address]
  return sparse({ a, b, len: prefix_length, primary: is_primary })
}

function listAddresses({ local, remote, addr }: PairingContent): string[] {
  return [local, remote, ...addr.flatMap(({ a, b }) => (a === '' ? [b] : b === '' ? [a] : [a, b]))]
}

/** Codes are sometimes copied by hand, so defaults are left out. */
const sparse = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== false)) as Partial<T>

const withoutNulls = (given: Body): Body =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))

const unusable = (why: Message): PairingCodeError => new PairingCodeError(message('pairing.unusable', { why }))

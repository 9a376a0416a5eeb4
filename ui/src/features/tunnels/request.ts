// The values of the wizard and the request built from them; the server fills empty fields.
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { isHostname } from '../../core/hostname.ts'
import { NO_OPTIONS, type Options } from './options.ts'

export interface TunnelRequest extends Options {
  tunnel_type_id: number | null
  local_endpoint: string
  is_local_endpoint_automatic: boolean
  /** The address, or a name. */
  remote_endpoint: string
  display_name: string
  address_pool_id: number | null
  interface_name: string
  tunnel_number: number | null
  mtu: number | null
  ttl: number | null
  /** "" generates one, "none" omits it, else the number. */
  key: string
  persistence_type_id: number | null
  force: boolean
}

export const EMPTY: TunnelRequest = {
  ...NO_OPTIONS,
  tunnel_type_id: null,
  local_endpoint: '',
  is_local_endpoint_automatic: false,
  remote_endpoint: '',
  display_name: '',
  address_pool_id: null,
  interface_name: '',
  tunnel_number: null,
  mtu: null,
  ttl: null,
  key: '',
  persistence_type_id: null,
  force: false,
}

/** Form values from the other server's pairing code. */
export const fromPairingCode = (decoded: CreateTunnelBody): TunnelRequest => ({
  ...EMPTY,
  tunnel_type_id: decoded.tunnel_type_id ?? null,
  local_endpoint: decoded.local_endpoint ?? '',
  remote_endpoint: decoded.remote_endpoint ?? '',
  interface_name: decoded.interface_name ?? '',
  mtu: decoded.mtu ?? null,
  ttl: decoded.ttl ?? null,
  persistence_type_id: decoded.persistence_type_id ?? null,
  is_answered_through: decoded.is_answered_through ?? false,
})

/** `decoded` is the pairing code's tunnel; its addresses, keys, side and number are kept. */
export const requestBody = (request: TunnelRequest, decoded: CreateTunnelBody | null): CreateTunnelBody => {
  const { key: _key, force, is_local_endpoint_automatic: _choice, remote_endpoint, ...fields } = request
  const trimmed = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() : value,
  ])
  const isOffAnyway = (name: unknown, value: unknown): boolean =>
    name === 'is_answered_through' && value === false && !decoded?.is_answered_through
  const own = Object.fromEntries([
    ...trimmed.filter(([name, value]) => value !== null && value !== '' && !isOffAnyway(name, value)),
    ...(force ? [['force', force]] : []),
  ]) as Partial<CreateTunnelBody>
  const { remote_endpoint: _theirs, ...kept } = decoded ?? {}
  return {
    ...kept,
    ...parseKeys(request.key.trim()),
    ...own,
    ...localEndOf(request),
    ...farEndOf(remote_endpoint),
  }
}

/** What was entered as this end. */
export const localEndOf = ({
  local_endpoint,
  is_local_endpoint_automatic,
}: Pick<TunnelRequest, 'local_endpoint' | 'is_local_endpoint_automatic'>): Pick<
  CreateTunnelBody,
  'local_endpoint'
> => ({
  local_endpoint: is_local_endpoint_automatic ? null : local_endpoint.trim(),
})

/** What was typed as the far end. */
export const farEndOf = (text: string): Pick<CreateTunnelBody, 'remote_endpoint' | 'remote_hostname'> =>
  isHostname(text) ? { remote_hostname: text.trim() } : { remote_endpoint: text.trim() }

/** The field of the forms that a field of the API is entered in. */
export const fieldOf = (name: string): string =>
  name === 'remote_hostname' ? 'remote_endpoint' : name === 'is_local_endpoint_automatic' ? 'local_endpoint' : name

/** What is no number goes as it was typed, for the server to refuse: JSON would make it null, which means no key. */
const parseKeys = (text: string): Readonly<Record<string, unknown>> => {
  if (text === '') return {}
  const number = Number(text)
  const key = text === 'none' ? null : Number.isFinite(number) ? number : text
  return { ikey: key, okey: key }
}

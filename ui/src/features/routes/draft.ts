// The form values of a relay rule and their request; the server fills empty fields.
import { joinTags, parseTags } from '../../components/form/tags.ts'
import type { CreateRouteBody, UpdateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { RouteView } from '@panel/shared/api/routes/answers.ts'

export interface DestinationValues {
  /** An address, or a host name. */
  address: string
  hostname_policy: 'first' | 'all'
  is_backup: boolean
  /** Null: same as the bind port. */
  port: number | null
  port_range_end: number | null
  weight: number | null
  is_enabled: boolean
}

export interface RouteValues {
  route_rule_title: string
  description: string
  route_protocol_id: number
  bind_address: string
  bind_port: number | null
  bind_port_range_end: number | null
  bind_interface: string
  destinations: DestinationValues[]
  load_balance_mode_id: number
  nat_mode_id: number
  snat_address: string
  allowed_sources: { cidr: string; description: string }[]
  is_enabled: boolean
  is_clamp_mss_to_pmtu: boolean
  is_include_local_originated: boolean
  is_logging_enabled: boolean
  is_self_heal: boolean | null
  is_fast_path: boolean | null
  fwmark: number | null
  max_connections_per_source: number | null
  connection_rate_limit: number | null
  tunnel_id: number | null
  tags: string
  force: boolean
}

export const ROUND_ROBIN = 20
export const WEIGHTED = 40
export const SNAT = 20

export const emptyDestination = (): DestinationValues => ({
  address: '',
  hostname_policy: 'first',
  is_backup: false,
  port: null,
  port_range_end: null,
  weight: 1,
  is_enabled: true,
})

export const emptyRoute = (): RouteValues => ({
  route_rule_title: '',
  description: '',
  route_protocol_id: 10,
  bind_address: '',
  bind_port: null,
  bind_port_range_end: null,
  bind_interface: '',
  destinations: [emptyDestination()],
  load_balance_mode_id: ROUND_ROBIN,
  nat_mode_id: 10,
  snat_address: '',
  allowed_sources: [],
  is_enabled: true,
  is_clamp_mss_to_pmtu: true,
  is_include_local_originated: false,
  is_logging_enabled: false,
  is_self_heal: null,
  is_fast_path: null,
  fwmark: null,
  max_connections_per_source: null,
  connection_rate_limit: null,
  tunnel_id: null,
  tags: '',
  force: false,
})

/** A name with several addresses is listed once for each of them, and is one line of the form. */
const isFirstOfName = (one: RouteView['destinations'][number], at: number, all: RouteView['destinations']): boolean =>
  one.hostname === null || all.findIndex(({ hostname, port }) => hostname === one.hostname && port === one.port) === at

/** A name has a dot and ends in letters; what is neither that nor an address is refused as an address. */
export const isHostname = (text: string): boolean => /^[^\s:]+\.[a-z][a-z0-9-]*\.?$/i.test(text.trim())

export const formValues = (route: RouteView): RouteValues => ({
  ...(Object.fromEntries(
    Object.keys(emptyRoute()).map((name) => [name, route[name as keyof RouteView]]),
  ) as unknown as RouteValues),
  bind_interface: route.bind_interface ?? '',
  snat_address: route.snat_address ?? '',
  destinations: route.destinations.filter(isFirstOfName).map((one) => ({
    address: one.hostname ?? one.address,
    hostname_policy: one.hostname_policy ?? 'first',
    is_backup: one.is_backup,
    port: one.port,
    port_range_end: one.port_range_end,
    weight: one.weight,
    is_enabled: one.is_enabled,
  })),
  load_balance_mode_id: Math.max(ROUND_ROBIN, route.load_balance_mode_id),
  allowed_sources: route.allowed_sources.map(({ cidr, description }) => ({ cidr, description })),
  tags: joinTags(route.tags),
  force: false,
})

/** For a new rule, an empty title or bind address is omitted; a stored rule sends both. */
export const requestBody = (values: RouteValues, isStored: boolean): CreateRouteBody => {
  const { force, load_balance_mode_id, bind_port, ...rest } = values
  const bind_address = values.bind_address.trim()
  const title = values.route_rule_title.trim()
  const anyAddress = values.destinations[0]?.address.includes(':') ? '::' : '0.0.0.0'
  const { route_rule_title: _title, bind_address: _address, ...named } = rest
  return {
    ...named,
    ...(title === '' ? {} : { route_rule_title: title }),
    ...(bind_address === '' && !isStored ? {} : { bind_address: bind_address || anyAddress }),
    bind_port: bind_port ?? 0,
    bind_interface: values.bind_interface.trim() || null,
    destinations: values.destinations.map(({ address, hostname_policy, port, port_range_end, weight, ...rest }) => ({
      ...(isHostname(address) ? { hostname: address.trim(), hostname_policy } : { address: address.trim() }),
      // One that follows a missing port is nothing to complain of by itself.
      port: port ?? bind_port ?? 1,
      port_range_end: values.bind_port_range_end === null ? null : port_range_end,
      weight: weight ?? 1,
      ...rest,
    })),
    ...(values.destinations.length > 1 ? { load_balance_mode_id } : {}),
    snat_address: values.nat_mode_id === SNAT ? values.snat_address.trim() || null : null,
    allowed_sources: values.allowed_sources.map(({ cidr, description }) => ({ cidr: cidr.trim(), description })),
    tags: parseTags(values.tags),
    ...(force ? { force } : {}),
  }
}

/** Only what differs from the stored values, so that a change elsewhere is kept. */
export const changedBody = (values: RouteValues, stored: RouteValues): UpdateRouteBody => {
  const [wanted, before] = [requestBody(values, true), requestBody(stored, true)] as Record<string, unknown>[]
  return Object.fromEntries(
    Object.entries(wanted ?? {}).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before?.[name])),
  )
}

/** The words of fields that are no input of their own. */
export const OTHER_FIELDS = {
  destinations: 'routes.edit.relays',
  allowed_sources: 'routes.edit.sources',
  is_enabled: 'routes.field.enabled',
  is_clamp_mss_to_pmtu: 'routes.field.clamp',
  is_include_local_originated: 'routes.field.local',
  is_logging_enabled: 'routes.field.logging',
} as const satisfies Partial<Record<keyof RouteValues, string>>

/** Destinations or sources in one line. */
export const showItems = (items: unknown): string =>
  (items as { address?: string; port?: number | null; cidr?: string }[])
    .map(({ address, port, cidr }) => cidr ?? (port == null ? address : `${address} : ${port}`))
    .join(', ')

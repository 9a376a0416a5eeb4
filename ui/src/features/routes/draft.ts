// The form values of a relay rule and their request; the server fills empty fields.
import { emptyValues, requestOf, valuesOf, type ValuesOf } from '../../components/form/fields.ts'
import type { CreateRouteBody, UpdateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { RouteView } from '@panel/shared/api/routes/answers.ts'
import { isHostname } from '../../core/hostname.ts'
import { FIELDS } from './fields.ts'

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

export type RouteValues = ValuesOf<typeof FIELDS> & {
  destinations: DestinationValues[]
  load_balance_mode_id: number
  allowed_sources: { cidr: string; description: string }[]
  tunnel_id: number | null
  force: boolean
}

export const ROUND_ROBIN = 20
export const WEIGHTED = 40

export const emptyDestination = (): DestinationValues => ({
  address: '',
  hostname_policy: 'first',
  is_backup: false,
  port: null,
  port_range_end: null,
  weight: 1,
  is_enabled: true,
})

export const emptyRoute = (tunnel_id: number | null = null): RouteValues => ({
  ...emptyValues(FIELDS),
  destinations: [emptyDestination()],
  load_balance_mode_id: ROUND_ROBIN,
  allowed_sources: [],
  tunnel_id,
  force: false,
})

/** A name with several addresses is listed once for each of them, and is one line of the form. */
const isFirstOfName = (one: RouteView['destinations'][number], at: number, all: RouteView['destinations']): boolean =>
  one.hostname === null || all.findIndex(({ hostname, port }) => hostname === one.hostname && port === one.port) === at

export const formValues = (route: RouteView): RouteValues => ({
  ...valuesOf(FIELDS, route),
  tunnel_id: route.tunnel_id,
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
  force: false,
})

/** For a new rule, an empty title or bind address is omitted; a stored rule sends both. */
export const requestBody = (values: RouteValues, isStored: boolean): CreateRouteBody => {
  const { force, load_balance_mode_id, bind_port, tunnel_id } = values
  const anyAddress = values.destinations[0]?.address.includes(':') ? '::' : '0.0.0.0'
  const { route_rule_title, bind_address, ...named } = requestOf(FIELDS, values)
  const request = {
    ...named,
    tunnel_id,
    ...(route_rule_title === '' ? {} : { route_rule_title }),
    ...(bind_address === '' && !isStored ? {} : { bind_address: bind_address || anyAddress }),
    bind_port: bind_port ?? 0,
    destinations: values.destinations.map(({ address, hostname_policy, port, port_range_end, weight, ...rest }) => ({
      ...(isHostname(address) ? { hostname: address.trim(), hostname_policy } : { address: address.trim() }),
      // One that follows a missing port is nothing to complain of by itself.
      port: port ?? bind_port ?? 1,
      port_range_end: values.bind_port_range_end === null ? null : port_range_end,
      weight: weight ?? 1,
      ...rest,
    })),
    ...(values.destinations.length > 1 ? { load_balance_mode_id } : {}),
    allowed_sources: values.allowed_sources.map(({ cidr, description }) => ({ cidr: cidr.trim(), description })),
    ...(force ? { force } : {}),
  }
  return request as CreateRouteBody
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
} as const satisfies Partial<Record<keyof RouteValues, string>>

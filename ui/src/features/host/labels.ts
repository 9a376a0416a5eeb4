// Labels, order and search of interfaces and routes.
import type { RoutingTableAnswer, InterfacesAnswer } from '@panel/shared/api/system.ts'
import type { StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'
import type { Searchable } from '../../core/search.ts'

export type HostInterface = InterfacesAnswer['interfaces'][number]
export type Entry = RoutingTableAnswer['routes'][number]

/** An entry with its index as key, because entries can look identical. */
export interface Row extends Entry {
  readonly at: number
}

export const linkLabel = ({ is_up, is_lower_up, oper_state }: HostInterface): StateLabel => {
  if (!is_up) return { state: 'disabled', label: t('host.state.off') }
  if (oper_state === 'UP') return { state: 'up', label: t('host.state.up') }
  if (oper_state === 'UNKNOWN')
    return { state: 'up', label: is_lower_up ? t('host.state.no_carrier_told') : t('host.state.up') }
  return { state: 'down', label: t('host.state.as', { state: oper_state }) }
}

export const searchableInterface = (link: HostInterface): Searchable => ({
  text: [link.name, link.kind, link.hardware_addr, ...link.addresses, ...link.flags].join('\n'),
  values: { class: [link.class], is: [link.is_up ? 'up' : 'down'], kind: [link.kind] },
})

export const addressFamily = ({ destination }: Entry): 'ipv4' | 'ipv6' => (destination.includes(':') ? 'ipv6' : 'ipv4')

export const searchableRoute = (route: Entry): Searchable => ({
  text: [route.destination, route.gateway, route.device, route.source, route.protocol].join('\n'),
  values: {
    is: route.is_default ? ['default'] : [],
    family: [addressFamily(route)],
    dev: [route.device],
    table: [String(route.table), tableName(route.table)],
    protocol: [route.protocol],
  },
})

const TABLES: Readonly<Record<number, string>> = { 253: 'default', 254: 'main', 255: 'local' }
export const tableName = (table: number): string => TABLES[table] ?? String(table)

/** Default routes, the main table, then kernel order. */
export const sortRoutes = (routes: readonly Entry[]): Row[] =>
  routes.map((route, at) => ({ ...route, at })).sort((a, b) => rank(a) - rank(b) || a.at - b.at)
const rank = ({ is_default, table }: Entry): number => (is_default ? 0 : table === 254 ? 1 : 2)

// All pages and their addresses as plain data, for the router and for the daemon's preload list.
import type { Area, Key } from '../locales/keys.ts'

export interface Route {
  /** Below the web path; `:id` matches one segment. */
  readonly path: string
  /** The component, as features/<page>.svelte. */
  readonly page: string
  readonly areas: readonly Area[]
  readonly title: Key
  /** Entry in the navigation, if any; on a phone with a title that fits there. */
  readonly nav?: { readonly group: 'tunnels' | 'host' | 'panel'; readonly icon: string; readonly onPhone?: Key }
}

/** In navigation order; literal paths before those with `:id`. */
export const ROUTES: readonly Route[] = [
  {
    path: '/',
    page: 'dashboard/DashboardPage',
    areas: ['dashboard', 'tunnels', 'path'],
    title: 'core.nav.dashboard',
    nav: { group: 'tunnels', icon: 'gauge', onPhone: 'core.nav.dashboard' },
  },
  {
    path: '/tunnels',
    page: 'tunnels/ListPage',
    areas: ['tunnels', 'tunnel', 'list', 'charts'],
    title: 'core.nav.tunnels',
    nav: { group: 'tunnels', icon: 'waypoints', onPhone: 'core.nav.tunnels' },
  },
  { path: '/tunnels/new', page: 'tunnels/NewPage', areas: ['tunnels', 'tunnel_new'], title: 'core.nav.new_tunnel' },
  {
    path: '/tunnels/:id',
    page: 'tunnels/DetailPage',
    areas: ['tunnels', 'tunnel', 'path', 'charts'],
    title: 'core.nav.tunnel',
  },
  {
    path: '/tunnels/:id/edit',
    page: 'tunnels/EditPage',
    areas: ['tunnels', 'tunnel', 'tunnel_new', 'reconcile'],
    title: 'core.nav.tunnel',
  },
  {
    path: '/tunnels/:id/pairing',
    page: 'tunnels/PairingPage',
    areas: ['tunnels', 'tunnel', 'first_hour'],
    title: 'core.nav.tunnel',
  },
  {
    path: '/tunnels/:id/diagnostics',
    page: 'tunnels/DiagnosticsPage',
    areas: ['tunnels', 'tunnel', 'diagnostics', 'charts'],
    title: 'core.nav.tunnel',
  },
  {
    path: '/tunnels/:id/history',
    page: 'tunnels/HistoryPage',
    areas: ['tunnels', 'tunnel', 'diagnostics', 'charts'],
    title: 'core.nav.tunnel',
  },
  {
    path: '/routes',
    page: 'routes/ListPage',
    areas: ['routes', 'path', 'list', 'charts'],
    title: 'core.nav.routes',
    nav: { group: 'tunnels', icon: 'shuffle', onPhone: 'core.nav.short.routes' },
  },
  { path: '/routes/new', page: 'routes/EditPage', areas: ['routes'], title: 'core.nav.new_route' },
  {
    path: '/routes/order',
    page: 'routes/OrderPage',
    areas: ['routes', 'order'],
    title: 'core.nav.route_order',
  },
  {
    path: '/routes/:id',
    page: 'routes/DetailPage',
    areas: ['routes', 'tunnels', 'path', 'charts'],
    title: 'core.nav.routes',
  },
  { path: '/routes/:id/edit', page: 'routes/EditPage', areas: ['routes'], title: 'core.nav.route' },
  {
    path: '/pools',
    page: 'pools/ListPage',
    areas: ['pools', 'list'],
    title: 'core.nav.pools',
    nav: { group: 'tunnels', icon: 'layers' },
  },
  { path: '/pools/new', page: 'pools/EditPage', areas: ['pools'], title: 'core.nav.new_pool' },
  { path: '/pools/:id/edit', page: 'pools/EditPage', areas: ['pools'], title: 'core.nav.pool' },
  {
    path: '/networks',
    page: 'networks/ListPage',
    areas: ['networks', 'list'],
    title: 'core.nav.networks',
    nav: { group: 'tunnels', icon: 'link' },
  },
  { path: '/networks/new', page: 'networks/EditPage', areas: ['networks'], title: 'core.nav.networks' },
  { path: '/networks/:id/edit', page: 'networks/EditPage', areas: ['networks'], title: 'core.nav.networks' },
  {
    path: '/reconcile',
    page: 'reconcile/ListPage',
    areas: ['reconcile', 'routes', 'list'],
    title: 'core.nav.reconcile',
    nav: { group: 'host', icon: 'scale' },
  },
  {
    path: '/forwarding',
    page: 'forwarding/ForwardingPage',
    areas: ['forwarding'],
    title: 'core.nav.forwarding',
    nav: { group: 'host', icon: 'forward' },
  },
  {
    path: '/metrics',
    page: 'metrics/MetricsPage',
    areas: ['metrics', 'charts'],
    title: 'core.nav.metrics',
    nav: { group: 'host', icon: 'activity', onPhone: 'core.nav.short.metrics' },
  },
  {
    path: '/host',
    page: 'host/InterfacesPage',
    areas: ['host', 'list'],
    title: 'core.nav.host',
    nav: { group: 'host', icon: 'network' },
  },
  {
    path: '/host/routes',
    page: 'host/RoutesPage',
    areas: ['host', 'list'],
    title: 'core.nav.routing_table',
  },
  {
    path: '/incidents',
    page: 'incidents/IncidentsPage',
    areas: ['incidents', 'dashboard', 'list'],
    title: 'core.nav.incidents',
  },
  {
    path: '/revisions',
    page: 'revisions/ListPage',
    areas: ['revisions', 'audit'],
    title: 'core.nav.revisions',
    nav: { group: 'panel', icon: 'undo' },
  },
  {
    path: '/audit',
    page: 'audit/AuditPage',
    areas: ['audit', 'reconcile'],
    title: 'core.nav.audit',
    nav: { group: 'panel', icon: 'scroll' },
  },
  {
    path: '/backup',
    page: 'backup/BackupPage',
    areas: ['backup'],
    title: 'core.nav.backup',
    nav: { group: 'panel', icon: 'archive' },
  },
  {
    path: '/webhooks',
    page: 'webhooks/ListPage',
    areas: ['webhooks'],
    title: 'core.nav.webhooks',
    nav: { group: 'panel', icon: 'bell' },
  },
  { path: '/webhooks/new', page: 'webhooks/EditPage', areas: ['webhooks'], title: 'core.nav.webhooks' },
  { path: '/webhooks/:id/edit', page: 'webhooks/EditPage', areas: ['webhooks'], title: 'core.nav.webhooks' },
  {
    path: '/settings',
    page: 'settings/SettingsPage',
    areas: ['settings', 'list'],
    title: 'core.nav.settings',
    nav: { group: 'panel', icon: 'settings' },
  },
  {
    path: '/system',
    page: 'system/SystemPage',
    areas: ['system'],
    title: 'core.nav.system',
    nav: { group: 'panel', icon: 'info' },
  },
  { path: '/system/api', page: 'system/ApiPage', areas: ['system', 'list'], title: 'core.nav.system' },
  { path: '/system/licences', page: 'system/LicencesPage', areas: ['system'], title: 'core.nav.system' },
  { path: '/account', page: 'account/AccountPage', areas: ['account'], title: 'core.nav.account' },
]

export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** `path` is below the web path, such as `/tunnels/3`. */
export const matchRoute = (path: string, routes: readonly Route[] = ROUTES): Match | null => {
  const segments = segmentsOf(path)
  for (const route of routes) {
    const wanted = segmentsOf(route.path)
    if (wanted.length !== segments.length || !wanted.every((part, at) => part.startsWith(':') || part === segments[at]))
      continue
    const params = Object.fromEntries(
      wanted.flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), segments[at] ?? '']] : [])),
    )
    return { route, params }
  }
  return null
}

const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

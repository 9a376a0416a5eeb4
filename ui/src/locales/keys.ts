// Every key of the page's words, taken from the English files; an area is one file, and its keys begin with its name.
import type account from './en/account.json'
import type audit from './en/audit.json'
import type backup from './en/backup.json'
import type changes from './en/changes.json'
import type charts from './en/charts.json'
import type checks from './en/checks.json'
import type core from './en/core.json'
import type dashboard from './en/dashboard.json'
import type entrance from './en/entrance.json'
import type diagnostics from './en/diagnostics.json'
import type tunnel from './en/tunnel.json'
import type tunnel_new from './en/tunnel_new.json'
import type first_hour from './en/first_hour.json'
import type forwarding from './en/forwarding.json'
import type order from './en/order.json'
import type networks from './en/networks.json'
import type own_access from './en/own_access.json'
import type palette from './en/palette.json'
import type path from './en/path.json'
import type pools from './en/pools.json'
import type reconcile from './en/reconcile.json'
import type remedy from './en/remedy.json'
import type revisions from './en/revisions.json'
import type routes from './en/routes.json'
import type impact from './en/impact.json'
import type help from './en/help.json'
import type incidents from './en/incidents.json'
import type host from './en/host.json'
import type list from './en/list.json'
import type metrics from './en/metrics.json'
import type safe_apply from './en/safe_apply.json'
import type settings from './en/settings.json'
import type system from './en/system.json'
import type tunnels from './en/tunnels.json'
import type views from './en/views.json'
import type webhooks from './en/webhooks.json'

interface Areas {
  readonly account: typeof account
  readonly audit: typeof audit
  readonly backup: typeof backup
  readonly changes: typeof changes
  readonly charts: typeof charts
  readonly checks: typeof checks
  readonly core: typeof core
  readonly dashboard: typeof dashboard
  readonly diagnostics: typeof diagnostics
  readonly entrance: typeof entrance
  readonly tunnel: typeof tunnel
  readonly tunnel_new: typeof tunnel_new
  readonly first_hour: typeof first_hour
  readonly forwarding: typeof forwarding
  readonly order: typeof order
  readonly networks: typeof networks
  readonly own_access: typeof own_access
  readonly palette: typeof palette
  readonly path: typeof path
  readonly pools: typeof pools
  readonly reconcile: typeof reconcile
  readonly remedy: typeof remedy
  readonly revisions: typeof revisions
  readonly routes: typeof routes
  readonly help: typeof help
  readonly host: typeof host
  readonly impact: typeof impact
  readonly incidents: typeof incidents
  readonly list: typeof list
  readonly metrics: typeof metrics
  readonly safe_apply: typeof safe_apply
  readonly settings: typeof settings
  readonly system: typeof system
  readonly tunnels: typeof tunnels
  readonly views: typeof views
  readonly webhooks: typeof webhooks
}

export type Area = keyof Areas
export type Key = { [A in Area]: keyof Areas[A] }[Area]

// Every endpoint of the API below /api/v1: what its query and its body may hold, and what it answers or sends. The web
// daemon serves it by these schemas, and the page takes the types alone.
import type { TSchema } from '../schema.ts'
import * as analysis from './analysis.ts'
import * as audit from './audit/answers.ts'
import * as auth from './auth.ts'
import * as backup from './backup.ts'
import * as elsewhere from './backup-elsewhere.ts'
import * as heal from './base/heal.ts'
import * as desired from './desired.ts'
import * as diagnostics from './diagnostics.ts'
import * as forwarding from './forwarding.ts'
import * as impact from './impact/impact.ts'
import * as incidents from './incidents.ts'
import * as listeners from './listeners.ts'
import * as metrics from './metrics.ts'
import * as monitor from './monitor.ts'
import * as networks from './networks/answers.ts'
import * as networkBodies from './networks/bodies.ts'
import * as pools from './pools.ts'
import * as queries from './queries.ts'
import * as reconcile from './reconcile.ts'
import * as revisions from './revisions.ts'
import * as allowedSources from './routes/allowed-sources.ts'
import * as routes from './routes/answers.ts'
import * as routeBodies from './routes/bodies.ts'
import * as routeCheck from './routes/check.ts'
import * as connections from './routes/connections.ts'
import * as destinations from './routes/destinations.ts'
import * as reachability from './routes/reachability.ts'
import * as traffic from './routes/traffic.ts'
import * as safeApply from './safe-apply.ts'
import * as settings from './settings.ts'
import * as system from './system.ts'
import * as tokens from './tokens.ts'
import * as tunnels from './tunnels/answers.ts'
import * as tunnelBodies from './tunnels/bodies.ts'
import * as dependentRoutes from './tunnels/dependent-routes.ts'
import * as pairing from './tunnels/pairing.ts'
import * as webhooks from './webhooks.ts'

export const ENDPOINTS = {
  'POST /auth/setup': { body: auth.SetupBody, answer: auth.SessionAnswer },
  'POST /auth/login': { body: auth.LoginBody, answer: auth.SessionAnswer },
  'POST /auth/refresh': { answer: auth.SessionAnswer },
  'POST /auth/logout': { answer: auth.SignedOutAnswer },
  'GET /auth/me': { answer: auth.MeAnswer },
  'PUT /auth/me': { body: auth.AccountBody, answer: auth.AccountAnswer },
  'POST /auth/confirm': { body: auth.ConfirmBody, answer: auth.ConfirmAnswer },
  'GET /auth/me/totp': { answer: auth.TotpAnswer },
  'POST /auth/me/totp': { body: auth.SetUpTotpBody, answer: auth.SetUpTotpAnswer },
  'POST /auth/me/totp/confirm': { body: auth.ConfirmTotpBody, answer: auth.ConfirmTotpAnswer },
  'POST /auth/me/totp/recovery-codes': { body: auth.NewRecoveryCodesBody, answer: auth.NewRecoveryCodesAnswer },
  'DELETE /auth/me/totp': { body: auth.RemoveTotpBody, answer: auth.RemoveTotpAnswer },
  'GET /auth/tokens': { answer: tokens.ListTokensAnswer },
  'POST /auth/tokens': { body: tokens.CreateTokenBody, answer: tokens.CreateTokenAnswer },
  'DELETE /auth/tokens/{id}': { answer: tokens.DeleteTokenAnswer },
  'GET /auth/sessions': { answer: auth.ListSessionsAnswer },
  'DELETE /auth/sessions/{id}': { answer: auth.EndSessionAnswer },
  'DELETE /auth/sessions': { answer: auth.EndSessionsAnswer },
  'POST /impact': { body: impact.ImpactBody, answer: impact.ImpactAnswer },
  'GET /audit': { query: queries.AUDIT_QUERY, answer: audit.ListAuditAnswer },
  'GET /backup/export': { query: queries.EXPORT_QUERY, answer: backup.BackupDocument },
  'GET /backup/elsewhere': { answer: elsewhere.BackupElsewhereAnswer },
  'PUT /backup/elsewhere/passphrase': {
    body: elsewhere.BackupPassphraseBody,
    answer: elsewhere.BackupElsewhereAnswer,
  },
  'POST /backup/elsewhere/run': { answer: elsewhere.RunBackupAnswer },
  'POST /backup/elsewhere/open': { body: elsewhere.OpenBackupBody, answer: elsewhere.OpenBackupAnswer },
  'POST /backup/import': { body: backup.ImportBackupBody, answer: backup.ImportBackupAnswer },
  'GET /revisions': { query: queries.REVISIONS_QUERY, answer: revisions.ListRevisionsAnswer },
  'GET /revisions/{id}': { answer: revisions.RevisionDetail },
  'GET /revisions/{id}/diff': { query: queries.REVISION_DIFF_QUERY, answer: revisions.RevisionDiffAnswer },
  'GET /revisions/{id}/backup': { answer: backup.BackupDocument },
  'POST /revisions/{id}/pin': { body: revisions.PinRevisionBody, answer: revisions.RevisionDetail },
  'POST /revisions/{id}/restore': { body: revisions.RestoreRevisionBody, answer: revisions.RestoreRevisionAnswer },
  'GET /desired': { query: queries.DESIRED_QUERY, answer: desired.ListDesiredAnswer },
  'GET /desired/export': { answer: desired.DesiredExport },
  'POST /desired/lock': { body: desired.LockDesiredBody, answer: desired.ListDesiredAnswer },
  'POST /desired': { body: desired.DesiredBody, answer: desired.DesiredAnswer },
  'GET /system/health': { answer: system.HealthAnswer },
  'GET /system/capabilities': { answer: system.CapabilitiesAnswer },
  'GET /system/limits': { answer: system.LimitsAnswer },
  'GET /system/info': { answer: system.InfoAnswer },
  'GET /system/interfaces': { answer: system.InterfacesAnswer },
  'GET /system/routes': { answer: system.RoutingTableAnswer },
  'GET /system/forwarding': { answer: forwarding.ForwardingAnswer },
  'POST /system/forwarding/enable': { body: forwarding.ForwardingBody, answer: forwarding.ForwardingChangeAnswer },
  'GET /system/listeners': { answer: listeners.ListListenersAnswer },
  'POST /system/listeners': { body: listeners.TryListenerBody, answer: listeners.TryListenerAnswer },
  'POST /system/listeners/{id}/keep': { answer: listeners.KeepListenerAnswer },
  'DELETE /system/listeners/{id}': { answer: listeners.RemoveListenerAnswer },
  'GET /system/metrics': { answer: metrics.MetricsSnapshot },
  'GET /system/metrics/stream': { events: metrics.METRICS_EVENTS },
  'GET /system/metrics/history': { query: queries.METRICS_HISTORY_QUERY, answer: metrics.MetricsHistoryAnswer },
  'GET /system/history': { query: queries.HISTORY_QUERY, answer: metrics.HostHistoryAnswer },
  'GET /settings': { answer: settings.SettingsAnswer },
  'GET /settings/schema': { answer: settings.SettingsSchemaAnswer },
  'PUT /settings': { body: settings.SettingsBody, answer: settings.ChangeSettingsAnswer },
  'POST /settings/reset': { body: settings.ResetSettingsBody, answer: settings.ChangeSettingsAnswer },
  'GET /safe-apply': { answer: safeApply.SafeApplyAnswer },
  'POST /safe-apply': { body: safeApply.OpenSafeApplyBody, answer: safeApply.SafeApplyAnswer },
  'POST /safe-apply/confirm': { body: safeApply.EndSafeApplyBody, answer: safeApply.SafeApplyAnswer },
  'POST /safe-apply/cancel': { body: safeApply.EndSafeApplyBody, answer: safeApply.SafeApplyAnswer },
  'POST /safe-apply/extend': { body: safeApply.ExtendSafeApplyBody, answer: safeApply.SafeApplyAnswer },
  'GET /pools': { answer: pools.ListPoolsAnswer },
  'POST /pools': { body: pools.CreatePoolBody, answer: pools.ChangePoolAnswer },
  'GET /pools/{id}': { answer: pools.PoolView },
  'PUT /pools/{id}': { body: pools.UpdatePoolBody, answer: pools.ChangePoolAnswer },
  'DELETE /pools/{id}': { answer: pools.DeletePoolAnswer },
  'GET /pools/{id}/next-free': { query: queries.NEXT_FREE_QUERY, answer: pools.NextFreeAnswer },
  'GET /networks': { query: queries.NETWORKS_QUERY, answer: networks.ListNetworksAnswer },
  'POST /networks': { body: networkBodies.CreateNetworkBody, answer: networks.ChangeNetworkAnswer },
  'POST /networks/preview': { body: networkBodies.PreviewNetworkBody, answer: networks.PreviewNetworkAnswer },
  'GET /networks/{id}': { answer: networks.NetworkView },
  'PATCH /networks/{id}': { body: networkBodies.UpdateNetworkBody, answer: networks.ChangeNetworkAnswer },
  'DELETE /networks/{id}': { body: networkBodies.NetworkActionBody, answer: networks.DeleteNetworkAnswer },
  'POST /networks/{id}/paths/{tunnel_id}/take-out': {
    body: networkBodies.NetworkActionBody,
    answer: networks.NetworkActionAnswer,
  },
  'POST /networks/{id}/paths/{tunnel_id}/put-back': {
    body: networkBodies.NetworkActionBody,
    answer: networks.NetworkActionAnswer,
  },
  'GET /webhooks': { answer: webhooks.ListWebhooksAnswer },
  'POST /webhooks': { body: webhooks.WebhookBody, answer: webhooks.ChangeWebhookAnswer },
  'GET /webhooks/{id}': { answer: webhooks.WebhookView },
  'PUT /webhooks/{id}': { body: webhooks.WebhookBody, answer: webhooks.ChangeWebhookAnswer },
  'DELETE /webhooks/{id}': { answer: webhooks.DeleteWebhookAnswer },
  'POST /webhooks/try': { body: webhooks.WebhookBody, answer: webhooks.TestWebhookAnswer },
  'POST /webhooks/{id}/test': { answer: webhooks.TestWebhookAnswer },
  'GET /webhooks/{id}/deliveries': { query: queries.DELIVERIES_QUERY, answer: webhooks.ListDeliveriesAnswer },
  'GET /tunnels': { query: queries.TUNNELS_QUERY, answer: tunnels.ListTunnelsAnswer },
  'POST /tunnels': { body: tunnelBodies.CreateTunnelBody, answer: tunnels.CreateTunnelAnswer },
  'POST /tunnels/preview': { body: tunnelBodies.CreateTunnelBody, answer: tunnels.PreviewTunnelAnswer },
  'GET /tunnels/side-info': { answer: pairing.SideInfoAnswer },
  'POST /tunnels/from-pairing-code': { body: pairing.FromPairingCodeBody, answer: pairing.FromPairingCodeAnswer },
  'GET /tunnels/{id}': { answer: tunnels.TunnelView },
  'PATCH /tunnels/{id}': { body: tunnelBodies.UpdateTunnelBody, answer: tunnels.UpdateTunnelAnswer },
  'DELETE /tunnels/{id}': { body: tunnelBodies.DeleteTunnelBody, answer: tunnels.DeleteTunnelAnswer },
  'POST /tunnels/{id}/up': { body: tunnelBodies.TunnelActionBody, answer: tunnels.TunnelActionAnswer },
  'POST /tunnels/{id}/down': { body: tunnelBodies.TunnelActionBody, answer: tunnels.TunnelActionAnswer },
  'POST /tunnels/{id}/restart': { body: tunnelBodies.TunnelActionBody, answer: tunnels.TunnelActionAnswer },
  'POST /tunnels/{id}/reapply': { body: tunnelBodies.TunnelActionBody, answer: tunnels.TunnelActionAnswer },
  'GET /tunnels/{id}/routes': { answer: dependentRoutes.TunnelRoutesAnswer },
  'GET /tunnels/{id}/addresses': { answer: tunnels.AddressesAnswer },
  'POST /tunnels/{id}/addresses': { body: tunnelBodies.AddAddressBody, answer: tunnels.ChangeAddressesAnswer },
  'DELETE /tunnels/{id}/addresses': { body: tunnelBodies.RemoveAddressBody, answer: tunnels.ChangeAddressesAnswer },
  'GET /tunnels/{id}/pairing-code': { answer: pairing.PairingCodeAnswer },
  'GET /tunnels/{id}/status': { answer: monitor.MonitorStatusAnswer },
  'GET /tunnels/{id}/history': { query: queries.HISTORY_QUERY, answer: monitor.MonitorHistoryAnswer },
  'POST /tunnels/{id}/monitor/enable': { answer: monitor.MonitorToggleAnswer },
  'POST /tunnels/{id}/monitor/disable': { answer: monitor.MonitorToggleAnswer },
  'GET /monitor/summary': { answer: monitor.MonitorSummaryAnswer },
  'GET /monitor/uptime': { query: queries.UPTIME_QUERY, answer: monitor.MonitorUptimeAnswer },
  'GET /monitor/stream': { events: monitor.MONITOR_EVENTS },
  'POST /tunnels/{id}/diagnostics/ping': { body: diagnostics.PingBody, events: diagnostics.PING_EVENTS },
  'POST /tunnels/{id}/diagnostics/mtu-probe': { body: diagnostics.MtuProbeBody, answer: diagnostics.MtuProbeAnswer },
  'POST /tunnels/{id}/diagnostics/traceroute': {
    body: diagnostics.TracerouteBody,
    answer: diagnostics.TracerouteAnswer,
  },
  'POST /tunnels/{id}/diagnostics/analyze': {
    body: diagnostics.AnalyzeTunnelBody,
    answer: diagnostics.AnalyzeTunnelAnswer,
  },
  'GET /tunnels/{id}/counters': { query: queries.COUNTERS_QUERY, answer: diagnostics.CountersAnswer },
  'GET /diagnostics/runs': { query: queries.RUNS_QUERY, answer: diagnostics.ListRunsAnswer },
  'GET /diagnostics/runs/{id}': { answer: diagnostics.DiagnosticRun },
  'DELETE /diagnostics/runs/{id}': { answer: diagnostics.DeleteRunAnswer },
  'GET /reconcile': { query: queries.RECONCILE_QUERY, answer: reconcile.ReconcileAnswer },
  'GET /reconcile/attention': { answer: incidents.AttentionAnswer },
  'GET /incidents': { query: queries.INCIDENTS_QUERY, answer: incidents.ListIncidentsAnswer },
  'GET /incidents/{id}': { answer: incidents.IncidentAnswer },
  'POST /incidents/{id}/acknowledge': { body: incidents.AcknowledgeBody, answer: incidents.StoredIncident },
  'POST /incidents/{id}/silence': { body: incidents.SilenceBody, answer: incidents.StoredIncident },
  'POST /reconcile/adopt': { body: reconcile.AdoptBody, answer: reconcile.AdoptAnswer },
  'POST /reconcile/ignore': { body: reconcile.IgnoreBody, answer: reconcile.IgnoreAnswer },
  'POST /reconcile/heal/reset': { answer: heal.HealResetAnswer },
  'POST /reconcile/{id}/reapply': { body: tunnelBodies.TunnelActionBody, answer: tunnels.TunnelActionAnswer },
  'POST /reconcile/{id}/forget': { answer: reconcile.ForgetAnswer },
  'GET /routes': { query: queries.ROUTES_QUERY, answer: routes.ListRoutesAnswer },
  'POST /routes': { body: routeBodies.CreateRouteBody, answer: routes.ChangeRouteAnswer },
  'POST /routes/preview': { body: routeBodies.PreviewRouteBody, answer: routes.PreviewRouteAnswer },
  'POST /routes/reorder': { body: routeBodies.ReorderBody, answer: routes.ReorderAnswer },
  'POST /routes/apply-all': { body: routeBodies.RouteWordBody, answer: routes.ApplyAllAnswer },
  'GET /routes/traffic/summary': { answer: traffic.TrafficSummaryAnswer },
  'POST /routes/diagnostics/test': { body: reachability.TestBody, answer: reachability.Reachability },
  'GET /routes/path': { query: queries.PATH_QUERY, answer: routes.PathAnswer },
  'GET /routes/{id}': { answer: routes.RouteAnswer },
  'PATCH /routes/{id}': { body: routeBodies.UpdateRouteBody, answer: routes.UpdateRouteAnswer },
  'DELETE /routes/{id}': { body: routeBodies.EndRouteBody, answer: routes.DeleteRouteAnswer },
  'POST /routes/{id}/enable': { body: routeBodies.RouteActionBody, answer: routes.RouteActionAnswer },
  'POST /routes/{id}/disable': { body: routeBodies.EndRouteBody, answer: routes.RouteActionAnswer },
  'POST /routes/{id}/reapply': { body: routeBodies.RouteActionBody, answer: routes.RouteActionAnswer },
  'POST /routes/{id}/duplicate': { body: routeBodies.DuplicateRouteBody, answer: routes.DuplicateRouteAnswer },
  'GET /routes/{id}/connections': { query: queries.CONNECTIONS_QUERY, answer: connections.ConnectionsAnswer },
  'GET /routes/{id}/traffic': { query: queries.TRAFFIC_QUERY, answer: traffic.RouteTrafficAnswer },
  'GET /routes/{id}/traffic/history': { query: queries.TRAFFIC_HISTORY_QUERY, answer: traffic.TrafficHistoryAnswer },
  'GET /routes/{id}/counters': { answer: traffic.RouteCountersAnswer },
  'POST /routes/{id}/diagnostics/test': { body: reachability.TestRouteBody, answer: reachability.RouteReachability },
  'POST /routes/{id}/diagnostics/analyze': { body: routeBodies.RouteWordBody, answer: analysis.RouteAnalysis },
  'GET /routes/{id}/destinations': { answer: routes.DestinationsAnswer },
  'POST /routes/{id}/destinations': { body: destinations.AddDestinationBody, answer: routes.ChangeDestinationsAnswer },
  'DELETE /routes/{id}/destinations': {
    body: destinations.RemoveDestinationBody,
    answer: routes.ChangeDestinationsAnswer,
  },
  'POST /routes/{id}/destinations/{destination_id}/drain': {
    body: routeCheck.DrainBody,
    answer: routeCheck.ChangeCheckAnswer,
  },
  'POST /routes/{id}/destinations/{destination_id}/return': {
    body: routeBodies.RouteWordBody,
    answer: routeCheck.ChangeCheckAnswer,
  },
  'GET /routes/{id}/check': { answer: routeCheck.RouteCheckAnswer },
  'PUT /routes/{id}/check': { body: routeCheck.PutRouteCheckBody, answer: routeCheck.ChangeCheckAnswer },
  'DELETE /routes/{id}/check': { body: routeBodies.RouteWordBody, answer: routeCheck.ChangeCheckAnswer },
  'GET /routes/{id}/allowed-sources': { answer: routes.AllowedSourcesAnswer },
  'POST /routes/{id}/allowed-sources': {
    body: allowedSources.AddAllowedSourceBody,
    answer: routes.ChangeAllowedSourcesAnswer,
  },
  'DELETE /routes/{id}/allowed-sources': {
    body: allowedSources.RemoveAllowedSourceBody,
    answer: routes.ChangeAllowedSourcesAnswer,
  },
}

type EndpointSchemas = typeof ENDPOINTS
export type EndpointName = keyof EndpointSchemas

type Value<S> = S extends TSchema ? S['static'] : { [E in keyof S]: S[E] extends TSchema ? S[E]['static'] : never }
type Values<T> = { readonly [R in keyof T]: { readonly [K in keyof T[R]]: Value<T[R][K]> } }
/** The types that the schemas stand for. */
export interface Endpoints extends Values<typeof ENDPOINTS> {}

/** The names in braces of a path, such as "id". */
export type PathParameters<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never

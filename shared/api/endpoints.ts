// Every endpoint of the API below /api/v1: what its query and its body may hold, and what it answers. The web daemon's
// declarations and the page's calls are both held against this table, so an endpoint that is missing, made up or
// otherwise than here does not compile.
import type { HealResetAnswer } from './base/heal.ts'
import type { RouteAnalysis } from './analysis.ts'
import type { AuditAction } from './audit/actions.ts'
import type { ListAuditAnswer } from './audit/answers.ts'
import type { AuthEndpoints } from './auth-endpoints.ts'
import type { BackupDocument, ImportBackupAnswer, ImportBackupBody } from './backup.ts'
import type {
  AnalyzeTunnelAnswer,
  AnalyzeTunnelBody,
  CountersAnswer,
  DeleteRunAnswer,
  DiagnosticRun,
  DiagnosticType,
  ListRunsAnswer,
  MtuProbeAnswer,
  MtuProbeBody,
  PingBody,
  PingEvents,
  TracerouteAnswer,
  TracerouteBody,
} from './diagnostics.ts'
import type { ForwardingAnswer, ForwardingBody, ForwardingChangeAnswer } from './forwarding.ts'
import type { ImpactAnswer, ImpactBody } from './impact/impact.ts'
import type {
  KeepListenerAnswer,
  ListListenersAnswer,
  RemoveListenerAnswer,
  TryListenerAnswer,
  TryListenerBody,
} from './listeners.ts'
import type { NAT_MODES, ROUTE_PROTOCOLS, TUNNEL_TYPES } from './base/lookups.ts'
import type { MetricsEvents, HostHistoryAnswer, MetricsHistoryAnswer, MetricsSnapshot } from './metrics.ts'
import type {
  MonitorEvents,
  MonitorHistoryAnswer,
  MonitorStatusAnswer,
  MonitorSummaryAnswer,
  MonitorToggleAnswer,
  MonitorUptimeAnswer,
} from './monitor.ts'
import type {
  ChangePoolAnswer,
  CreatePoolBody,
  DeletePoolAnswer,
  ListPoolsAnswer,
  NextFreeAnswer,
  PoolView,
  UpdatePoolBody,
} from './pools.ts'
import type {
  ChangeWebhookAnswer,
  DeleteWebhookAnswer,
  ListDeliveriesAnswer,
  ListWebhooksAnswer,
  TestWebhookAnswer,
  WebhookBody,
  WebhookView,
} from './webhooks.ts'
import type { EndSafeApplyBody, ExtendSafeApplyBody, OpenSafeApplyBody, SafeApplyAnswer } from './safe-apply.ts'
import type {
  AdoptAnswer,
  AdoptBody,
  AttentionAnswer,
  ForgetAnswer,
  IgnoreAnswer,
  IgnoreBody,
  ReconcileAnswer,
} from './reconcile.ts'
import type { AddAllowedSourceBody, RemoveAllowedSourceBody } from './routes/allowed-sources.ts'
import type {
  AllowedSourcesAnswer,
  ApplyAllAnswer,
  ChangeAllowedSourcesAnswer,
  ChangeDestinationsAnswer,
  ChangeRouteAnswer,
  DeleteRouteAnswer,
  DestinationsAnswer,
  DuplicateRouteAnswer,
  ListRoutesAnswer,
  PathAnswer,
  PreviewRouteAnswer,
  ReorderAnswer,
  RouteActionAnswer,
  RouteAnswer,
  UpdateRouteAnswer,
} from './routes/answers.ts'
import type {
  CreateRouteBody,
  EndRouteBody,
  PreviewRouteBody,
  DuplicateRouteBody,
  ReorderBody,
  RouteWordBody,
  RouteActionBody,
  UpdateRouteBody,
} from './routes/bodies.ts'
import type { ConnectionsAnswer } from './routes/connections.ts'
import type { ChangeCheckAnswer, DrainBody, PutRouteCheckBody, RouteCheckAnswer } from './routes/check.ts'
import type { AddDestinationBody, RemoveDestinationBody } from './routes/destinations.ts'
import type { Reachability, RouteReachability, TestBody, TestRouteBody } from './routes/reachability.ts'
import type {
  RouteCountersAnswer,
  RouteTrafficAnswer,
  TrafficHistoryAnswer,
  TrafficSummaryAnswer,
} from './routes/traffic.ts'
import type {
  ChangeSettingsAnswer,
  ResetSettingsBody,
  SettingsAnswer,
  SettingsBody,
  SettingsSchemaAnswer,
} from './settings.ts'
import type { CapabilitiesAnswer, HealthAnswer, InfoAnswer, InterfacesAnswer, RoutingTableAnswer } from './system.ts'
import type {
  AddressesAnswer,
  ChangeAddressesAnswer,
  CreateTunnelAnswer,
  DeleteTunnelAnswer,
  ListTunnelsAnswer,
  PreviewTunnelAnswer,
  TunnelActionAnswer,
  TunnelView,
  UpdateTunnelAnswer,
} from './tunnels/answers.ts'
import type {
  AddAddressBody,
  CreateTunnelBody,
  DeleteTunnelBody,
  RemoveAddressBody,
  TunnelActionBody,
  UpdateTunnelBody,
} from './tunnels/bodies.ts'
import type { TunnelRoutesAnswer } from './tunnels/dependent-routes.ts'
import type {
  FromPairingCodeAnswer,
  FromPairingCodeBody,
  PairingCodeAnswer,
  SideInfoAnswer,
} from './tunnels/pairing.ts'

type IdIn<Lookup> = Lookup[keyof Lookup]

interface Page {
  limit?: number
  offset?: number
}

interface History {
  from?: string
  to?: string
  resolution_seconds?: number
  limit?: number
}

interface AuditQuery extends Page {
  action?: AuditAction
  user_id?: number
  target_type?: string
  target_id?: number
  success?: boolean
  from?: string
  to?: string
}

interface TunnelsQuery extends Page {
  search?: string
  is_enabled?: boolean
  tunnel_type_id?: IdIn<typeof TUNNEL_TYPES>
  state?: string
}

interface RoutesQuery extends Page {
  search?: string
  route_protocol_id?: IdIn<typeof ROUTE_PROTOCOLS>
  nat_mode_id?: IdIn<typeof NAT_MODES>
  tunnel_id?: number
  is_enabled?: boolean
}

interface RunsQuery extends Page {
  tunnel_id?: number
  type?: DiagnosticType
}

export interface Endpoints extends AuthEndpoints {
  'POST /impact': { body: ImpactBody; answer: ImpactAnswer }
  'GET /audit': { query: AuditQuery; answer: ListAuditAnswer }
  'GET /backup/export': { query: { include_routes?: boolean }; answer: BackupDocument }
  'POST /backup/import': { body: ImportBackupBody; answer: ImportBackupAnswer }
  'GET /system/health': { answer: HealthAnswer }
  'GET /system/capabilities': { answer: CapabilitiesAnswer }
  'GET /system/info': { answer: InfoAnswer }
  'GET /system/interfaces': { answer: InterfacesAnswer }
  'GET /system/routes': { answer: RoutingTableAnswer }
  'GET /system/forwarding': { answer: ForwardingAnswer }
  'POST /system/forwarding/enable': { body: ForwardingBody; answer: ForwardingChangeAnswer }
  'GET /system/listeners': { answer: ListListenersAnswer }
  'POST /system/listeners': { body: TryListenerBody; answer: TryListenerAnswer }
  'POST /system/listeners/{id}/keep': { answer: KeepListenerAnswer }
  'DELETE /system/listeners/{id}': { answer: RemoveListenerAnswer }
  'GET /system/metrics': { answer: MetricsSnapshot }
  'GET /system/metrics/stream': { events: MetricsEvents }
  'GET /system/metrics/history': { query: { limit?: number; detail?: 'all' | 'host' }; answer: MetricsHistoryAnswer }
  'GET /system/history': { query: History; answer: HostHistoryAnswer }
  'GET /settings': { answer: SettingsAnswer }
  'GET /settings/schema': { answer: SettingsSchemaAnswer }
  'PUT /settings': { body: SettingsBody; answer: ChangeSettingsAnswer }
  'POST /settings/reset': { body: ResetSettingsBody; answer: ChangeSettingsAnswer }
  'GET /safe-apply': { answer: SafeApplyAnswer }
  'POST /safe-apply': { body: OpenSafeApplyBody; answer: SafeApplyAnswer }
  'POST /safe-apply/confirm': { body: EndSafeApplyBody; answer: SafeApplyAnswer }
  'POST /safe-apply/cancel': { body: EndSafeApplyBody; answer: SafeApplyAnswer }
  'POST /safe-apply/extend': { body: ExtendSafeApplyBody; answer: SafeApplyAnswer }
  'GET /pools': { answer: ListPoolsAnswer }
  'POST /pools': { body: CreatePoolBody; answer: ChangePoolAnswer }
  'GET /pools/{id}': { answer: PoolView }
  'PUT /pools/{id}': { body: UpdatePoolBody; answer: ChangePoolAnswer }
  'DELETE /pools/{id}': { answer: DeletePoolAnswer }
  'GET /pools/{id}/next-free': { query: { prefix_length?: number }; answer: NextFreeAnswer }
  'GET /webhooks': { answer: ListWebhooksAnswer }
  'POST /webhooks': { body: WebhookBody; answer: ChangeWebhookAnswer }
  'GET /webhooks/{id}': { answer: WebhookView }
  'PUT /webhooks/{id}': { body: WebhookBody; answer: ChangeWebhookAnswer }
  'DELETE /webhooks/{id}': { answer: DeleteWebhookAnswer }
  'POST /webhooks/{id}/test': { answer: TestWebhookAnswer }
  'GET /webhooks/{id}/deliveries': { query: { limit?: number; offset?: number }; answer: ListDeliveriesAnswer }
  'GET /tunnels': { query: TunnelsQuery; answer: ListTunnelsAnswer }
  'POST /tunnels': { body: CreateTunnelBody; answer: CreateTunnelAnswer }
  'POST /tunnels/preview': { body: CreateTunnelBody; answer: PreviewTunnelAnswer }
  'GET /tunnels/side-info': { answer: SideInfoAnswer }
  'POST /tunnels/from-pairing-code': { body: FromPairingCodeBody; answer: FromPairingCodeAnswer }
  'GET /tunnels/{id}': { answer: TunnelView }
  'PATCH /tunnels/{id}': { body: UpdateTunnelBody; answer: UpdateTunnelAnswer }
  'DELETE /tunnels/{id}': { body: DeleteTunnelBody; answer: DeleteTunnelAnswer }
  'POST /tunnels/{id}/up': { body: TunnelActionBody; answer: TunnelActionAnswer }
  'POST /tunnels/{id}/down': { body: TunnelActionBody; answer: TunnelActionAnswer }
  'POST /tunnels/{id}/restart': { body: TunnelActionBody; answer: TunnelActionAnswer }
  'POST /tunnels/{id}/reapply': { body: TunnelActionBody; answer: TunnelActionAnswer }
  'GET /tunnels/{id}/routes': { answer: TunnelRoutesAnswer }
  'GET /tunnels/{id}/addresses': { answer: AddressesAnswer }
  'POST /tunnels/{id}/addresses': { body: AddAddressBody; answer: ChangeAddressesAnswer }
  'DELETE /tunnels/{id}/addresses': { body: RemoveAddressBody; answer: ChangeAddressesAnswer }
  'GET /tunnels/{id}/pairing-code': { answer: PairingCodeAnswer }
  'GET /tunnels/{id}/status': { answer: MonitorStatusAnswer }
  'GET /tunnels/{id}/history': { query: History; answer: MonitorHistoryAnswer }
  'POST /tunnels/{id}/monitor/enable': { answer: MonitorToggleAnswer }
  'POST /tunnels/{id}/monitor/disable': { answer: MonitorToggleAnswer }
  'GET /monitor/summary': { answer: MonitorSummaryAnswer }
  'GET /monitor/uptime': { query: { hours?: 24 | 168 | 720 | 2160 }; answer: MonitorUptimeAnswer }
  'GET /monitor/stream': { events: MonitorEvents }
  'POST /tunnels/{id}/diagnostics/ping': { body: PingBody; events: PingEvents }
  'POST /tunnels/{id}/diagnostics/mtu-probe': { body: MtuProbeBody; answer: MtuProbeAnswer }
  'POST /tunnels/{id}/diagnostics/traceroute': { body: TracerouteBody; answer: TracerouteAnswer }
  'POST /tunnels/{id}/diagnostics/analyze': { body: AnalyzeTunnelBody; answer: AnalyzeTunnelAnswer }
  'GET /tunnels/{id}/counters': { query: { sample_seconds?: number }; answer: CountersAnswer }
  'GET /diagnostics/runs': { query: RunsQuery; answer: ListRunsAnswer }
  'GET /diagnostics/runs/{id}': { answer: DiagnosticRun }
  'DELETE /diagnostics/runs/{id}': { answer: DeleteRunAnswer }
  'GET /reconcile': { query: { include_ignored?: boolean }; answer: ReconcileAnswer }
  'GET /reconcile/attention': { answer: AttentionAnswer }
  'POST /reconcile/adopt': { body: AdoptBody; answer: AdoptAnswer }
  'POST /reconcile/ignore': { body: IgnoreBody; answer: IgnoreAnswer }
  'POST /reconcile/heal/reset': { answer: HealResetAnswer }
  'POST /reconcile/{id}/reapply': { body: TunnelActionBody; answer: TunnelActionAnswer }
  'POST /reconcile/{id}/forget': { answer: ForgetAnswer }
  'GET /routes': { query: RoutesQuery; answer: ListRoutesAnswer }
  'POST /routes': { body: CreateRouteBody; answer: ChangeRouteAnswer }
  'POST /routes/preview': { body: PreviewRouteBody; answer: PreviewRouteAnswer }
  'POST /routes/reorder': { body: ReorderBody; answer: ReorderAnswer }
  'POST /routes/apply-all': { body: RouteWordBody; answer: ApplyAllAnswer }
  'GET /routes/traffic/summary': { answer: TrafficSummaryAnswer }
  'POST /routes/diagnostics/test': { body: TestBody; answer: Reachability }
  'GET /routes/path': { query: { address: string }; answer: PathAnswer }
  'GET /routes/{id}': { answer: RouteAnswer }
  'PATCH /routes/{id}': { body: UpdateRouteBody; answer: UpdateRouteAnswer }
  'DELETE /routes/{id}': { body: EndRouteBody; answer: DeleteRouteAnswer }
  'POST /routes/{id}/enable': { body: RouteActionBody; answer: RouteActionAnswer }
  'POST /routes/{id}/disable': { body: EndRouteBody; answer: RouteActionAnswer }
  'POST /routes/{id}/reapply': { body: RouteActionBody; answer: RouteActionAnswer }
  'POST /routes/{id}/duplicate': { body: DuplicateRouteBody; answer: DuplicateRouteAnswer }
  'GET /routes/{id}/connections': { query: { limit?: number }; answer: ConnectionsAnswer }
  'GET /routes/{id}/traffic': { query: { points?: number }; answer: RouteTrafficAnswer }
  'GET /routes/{id}/traffic/history': { query: History & { hours?: number }; answer: TrafficHistoryAnswer }
  'GET /routes/{id}/counters': { answer: RouteCountersAnswer }
  'POST /routes/{id}/diagnostics/test': { body: TestRouteBody; answer: RouteReachability }
  'POST /routes/{id}/diagnostics/analyze': { body: RouteWordBody; answer: RouteAnalysis }
  'GET /routes/{id}/destinations': { answer: DestinationsAnswer }
  'POST /routes/{id}/destinations': { body: AddDestinationBody; answer: ChangeDestinationsAnswer }
  'DELETE /routes/{id}/destinations': { body: RemoveDestinationBody; answer: ChangeDestinationsAnswer }
  'POST /routes/{id}/destinations/{destination_id}/drain': { body: DrainBody; answer: ChangeCheckAnswer }
  'POST /routes/{id}/destinations/{destination_id}/return': { body: RouteWordBody; answer: ChangeCheckAnswer }
  'GET /routes/{id}/check': { answer: RouteCheckAnswer }
  'PUT /routes/{id}/check': { body: PutRouteCheckBody; answer: ChangeCheckAnswer }
  'DELETE /routes/{id}/check': { body: RouteWordBody; answer: ChangeCheckAnswer }
  'GET /routes/{id}/allowed-sources': { answer: AllowedSourcesAnswer }
  'POST /routes/{id}/allowed-sources': { body: AddAllowedSourceBody; answer: ChangeAllowedSourcesAnswer }
  'DELETE /routes/{id}/allowed-sources': { body: RemoveAllowedSourceBody; answer: ChangeAllowedSourcesAnswer }
}
export type EndpointName = keyof Endpoints

/** The names in braces of a path, such as "id". */
export type PathParameters<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never

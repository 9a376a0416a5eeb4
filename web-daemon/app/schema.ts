// All tables of the store, each described by the feature that owns it.
import type { AuditTables } from '../features/audit/table.ts'
import type { AuthTables } from '../features/auth/table.ts'
import type { DiagnosticTables } from '../features/diagnostics/table.ts'
import type { MetricsTables } from '../features/metrics/table.ts'
import type { MonitorTables } from '../features/monitor/table.ts'
import type { PoolTables } from '../features/pools/table.ts'
import type { RouteTables } from '../features/routes/table.ts'
import type { SettingTables } from '../features/settings/table.ts'
import type { TunnelTables } from '../features/tunnels/table.ts'

export interface Database
  extends
    AuthTables,
    AuditTables,
    PoolTables,
    SettingTables,
    TunnelTables,
    MetricsTables,
    RouteTables,
    MonitorTables,
    DiagnosticTables {}

// All tables of the store, each described by the feature that owns it.
import type { AuditTables } from '../audit/table.ts'
import type { AuthTables } from '../auth/table.ts'
import type { DiagnosticTables } from '../diagnostics/table.ts'
import type { MetricsTables } from '../metrics/table.ts'
import type { MonitorTables } from '../monitor/table.ts'
import type { PoolTables } from '../pools/table.ts'
import type { RouteTables } from '../routes/table.ts'
import type { SettingTables } from '../settings/table.ts'
import type { TunnelTables } from '../tunnels/table.ts'

export interface Database extends AuthTables, AuditTables, PoolTables, SettingTables, TunnelTables, MetricsTables, RouteTables, MonitorTables, DiagnosticTables {}

// Every migration of the store, in the order in which they run.
import type { NamedMigration } from '../platform/db/migrate.ts'
import * as diagnostics from '../features/diagnostics/migration.ts'
import * as listener from '../features/listeners/migration.ts'
import * as metrics from '../features/metrics/migration.ts'
import * as hostHistory from '../features/metrics/migration-history.ts'
import * as monitor from '../features/monitor/migration.ts'
import * as monitorTicks from '../features/monitor/migration-ticks.ts'
import * as monitorTimes from '../features/monitor/migration-times.ts'
import * as monitorTraffic from '../features/monitor/migration-traffic.ts'
import * as pools from '../features/pools/migration.ts'
import * as heal from '../features/reconcile/migration-heal.ts'
import * as routes from '../features/routes/migration.ts'
import * as routeChecks from '../features/routes/migration-checks.ts'
import * as routeConnections from '../features/routes/migration-connections.ts'
import * as routeFastPath from '../features/routes/migration-fast-path.ts'
import * as routePaths from '../features/routes/migration-paths.ts'
import * as routeRanges from '../features/routes/migration-ranges.ts'
import * as tunnelKeepalive from '../features/tunnels/migration-keepalive.ts'
import * as safeApply from '../features/safe-apply/migration.ts'
import * as settings from '../features/settings/migration.ts'
import * as messages from '../platform/db/migration-messages.ts'
import * as webhooks from '../features/webhooks/migration.ts'
import * as webhooksDiscarded from '../features/webhooks/migration-discarded.ts'
import * as tunnels from '../features/tunnels/migration.ts'
import * as apiTokens from '../features/auth/migration-tokens.ts'
import * as secondFactor from '../features/auth/migration-second-factor.ts'
import * as sessions from '../features/auth/migration-sessions.ts'
import * as accountsAndAudit from '../features/auth/migration.ts'

/** Named 001-accounts-and-audit, 002-pools, 003-tunnels and on; a name never changes once it is released. */
export const MIGRATIONS: readonly NamedMigration[] = [
  accountsAndAudit,
  pools,
  tunnels,
  tunnelKeepalive,
  settings,
  metrics,
  routes,
  monitor,
  routeConnections,
  diagnostics,
  routeRanges,
  routePaths,
  monitorTimes,
  monitorTraffic,
  messages,
  monitorTicks,
  hostHistory,
  listener,
  safeApply,
  heal,
  routeFastPath,
  routeChecks,
  sessions,
  secondFactor,
  apiTokens,
  webhooks,
  webhooksDiscarded,
]

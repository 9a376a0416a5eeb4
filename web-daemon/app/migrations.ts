// Every migration of the store, in the order in which they run.
import type { NamedMigration } from '../platform/db/migrate.ts'
import * as auth from '../features/auth/migration.ts'
import * as backupElsewhere from '../features/backup-elsewhere/migration.ts'
import * as desired from '../features/desired/migration.ts'
import * as desiredLock from '../features/desired/migration-lock.ts'
import * as diagnostics from '../features/diagnostics/migration.ts'
import * as incidents from '../features/incidents/migration.ts'
import * as listeners from '../features/listeners/migration.ts'
import * as metrics from '../features/metrics/migration.ts'
import * as monitor from '../features/monitor/migration.ts'
import * as networks from '../features/networks/migration.ts'
import * as pools from '../features/pools/migration.ts'
import * as revisions from '../features/revisions/migration.ts'
import * as revisionFile from '../features/revisions/migration-file.ts'
import * as routes from '../features/routes/migration.ts'
import * as routeInterfaces from '../features/routes/migration-interfaces.ts'
import * as ruleHealth from '../features/rule-health/migration.ts'
import * as safeApply from '../features/safe-apply/migration.ts'
import * as safeApplyWhole from '../features/safe-apply/migration-whole.ts'
import * as settings from '../features/settings/migration.ts'
import * as tunnels from '../features/tunnels/migration.ts'
import * as tunnelAdopted from '../features/tunnels/migration-adopted.ts'
import * as tunnelAnswers from '../features/tunnels/migration-answers.ts'
import * as tunnelFarEndName from '../features/tunnels/migration-far-end-name.ts'
import * as tunnelLocalEnd from '../features/tunnels/migration-local-end.ts'
import * as tunnelMulticast from '../features/tunnels/migration-multicast.ts'
import * as webhooks from '../features/webhooks/migration.ts'
import * as webhookDelivered from '../features/webhooks/migration-delivered.ts'

/** Named 001-auth, 002-pools, 003-tunnels and on; a name never changes once it is released. */
export const MIGRATIONS: readonly NamedMigration[] = [
  auth,
  pools,
  tunnels,
  settings,
  metrics,
  routes,
  monitor,
  diagnostics,
  listeners,
  safeApply,
  webhooks,
  ruleHealth,
  incidents,
  tunnelAnswers,
  webhookDelivered,
  networks,
  routeInterfaces,
  tunnelMulticast,
  tunnelFarEndName,
  revisions,
  tunnelLocalEnd,
  backupElsewhere,
  desired,
  tunnelAdopted,
  revisionFile,
  desiredLock,
  safeApplyWhole,
]

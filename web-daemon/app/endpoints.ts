// Every endpoint of the API, feature by feature: the one list that the router and the API description are made from.
import type { Logger } from 'pino'
import { auditEndpoints } from '../features/audit/endpoints.ts'
import { authEndpoints } from '../features/auth/endpoints.ts'
import type { AuthServices } from '../features/auth/services.ts'
import { backupEndpoints } from '../features/backup/endpoints.ts'
import type { Store } from '../platform/db/store.ts'
import { diagnosticEndpoints } from '../features/diagnostics/endpoints.ts'
import type { Runs } from '../features/diagnostics/runs.ts'
import { metricsEndpoints } from '../features/metrics/endpoints.ts'
import { metricsComponent } from '../features/metrics/component.ts'
import type { Metrics } from '../features/metrics/metrics.ts'
import { monitorComponent } from '../features/monitor/component.ts'
import { monitorEndpoints } from '../features/monitor/endpoints.ts'
import type { Monitor } from '../features/monitor/monitor.ts'
import { poolEndpoints } from '../features/pools/endpoints.ts'
import { noSuchPool } from '../features/pools/reference.ts'
import { reconcileEndpoints } from '../features/reconcile/endpoints.ts'
import type { Watch } from '../features/reconcile/pass.ts'
import { settingsEndpoints } from '../features/settings/endpoints.ts'
import { systemEndpoints } from '../features/system/endpoints.ts'
import type { About, Component } from '../features/system/health.ts'
import type { Installation } from '../features/system/info.ts'
import { tunnelEndpoints } from '../features/tunnels/endpoints.ts'
import { pairingEndpoints } from '../features/tunnels/pairing/endpoints.ts'
import type { PairingThrottle } from '../features/tunnels/pairing/throttle.ts'
import { poolUse } from '../features/tunnels/pool-use.ts'
import { forwardingEndpoints } from '../features/forwarding/endpoints.ts'
import { routeEndpoints } from '../features/routes/endpoints.ts'
import { countInForce } from '../features/routes/store.ts'
import type { Traffic } from '../features/routes/traffic/traffic.ts'
import { dependentRoutes } from '../features/routes/tunnel-use.ts'
import { complete, type Endpoint } from '../platform/http/endpoint.ts'

export interface Services {
  readonly auth: AuthServices
  readonly about: About
  readonly installation: Installation
  readonly store: Store
  readonly pairing: PairingThrottle
  readonly watch: Watch
  readonly metrics: Metrics
  readonly traffic: Traffic
  readonly monitor: Monitor
  readonly runs: Runs
  /** What health tells of beside the features. */
  readonly components: () => Component[]
  readonly logger: Logger
}

const SETTING_REFERENCES = { 'addressing.default_pool_id': noSuchPool }

export const allEndpoints = ({
  auth,
  about,
  installation,
  store,
  pairing,
  watch,
  metrics,
  traffic,
  monitor,
  runs,
  components,
  logger,
}: Services): Endpoint[] =>
  complete([
    ...authEndpoints(auth),
    ...systemEndpoints(about, installation, store, () => [
      metricsComponent(metrics),
      monitorComponent(monitor),
      ...components(),
    ]),
    ...metricsEndpoints(metrics.sampler),
    ...monitorEndpoints(monitor),
    ...diagnosticEndpoints(runs, logger),
    ...auditEndpoints,
    ...poolEndpoints(poolUse),
    ...tunnelEndpoints(dependentRoutes, (word) => monitor.inState(word)),
    ...pairingEndpoints(pairing),
    ...reconcileEndpoints(watch),
    ...settingsEndpoints(SETTING_REFERENCES),
    ...forwardingEndpoints({ rulesInForce: countInForce }),
    ...routeEndpoints(traffic),
    ...backupEndpoints({ references: SETTING_REFERENCES, poolUse, traffic, logger }),
  ])

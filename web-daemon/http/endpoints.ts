// Every endpoint of the API, feature by feature: the one list that the router and the API description are made from.
import type { Logger } from 'pino'
import { auditEndpoints } from '../audit/endpoints.ts'
import { authEndpoints } from '../auth/endpoints.ts'
import type { AuthServices } from '../auth/services.ts'
import { backupEndpoints } from '../backup/endpoints.ts'
import type { Store } from '../db/store.ts'
import { diagnosticEndpoints } from '../diagnostics/endpoints.ts'
import type { Runs } from '../diagnostics/runs.ts'
import { metricsEndpoints } from '../metrics/endpoints.ts'
import { metricsComponent } from '../metrics/component.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { monitorComponent } from '../monitor/component.ts'
import { monitorEndpoints } from '../monitor/endpoints.ts'
import type { Monitor } from '../monitor/monitor.ts'
import { poolEndpoints } from '../pools/endpoints.ts'
import { noSuchPool } from '../pools/reference.ts'
import { reconcileEndpoints } from '../reconcile/endpoints.ts'
import type { Watch } from '../reconcile/pass.ts'
import { settingsEndpoints } from '../settings/endpoints.ts'
import { systemEndpoints } from '../system/endpoints.ts'
import type { About, Component } from '../system/health.ts'
import type { Installation } from '../system/info.ts'
import { tunnelEndpoints } from '../tunnels/endpoints.ts'
import { pairingEndpoints } from '../tunnels/pairing-endpoints.ts'
import type { PairingThrottle } from '../tunnels/pairing-throttle.ts'
import { poolUse } from '../tunnels/pool-use.ts'
import { forwardingEndpoints } from '../forwarding/endpoints.ts'
import { routeEndpoints } from '../routes/endpoints.ts'
import { countInForce } from '../routes/store.ts'
import type { Traffic } from '../routes/traffic.ts'
import { dependentRoutes } from '../routes/tunnel-use.ts'
import type { Endpoint } from './endpoint.ts'

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

export const allEndpoints = ({ auth, about, installation, store, pairing, watch, metrics, traffic, monitor, runs, components, logger }: Services): Endpoint[] => [
  ...authEndpoints(auth),
  ...systemEndpoints(about, installation, store, () => [metricsComponent(metrics), monitorComponent(monitor), ...components()]),
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
]

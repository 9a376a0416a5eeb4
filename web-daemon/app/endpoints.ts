// Every endpoint of the API, feature by feature: the one list that the router and the API description are made from.
import { auditEndpoints } from '../features/audit/endpoints.ts'
import { authEndpoints } from '../features/auth/endpoints.ts'
import { tokenEndpoints } from '../features/auth/token-endpoints.ts'
import { confirmPassword } from '../features/auth/me.ts'
import { backupEndpoints } from '../features/backup/endpoints.ts'
import { elsewhereEndpoints } from '../features/backup-elsewhere/endpoints.ts'
import { elsewhereComponent, elsewhereIncident } from '../features/backup-elsewhere/state.ts'
import { withLocks } from '../features/desired/lock.ts'
import { desiredEndpoints } from '../features/desired/endpoints.ts'
import { diagnosticEndpoints } from '../features/diagnostics/endpoints.ts'
import { impactEndpoints } from '../features/impact/endpoints.ts'
import type { AttentionDeps } from '../features/incidents/derive.ts'
import { incidentEndpoints } from '../features/incidents/endpoints.ts'
import { listenerEndpoints } from '../features/listeners/endpoints.ts'
import { metricsEndpoints } from '../features/metrics/endpoints.ts'
import { metricsComponent } from '../features/metrics/component.ts'
import { fullDisks } from '../features/metrics/full-disks.ts'
import { monitorComponent } from '../features/monitor/component.ts'
import { monitorEndpoints } from '../features/monitor/endpoints.ts'
import { networkEndpoints } from '../features/networks/endpoints.ts'
import { networkIncidents } from '../features/networks/incidents.ts'
import { pathUse } from '../features/networks/tunnel-use.ts'
import { poolEndpoints } from '../features/pools/endpoints.ts'
import { whyNoDefaultPool } from '../features/pools/reference.ts'
import { healComponent } from '../features/reconcile/heal.ts'
import { reconcileEndpoints } from '../features/reconcile/endpoints.ts'
import { allOrNothing } from '../features/safe-apply/all-or-nothing.ts'
import { safeApplyEndpoints } from '../features/safe-apply/endpoints.ts'
import { settingsEndpoints } from '../features/settings/endpoints.ts'
import { systemEndpoints } from '../features/system/endpoints.ts'
import { cached } from '../features/system/cached.ts'
import type { HelperState } from '../features/system/helper-state.ts'
import { tunnelEndpoints } from '../features/tunnels/endpoints.ts'
import { pairingEndpoints } from '../features/tunnels/pairing/endpoints.ts'
import { poolUse } from '../features/tunnels/pool-use.ts'
import { webhookEndpoints } from '../features/webhooks/endpoints.ts'
import { forwardingEndpoints } from '../features/forwarding/endpoints.ts'
import { failoverEndpoints } from '../features/failover/endpoints.ts'
import { revisionEndpoints } from '../features/revisions/endpoints.ts'
import { routeEndpoints } from '../features/routes/endpoints.ts'
import { ruleOnTcpPort } from '../features/routes/own-port.ts'
import { trafficEndpoints } from '../features/traffic/endpoints.ts'
import { ruleHealthEndpoints } from '../features/rule-health/endpoints.ts'
import { makeForeseeCauses } from '../features/rule-health/plan-causes.ts'
import { rulesComponent } from '../features/rule-health/component.ts'
import { countInForce } from '../features/routes/store.ts'
import { dependentRoutes } from '../features/routes/path/tunnel-use.ts'
import type { ReadContext } from '../platform/context.ts'
import type { HostIncident } from '../platform/health.ts'
import type { Endpoint } from '../platform/http/endpoint.ts'
import type { ReadImpact } from '../platform/impact.ts'
import type { Services } from './services.ts'

const SETTING_REFERENCES = { 'addressing.default_pool_id': whyNoDefaultPool }

/** What is wrong with the host or the panel itself, and with networks behind tunnels. */
export const hostIncidents =
  (
    {
      certificate,
      listeners,
      metrics,
      networkWatch,
      elsewhere,
    }: Pick<Services, 'certificate' | 'listeners' | 'metrics' | 'networkWatch' | 'elsewhere'>,
    helper: HelperState,
  ) =>
  async (context: ReadContext): Promise<HostIncident[]> => {
    const certificates = [certificate?.incident() ?? null, listeners.incident()]
    const networks = networkIncidents(networkWatch)
    const panel = [await helper.incident(context), await elsewhereIncident(context, elsewhere)]
    const all = [...panel, ...networks, ...certificates, ...fullDisks(metrics.sampler.latest)]
    return all.filter((one) => one !== null)
  }

/** What incidents are derived from. */
export const attentionDeps = (services: Services, helper: HelperState): AttentionDeps => ({
  ...services,
  ofHost: hostIncidents(services, helper),
})

export function allEndpoints(services: Services, readImpact: ReadImpact, helper: HelperState): Endpoint[] {
  const { auth, about, installation, store, pairing, watch, metrics, traffic, monitor, runs, certificate, logger } =
    services
  const { routeWatch, heals, listeners, failover, notifications } = services
  const rules = cached((context) => rulesComponent(context, routeWatch))
  const whole = {
    endpoints: () => endpoints,
    allOrNothing: allOrNothing({ ...services.context, safeApply: services.safeApply }),
    logger,
  }
  const endpoints: Endpoint[] = withLocks([
    ...impactEndpoints(readImpact, () => endpoints),
    ...authEndpoints(auth),
    ...tokenEndpoints(auth.apiTokens),
    ...systemEndpoints({ ...about, isLocal: auth.isLocal }, installation, store, async (context) => [
      await helper.component(context),
      await rules(context),
      metricsComponent(metrics),
      monitorComponent(monitor),
      ...(certificate ? [certificate.component()] : []),
      ...[healComponent(heals), listeners.component(), await elsewhereComponent(context, services.elsewhere)].filter(
        (one) => one !== null,
      ),
    ]),
    ...listenerEndpoints(listeners, ruleOnTcpPort),
    ...metricsEndpoints(metrics),
    ...monitorEndpoints(monitor),
    ...diagnosticEndpoints(runs, logger),
    ...auditEndpoints,
    ...poolEndpoints(poolUse),
    ...tunnelEndpoints({
      dependants: dependentRoutes,
      inState: (word) => monitor.inState(word),
      paths: pathUse,
      readImpact,
    }),
    ...pairingEndpoints(pairing),
    ...networkEndpoints(readImpact),
    ...reconcileEndpoints({ watch, heals }),
    ...incidentEndpoints({
      ...attentionDeps(services, helper),
      onSilenceChanged: (db, waitedUntil) => notifications.outbox.release(db, waitedUntil),
    }),
    ...safeApplyEndpoints(services.safeApply, store),
    ...webhookEndpoints(notifications.outbox, notifications.sending),
    ...settingsEndpoints(SETTING_REFERENCES, () => monitor.whyNoProbes),
    ...forwardingEndpoints({ rulesInForce: countInForce }),
    ...ruleHealthEndpoints({ traffic, proofs: services.proofs }),
    ...routeEndpoints(
      { traffic, foreseeCauses: makeForeseeCauses({ foreign: services.foreign, names: failover.hostnames }) },
      readImpact,
    ),
    ...trafficEndpoints(traffic),
    ...failoverEndpoints(failover, traffic),
    ...revisionEndpoints(heals, whole),
    ...desiredEndpoints(whole),
    ...elsewhereEndpoints(services.elsewhere),
    ...backupEndpoints({ ...whole, references: SETTING_REFERENCES, confirmPassword: confirmPassword(auth) }),
  ])
  return endpoints
}

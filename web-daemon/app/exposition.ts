// What the features know, as Prometheus is to read it.
import { ROUTE_HEALTH_STATES } from '@panel/shared/api/routes/answers.ts'
import { SEVERITIES } from '@panel/shared/api/base/severity.ts'
import { readConntrack } from '../features/exposition/conntrack.ts'
import type { Family } from '../features/exposition/format.ts'
import { hostFamilies } from '../features/exposition/host.ts'
import { panelFamilies } from '../features/exposition/panel.ts'
import { ruleFamilies } from '../features/exposition/rules.ts'
import { METRICS_ENDPOINT, METRICS_PATH, readMetrics } from '../features/exposition/scrape.ts'
import { tunnelFamilies } from '../features/exposition/tunnels.ts'
import { TunnelTotals } from '../features/exposition/tunnel-totals.ts'
import { writableDisks } from '../features/metrics/full-disks.ts'
import { thisHost } from '../features/metrics/host.ts'
import type { HealedNoun } from '../change/heal.ts'
import type { RequestCounts } from '../platform/http/request-counts.ts'
import type { Scrape } from '../platform/http/scrape.ts'
import type { PanelDeps, Services } from './services.ts'

export function makeScrape(
  deps: Pick<PanelDeps, 'db' | 'settings' | 'metrics' | 'isHelperUp'>,
  services: Services,
  counts: RequestCounts,
): Omit<Scrape, 'guards'> {
  const { settings } = deps
  const totals = new TunnelTotals()
  const readFamilies = async (): Promise<Family[]> => [
    ...panelFamilies(panelSources(deps, services, counts)),
    ...hostFamilies(hostSources(services)),
    ...(await tunnelFamilies({ ...tunnelSources(services), db: deps.db, totals })),
    ...(await ruleFamilies({
      db: deps.db,
      which: () => settings.get('metrics.prometheus_rules'),
      totals: () => services.traffic.totals(),
      connections: (id) => services.traffic.connections(id),
      healths: () => new Map(services.routeWatch.entries().map((rule) => [rule.key, rule])),
      healthStates: ROUTE_HEALTH_STATES,
      severities: SEVERITIES,
      destinations: () => services.failover.checked(),
    })),
  ]
  return {
    path: METRICS_PATH,
    endpoint: METRICS_ENDPOINT,
    isOn: () => settings.get('metrics.prometheus_enabled'),
    read: readMetrics(readFamilies),
  }
}

const tunnelSources = ({ monitor, metrics, watch }: Services) => ({
  interfaces: () => metrics.sampler.latest?.network.interfaces ?? [],
  statusOf: (tunnel_id: number) => monitor.tunnels.of(tunnel_id)?.status() ?? null,
  agreements: () =>
    new Map(
      watch.entries().flatMap(({ tunnel_id, status }) => (tunnel_id === null ? [] : [[tunnel_id, status] as const])),
    ),
})

const hostSources = ({ listeners, metrics, heals }: Services) => ({
  certificates: () => listeners.certificates(),
  disks: () => writableDisks(metrics.sampler.latest),
  contested: () => {
    const contested = heals.contested()
    const many = (of: HealedNoun): number => contested.filter(({ noun }) => noun === of).length
    return { tunnel: many('tunnel'), route: many('route') }
  },
})

const panelSources = (
  { metrics, isHelperUp = () => true }: Pick<PanelDeps, 'metrics' | 'isHelperUp'>,
  services: Services,
  counts: RequestCounts,
) => ({
  version: services.about.version,
  isHelperUp,
  drift: () => ({
    tunnel: services.watch.entries().filter(({ tunnel_id, status }) => tunnel_id !== null && status !== 'InSync')
      .length,
    route: services.routeWatch.entries().filter(({ isDrifted }) => isDrifted).length,
  }),
  isWindowOpen: () => services.safeApply.isOpen,
  conntrack: () => readConntrack(metrics?.host ?? thisHost),
  changes: services.changes,
  requests: () => counts.values(),
})

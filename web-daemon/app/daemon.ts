// The running web daemon: opens store, root helper and HTTP server in order, and ends them in the reverse order.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { keepPruning } from '../features/audit/retention.ts'
import { hasAccount } from '../features/auth/store.ts'
import { keepWatchingNetworks } from '../features/networks/watch.ts'
import { keepWatchingTunnels } from '../features/reconcile/watch.ts'
import { keepWatchingRoutes } from '../features/rule-health/watch.ts'
import { keepDailyCopies } from '../platform/db/daily-copies.ts'
import { connectHelper, type HelperClient } from '../platform/helper/client.ts'
import { watchKernel } from '../platform/helper/kernel-events.ts'
import { toBasePath } from '../platform/http/prefix.ts'
import { serverUrl } from '../platform/http/server.ts'
import { Sockets } from '../platform/http/sockets.ts'
import { makeLogger } from '../platform/log.ts'
import { service } from '../platform/native/index.ts'
import { notifyReady, notifyStopping } from '../platform/service-manager.ts'
import { CertificateWatcher } from '../platform/tls/certificate-watcher.ts'
import { createApp, type Panel } from './app.ts'
import type { Config } from './config.ts'
import { prepare, type Prepared } from './prepare.ts'
import { StandingIn, type Daemon } from './standing-in.ts'

export type { Daemon } from './standing-in.ts'

/** What is open before the app is built. */
interface Opened extends Prepared {
  readonly helper: HelperClient
  readonly logger: Logger
}

type End = () => unknown

export async function startDaemon(config: Config): Promise<Daemon> {
  // The daemon never starts a program, so nobody who breaks into it can.
  service.forbidPrograms()
  const logger = makeLogger()
  const certificate = config.tls && new CertificateWatcher({ files: config.tls, logger })
  mkdirSync(config.state_dir, { recursive: true, mode: 0o700 })
  const helper = connectHelper(config.helper_socket, logger)
  const again = (): ReturnType<typeof prepare> => prepare({ ...config, request: helper.request, logger })
  const start = (prepared: Prepared): Promise<Daemon> =>
    startPanel(config, { ...prepared, helper, logger }, certificate)
  const prepared = await again()
  return 'db' in prepared
    ? start(prepared)
    : new StandingIn({ config, faults: prepared, again, start, certificate, helper, logger }).begin()
}

async function startPanel(config: Config, opened: Opened, certificate: CertificateWatcher | null): Promise<Daemon> {
  const { logger } = opened
  const panel = createPanel(config, opened, certificate)
  const endCopying = keepDailyCopies({ ...opened, now: () => new Date(), isWorthCopying: () => hasAccount(opened.db) })
  const endPruning = keepPruning({ ...opened, now: () => new Date() })
  await panel.metrics.start()
  panel.notifications.start(panel.readIncidents)
  await panel.monitor.start()
  await panel.failover.start()
  const { server, address, port } = await panel.listeners.start()
  const endRenewing = certificate?.watch((pair) => panel.listeners.renewConfigured(pair))
  const endWatching = startWatching(panel, opened)
  process.stdout.write(`The panel is at ${serverUrl(server, toBasePath(config.web_path))}\n`)
  notifyReady(`listening on ${address} port ${port}`)

  const stopAll = async (signal: string): Promise<void> => {
    logger.info({ signal }, 'stopping')
    notifyStopping()
    endRenewing?.()
    // A request that waits for a backup is drained too.
    const drained = Promise.all([panel.listeners.stop(), panel.elsewhere.stop()])
    panel.streams.endAll()
    await endInOrder(logger, [
      () => panel.runs.stop(),
      () => drained,
      ...endWatching,
      endPruning,
      endCopying,
      () => panel.metrics.stop(),
      () => panel.failover.stop(),
      () => panel.monitor.stop(),
      () => panel.traffic.stop(),
      () => panel.proofs.stop(),
      () => panel.notifications.stop(),
      () => opened.helper.close(),
      () => opened.db.destroy(),
    ])
  }
  // Ctrl-C and the process that started the daemon may both signal it: ending twice would wait for itself.
  let stopping: Promise<void> | null = null
  return { stop: (signal) => (stopping ??= stopAll(signal)) }
}

const createPanel = (config: Config, { helper, ...opened }: Opened, certificate: CertificateWatcher | null): Panel =>
  createApp({
    ...opened,
    request: helper.request,
    stream: helper.stream,
    isHelperUp: helper.isConnected,
    web_path: config.web_path,
    trusted_proxies: config.trusted_proxies,
    host_names: config.host_names,
    page_dir: config.page_dir,
    installation: describeInstallation(config),
    backup_dir: config.backup_dir,
    sockets: new Sockets({ trusted_proxies: config.trusted_proxies }),
    configured: {
      address: config.listen_address,
      port: config.listen_port,
      ...(certificate && { pair: () => certificate.pair }),
    },
    certificate,
  })

const describeInstallation = ({ state_dir, helper_socket }: Config) => ({
  data_dir: state_dir,
  database_path: join(state_dir, 'panel.db'),
  socket_path: helper_socket,
})

/** Starts what looks at the host in the background; returns what ends it, in order. */
const startWatching = (panel: Panel, { helper, bus, settings, logger }: Opened): End[] => {
  const kernel = watchKernel({
    stream: helper.stream,
    logger,
    listener: (events) => bus.publish('host.changed', { events }),
  })
  const endTunnels = keepWatchingTunnels(panel.watch, { bus, settings, logger })
  const endRoutes = keepWatchingRoutes(panel.routeWatch, { bus, settings, logger })
  const endNetworks = keepWatchingNetworks(panel.networkWatch, { bus, settings, logger })
  panel.traffic.start()
  panel.proofs.start()
  panel.incidents.start()
  panel.pathFailover.start()
  panel.farEnds.start()
  panel.localEnds.start()
  panel.elsewhere.start()
  const { pathFailover, farEnds, localEnds, incidents } = panel
  const ends = [pathFailover, farEnds, localEnds, incidents].map((one) => () => one.stop())
  return [() => kernel.close(), endTunnels, endRoutes, endNetworks, ...ends]
}

/** If one of them fails, as with a full disk, the others still have their turn. */
const endInOrder = async (logger: Logger, ends: readonly End[]): Promise<void> => {
  for (const end of ends)
    await Promise.resolve()
      .then(end)
      .catch((err: unknown) => logger.error({ err }, 'a part of the panel did not end cleanly'))
}

// Starts the web daemon: configuration, store, key, root helper, HTTP; and ends it in the reverse order.
import { mkdirSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { keepPruning } from '../features/audit/retention.ts'
import { signingKey } from '../features/auth/key.ts'
import { readConfig, ConfigError, type Config } from './config.ts'
import { openStore } from '../platform/db/open.ts'
import { StoreTooNewError } from '../platform/db/migrate.ts'
import { StoreUnusableError } from '../platform/db/trouble.ts'
import { Bus } from '../platform/events/bus.ts'
import { watchKernel } from '../platform/events/kernel-watch.ts'
import { connectHelper } from '../platform/helper/client.ts'
import { basePathOf } from '../platform/http/prefix.ts'
import { drain, listen, renew, urlOf } from '../platform/http/server.ts'
import { makeLogger } from '../platform/log.ts'
import { keepWatchingTunnels } from '../features/reconcile/watch.ts'
import { keepWatchingRoutes } from '../features/routes/health/watch.ts'
import { service } from '../platform/native/index.ts'
import { tellReady, tellStopping } from '../platform/service-manager.ts'
import { Settings } from '../features/settings/settings.ts'
import { KeptPair } from '../platform/tls/kept-pair.ts'

/** Over TLS where there is a certificate, which stays that of its files. */
const serve = async (
  app: RequestListener,
  { listen_address, listen_port, web_path }: Config,
  certificate: KeptPair | null,
) => {
  const server = await listen(app, listen_address, listen_port, certificate ? { pair: certificate.pair } : {})
  const endKeeping = certificate?.keep((pair) => renew(server, pair))
  const end = (): Promise<void> => {
    endKeeping?.()
    return drain(server)
  }
  return { url: urlOf(server, basePathOf(web_path)), end }
}

const installationOf = ({ state_dir, helper_socket, listen_address }: Config) => ({
  data_dir: state_dir,
  database_path: join(state_dir, 'panel.db'),
  socket_path: helper_socket,
  bind_host: listen_address,
})

/** Where one of them fails, as with a disk that is full, the others have their turn all the same. */
const inOrder = async (logger: Logger, ends: readonly (() => unknown)[]): Promise<void> => {
  for (const end of ends)
    await Promise.resolve()
      .then(end)
      .catch((err: unknown) => logger.error({ err }, 'a part of the panel does not end well'))
}

const start = async (config: Config): Promise<void> => {
  // Nothing here ever starts a program, so whoever gets in cannot either.
  service.forbidPrograms()
  const logger = makeLogger()
  const { web_path, page_dir, trusted_proxies } = config
  const certificate = config.tls && new KeptPair({ files: config.tls, logger })
  mkdirSync(config.state_dir, { recursive: true, mode: 0o700 })
  const installation = installationOf(config)
  const db = await openStore(installation.database_path)
  const helper = connectHelper(config.helper_socket, logger)
  const signing_key = signingKey(join(config.state_dir, 'session.key'))
  const bus = new Bus(logger)
  const settings = await Settings.open(db, bus.publish)
  const { app, watch, streams, metrics, traffic, monitor, routeWatch, runs } = createApp({
    ...{
      db,
      ask: helper.ask,
      stream: helper.stream,
      bus,
      settings,
      signing_key,
      logger,
      web_path,
      installation,
      page_dir,
      trusted_proxies,
    },
    components: () => (certificate ? [certificate.component()] : []),
  })
  const endPruning = keepPruning({ db, bus, settings, now: () => new Date(), logger })
  await metrics.start()
  await monitor.start()
  const serving = await serve(app, config, certificate)
  const kernel = watchKernel({
    stream: helper.stream,
    logger,
    listener: (events) => bus.publish('host.changed', { events }),
  })
  const endWatching = keepWatchingTunnels(watch, { bus, settings, logger })
  const endWatchingRoutes = keepWatchingRoutes(routeWatch, { bus, settings, logger })
  traffic.start()
  process.stdout.write(`The panel is at ${serving.url}
`)
  tellReady(`listening on ${config.listen_address} port ${config.listen_port}`)

  const stop = async (signal: string): Promise<void> => {
    logger.info({ signal }, 'stopping')
    tellStopping()
    const drained = serving.end()
    streams.endAll()
    await inOrder(logger, [
      () => runs.stop(),
      () => drained,
      () => kernel.close(),
      endWatching,
      endWatchingRoutes,
      endPruning,
      () => metrics.stop(),
      () => monitor.stop(),
      () => traffic.stop(),
      () => helper.close(),
      () => db.destroy(),
    ])
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal).catch(fail))
}

/** What an operator can mend is told without a stack. */
const fail = (failure: unknown): void => {
  const isPlain =
    failure instanceof ConfigError ||
    failure instanceof StoreTooNewError ||
    failure instanceof StoreUnusableError ||
    (failure instanceof Error && 'code' in failure)
  process.stderr.write(
    `${isPlain ? (failure as Error).message : failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  )
  process.exitCode = 1
  process.exit()
}

if (process.getuid?.() === 0)
  fail(
    new ConfigError([
      'The web daemon does not run as root. Start it as a user of its own, without capabilities; root belongs to the helper.',
    ]),
  )
else
  Promise.resolve()
    .then(() => start(readConfig(process.env)))
    .catch(fail)

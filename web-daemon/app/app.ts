// The app: what every request passes, in order. Prefix, headers, route match, set-up gate, CSRF, session, validation (decisions.md, T9).
import type { KeyObject } from 'node:crypto'
import cookieParser from 'cookie-parser'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import { makeRecorder, recordOwn } from '../features/audit/record.ts'
import { makePasswords, type Passwords } from '../features/auth/passwords.ts'
import type { AuthServices } from '../features/auth/services.ts'
import { isStanding, sessionOf } from '../features/auth/session.ts'
import { hasAccount } from '../features/auth/store.ts'
import { Throttle } from '../features/auth/throttle.ts'
import { makeTokens } from '../features/auth/tokens.ts'
import { makeQueue } from '../change/queue.ts'
import type { OwnDoing } from '../change/remediate.ts'
import type { CommandContext } from '../platform/context.ts'
import { Runs } from '../features/diagnostics/runs.ts'
import type { Store } from '../platform/db/store.ts'
import { tellOfStore } from '../platform/db/tell.ts'
import type { Bus } from '../platform/events/bus.ts'
import { asRefusal, sendRefusal } from '../platform/http/answer.ts'
import { docsEndpoints } from '../features/docs/endpoints.ts'
import type { Endpoint } from '../platform/http/endpoint.ts'
import { allEndpoints } from './endpoints.ts'
import { crossOrigin } from '../platform/http/cors.ts'
import { csrfCheck, sessionCheck, setupGate } from '../platform/http/guards.ts'
import { requestId, securityHeaders } from '../platform/http/headers.ts'
import { RememberedAnswers } from '../platform/http/idempotency.ts'
import { loadPage, pageRoutes } from '../platform/http/page.ts'
import { basePathOf, onlyUnder } from '../platform/http/prefix.ts'
import { mountEndpoints, notFound } from '../platform/http/routes.ts'
import { makeTunnelWatch, type TunnelWatch } from '../features/reconcile/watch.ts'
import type { Component } from '../features/system/health.ts'
import type { Settings } from '../features/settings/settings.ts'
import type { Installation } from '../features/system/info.ts'
import { Streams } from '../platform/http/streams.ts'
import { Monitor, type MonitorParts } from '../features/monitor/monitor.ts'
import { Metrics, type MetricsParts } from '../features/metrics/metrics.ts'
import { readRoutesOf } from '../features/metrics/routes-part.ts'
import { Traffic } from '../features/routes/traffic/traffic.ts'
import { makeRouteWatch, type RouteWatch } from '../features/routes/health/watch.ts'
import { PairingThrottle } from '../features/tunnels/pairing/throttle.ts'
import { VERSION } from '../platform/version.ts'

export interface PanelParts {
  readonly db: Store
  readonly ask: CommandContext['ask']
  readonly stream: MonitorParts['stream']
  readonly bus: Bus
  readonly settings: Settings
  readonly signing_key: KeyObject
  readonly web_path: string
  /** Addresses and networks; nobody unless said otherwise. */
  readonly trusted_proxies?: readonly string[]
  readonly installation: Omit<Installation, 'web_path'>
  /** Holds index.html and assets/. */
  readonly page_dir: string
  /** What health tells of beside the parts of the app. */
  readonly components?: () => Component[]
  readonly logger: Logger
  readonly now?: () => Date
  readonly passwords?: Passwords
  readonly metrics?: Pick<MetricsParts, 'host'> & Partial<Pick<MetricsParts, 'settings'>>
  readonly monitor?: Pick<MonitorParts, 'knock' | 'pauses'>
  /** Beside those of the panel itself: for tests of the machinery. */
  readonly more_endpoints?: readonly Endpoint[]
}

export interface Panel {
  readonly app: Express
  readonly endpoints: readonly Endpoint[]
  /** For whoever decides when to look. */
  readonly watch: TunnelWatch
  readonly streams: Streams
  /** To be started, and stopped before the store is closed. */
  readonly metrics: Metrics
  /** Likewise. */
  readonly monitor: Monitor
  /** To be stopped before the store is closed. */
  readonly runs: Runs
  /** To be started by whoever serves the app. */
  readonly traffic: Traffic
  readonly routeWatch: RouteWatch
}

export const createApp = (parts: PanelParts): Panel => {
  const { db, ask, bus, settings, logger, now = () => new Date() } = parts
  tellOfStore(db, logger)
  const basePath = basePathOf(parts.web_path)
  const auth: AuthServices = {
    passwords: parts.passwords ?? makePasswords(),
    tokens: makeTokens(parts.signing_key, now, settings),
    throttle: new Throttle(now, settings),
  }
  const traffic = new Traffic({ db, ask, now, settings, logger })
  const context = { db, ask, now, settings, inTurn: makeQueue(), publish: bus.publish }
  const drift = { ...context, logger, record: (doing: OwnDoing) => recordOwn(context, doing) }
  const watch = makeTunnelWatch(drift)
  const routeWatch = makeRouteWatch(drift, traffic)
  const metrics = new Metrics({
    db,
    bus,
    now,
    logger,
    settings,
    readRoutes: readRoutesOf(db, traffic),
    ...parts.metrics,
  })
  const monitor = new Monitor({ db, ask, stream: parts.stream, bus, now, logger, settings, ...parts.monitor })
  const runs = new Runs({ db, stream: parts.stream, now, ...(parts.metrics && { host: parts.metrics.host }) })
  bus.subscribe('settings.changed', ({ keys }) => {
    metrics.heed(keys)
    traffic.heed(keys)
  })
  const about = { version: VERSION, started_at: now() }
  const endpoints = [
    ...allEndpoints({
      auth,
      about,
      store: db,
      installation: { ...parts.installation, web_path: parts.web_path },
      pairing: new PairingThrottle(now),
      watch,
      metrics,
      traffic,
      monitor,
      runs,
      components: parts.components ?? (() => []),
      logger,
    }),
    ...(parts.more_endpoints ?? []),
  ]
  const guards = [
    setupGate(() => hasAccount(db)),
    csrfCheck(settings),
    sessionCheck((cookies) => sessionOf(db, auth.tokens, cookies)),
  ]
  const streams = new Streams({ now, isStanding: (session) => isStanding(db, session), logger })
  const machinery = {
    basePath,
    guards,
    context,
    remembered: new RememberedAnswers(now),
    streams,
    record: makeRecorder(db, now, logger),
    logger,
  }

  const app = bareApp(parts.trusted_proxies ?? [])
  app.use(onlyUnder(basePath))
  app.use(requestId, securityHeaders)
  app.use(crossOrigin(settings))
  app.use(cookieParser())
  mountEndpoints(app, endpoints, machinery)
  mountEndpoints(app, docsEndpoints(endpoints, basePath), machinery, '/api')
  app.use(unknownApiPath)
  app.use(pageRoutes(loadPage(parts.page_dir, basePath), settings))
  app.use(failures(logger))
  return { app, endpoints, watch, streams, metrics, traffic, monitor, routeWatch, runs }
}

/** Paths are compared as they are written, and nothing is told of what serves them. */
const bareApp = (trustedProxies: readonly string[]): Express => {
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('etag', false)
  app.set('query parser', false)
  app.set('trust proxy', trustedProxies)
  return app
}

const unknownApiPath: RequestHandler = (req, _res, next) => {
  if (req.path === '/api' || req.path.startsWith('/api/')) throw notFound()
  next()
}

/** What never reached an endpoint. Express gives an error a status of 400 where a path cannot be decoded: nothing is there. */
const failures =
  (logger: Logger): ErrorRequestHandler =>
  (thrown: unknown, _req, res, next) => {
    if (res.headersSent) return next(thrown)
    const refusal = thrown instanceof URIError ? notFound() : asRefusal(thrown)
    if (refusal.code === 'INTERNAL_ERROR')
      logger.error({ request_id: res.locals['request_id'] as unknown, err: thrown }, 'unforeseen failure')
    sendRefusal(res, refusal)
  }

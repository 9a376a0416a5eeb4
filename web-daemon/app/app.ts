// The app: what every request passes, in order: prefix, headers, route match, set-up gate, CSRF, session, validation
// (decisions.md, T9).
import cookieParser from 'cookie-parser'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import { makeRecorder } from '../features/audit/record.ts'
import { isStanding, findSession } from '../features/auth/session.ts'
import { hasAccount } from '../features/auth/store.ts'
import { makeImpact } from '../features/impact/impact.ts'
import { cutsOwnAccess } from '../features/impact/foresee.ts'
import { docsEndpoints } from '../features/docs/endpoints.ts'
import { SETTING_KEYS } from '../features/settings/definitions.ts'
import { logStoreTrouble } from '../platform/db/log-trouble.ts'
import { asRefusal, sendRefusal } from '../platform/http/answer.ts'
import { crossOrigin } from '../platform/http/cors.ts'
import type { Endpoint } from '../platform/http/endpoint.ts'
import { csrfCheck, sessionCheck, setupGate, type Guard, type GuardedRequest } from '../platform/http/guards.ts'
import { requestId, securityHeaders } from '../platform/http/headers.ts'
import { ownNames, requireKnownHost, type KnownHosts } from '../platform/http/host-names.ts'
import { RememberedAnswers } from '../platform/http/idempotency.ts'
import { loadPage, pageRoutes, type Appearance } from '../platform/http/page.ts'
import { toBasePath, requirePrefix } from '../platform/http/prefix.ts'
import { mountEndpoints, notFound } from '../platform/http/routes.ts'
import type { Pipeline } from '../platform/http/serve.ts'
import { Streams } from '../platform/http/streams.ts'
import type { ReadImpact } from '../platform/impact.ts'
import type { SettingsReader } from '../platform/settings.ts'
import { allEndpoints } from './endpoints.ts'
import { makeServices, type PanelDeps, type Services } from './services.ts'

export interface Panel extends Pick<
  Services,
  'watch' | 'routeWatch' | 'metrics' | 'monitor' | 'traffic' | 'runs' | 'listeners'
> {
  readonly app: Express
  readonly endpoints: readonly Endpoint[]
  readonly streams: Streams
}

export function createApp(deps: PanelDeps): Panel {
  const { settings, logger } = deps
  logStoreTrouble(deps.db, logger)
  const services = makeServices(deps)
  const readImpact = makeImpact({
    traffic: services.traffic,
    took: (kind) => services.timings.took(kind),
    stateOf: (tunnel_id) => services.monitor.stateOf(tunnel_id),
  })
  const endpoints = [...allEndpoints(services, readImpact), ...(deps.extra_endpoints ?? [])]
  const pipeline = makePipeline(deps, services, readImpact)
  const { basePath, streams } = pipeline
  const page = loadPage(deps.page_dir, basePath)

  const app = bareApp(deps.trusted_proxies ?? [])
  app.use(requirePrefix(basePath))
  app.use(requestId, securityHeaders)
  app.use(requireKnownHost(knownHosts(deps)))
  app.use(crossOrigin(allowedOrigins(settings)))
  app.use(cookieParser())
  mountEndpoints(app, endpoints, pipeline)
  mountEndpoints(app, docsEndpoints(endpoints, basePath), pipeline, '/api')
  app.use(unknownApiPath)
  app.use(pageRoutes(page, () => readAppearance(settings)))
  app.use(failures(logger))
  deps.sockets.serve({ app, endStreams: (isOver) => streams.endOf(isOver) })
  const { watch, routeWatch, metrics, monitor, traffic, runs, listeners } = services
  return { app, endpoints, streams, watch, routeWatch, metrics, monitor, traffic, runs, listeners }
}

/** Hands the HTTP layer what it needs of the features: accounts and sessions, the audit log, the settings. */
const makePipeline = (
  { db, settings, web_path, sockets, logger }: PanelDeps,
  { auth, context, listeners, safeApply }: Services,
  readImpact: ReadImpact,
): Pipeline => {
  const { now } = context
  const sessionOf = (cookies: GuardedRequest['cookies']) => findSession(db, auth.tokens, cookies)
  const guards: Guard[] = [
    setupGate(() => hasAccount(db)),
    csrfCheck(allowedOrigins(settings), sessionOf),
    sessionCheck(sessionOf),
  ]
  return {
    basePath: toBasePath(web_path),
    guards,
    context,
    remembered: new RememberedAnswers(now),
    wayOf: (req) => sockets.wayOf(req),
    panelPorts: () => listeners.ports(),
    streams: new Streams({ now, isStanding: (session) => isStanding(db, session), logger }),
    inWindow: safeApply.during,
    mayWrite: () => safeApply.exclusive.requireNone(),
    cutsOwnAccess: cutsOwnAccess(readImpact),
    record: makeRecorder(db, now, logger),
    logger,
  }
}

const knownHosts = ({ db, settings, host_names = [] }: PanelDeps): KnownHosts => ({
  names: new Set([...ownNames(), ...host_names].map((name) => name.toLowerCase())),
  allowedOrigins: allowedOrigins(settings),
  isSetUp: () => hasAccount(db),
})

const allowedOrigins = (settings: SettingsReader) => (): readonly string[] => settings.get('security.allowed_origins')

const DISPLAY_KEYS = SETTING_KEYS.filter((key) => key.startsWith('display.'))

const readAppearance = (settings: SettingsReader): Appearance => ({
  language: settings.get('display.language'),
  theme: settings.get('display.theme'),
  display: Object.fromEntries(DISPLAY_KEYS.map((key) => [key, settings.get(key)])),
})

/** Paths are compared exactly as written, and no header names the server software. */
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

/** Errors that arise before an endpoint. For a path that cannot be decoded Express throws a URIError: answer 404. */
const failures =
  (logger: Logger): ErrorRequestHandler =>
  (thrown: unknown, _req, res, next) => {
    if (res.headersSent) return next(thrown)
    const refusal = thrown instanceof URIError ? notFound() : asRefusal(thrown)
    if (refusal.code === 'INTERNAL_ERROR')
      logger.error({ request_id: res.locals['request_id'] as unknown, err: thrown }, 'unexpected error')
    sendRefusal(res, refusal)
  }

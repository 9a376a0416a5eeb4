// The app: what every request passes, in order: prefix, headers, route match, set-up gate, CSRF, session, validation
// (decisions.md, T9).
import cookieParser from 'cookie-parser'
import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { makeRecorder } from '../features/audit/record.ts'
import type { Follow } from '../features/audit/strangers.ts'
import { isStanding, findSession } from '../features/auth/session.ts'
import { findLocalSession, findTokenSession } from '../features/auth/token-session.ts'
import { hasAccount } from '../features/auth/store.ts'
import { makeImpact } from '../features/impact/impact.ts'
import { cutsOwnAccess } from '../features/impact/foresee.ts'
import { docsEndpoints } from '../features/docs/endpoints.ts'
import { IncidentLog } from '../features/incidents/log.ts'
import { watchHelperState, type HelperState } from '../features/system/helper-state.ts'
import { SETTING_KEYS, SETTINGS } from '../features/settings/definitions.ts'
import { logStoreTrouble } from '../platform/db/log-trouble.ts'
import type { PublishIn } from '../platform/events/bus.ts'
import { asRefusal, sendRefusal } from '../platform/http/answer.ts'
import { oneCredential, scopeCheck } from '../platform/http/bearer.ts'
import { credentialsOf } from '../platform/http/credentials.ts'
import { crossOrigin } from '../platform/http/cors.ts'
import { bareApp } from '../platform/http/bare-app.ts'
import type { Endpoint } from '../platform/http/endpoint.ts'
import { csrfCheck, sessionCheck, setupGate, type Guard, type GuardedRequest } from '../platform/http/guards.ts'
import { requestId, securityHeaders } from '../platform/http/headers.ts'
import { ownNames, requireKnownHost, type KnownHosts } from '../platform/http/host-names.ts'
import { RememberedAnswers } from '../platform/http/idempotency.ts'
import { loadPage, pageRoutes, type Appearance } from '../platform/http/page.ts'
import { isApiPath, toBasePath, requirePrefix } from '../platform/http/prefix.ts'
import { mountEndpoints, notFound } from '../platform/http/routes.ts'
import type { Pipeline } from '../platform/http/serve.ts'
import { RequestCounts } from '../platform/http/request-counts.ts'
import { scrapeRoute } from '../platform/http/scrape.ts'
import { Streams } from '../platform/http/streams.ts'
import type { HostIncident } from '../platform/health.ts'
import type { ReadImpact } from '../platform/impact.ts'
import type { SettingsReader } from '../platform/settings.ts'
import { allEndpoints, attentionDeps, hostIncidents } from './endpoints.ts'
import { makeScrape } from './exposition.ts'
import { makeServices, type PanelDeps, type Services } from './services.ts'

export interface Panel extends Pick<
  Services,
  | 'watch'
  | 'routeWatch'
  | 'networkWatch'
  | 'metrics'
  | 'monitor'
  | 'traffic'
  | 'proofs'
  | 'failover'
  | 'pathFailover'
  | 'farEnds'
  | 'localEnds'
  | 'runs'
  | 'listeners'
  | 'notifications'
  | 'elsewhere'
> {
  readonly app: Express
  readonly endpoints: readonly Endpoint[]
  readonly streams: Streams
  /** What is wrong with the host, for notifications. */
  readonly readIncidents: () => Promise<HostIncident[]>
  /** To be started, and stopped before the store is closed. */
  readonly incidents: IncidentLog
}

export function createApp(deps: PanelDeps): Panel {
  const { settings, logger } = deps
  logStoreTrouble(deps.db, logger)
  const services = makeServices(deps)
  const readImpact = makeImpact({
    traffic: services.traffic,
    took: (kind) => services.timings.took(kind),
    stateOf: (tunnel_id) => services.monitor.tunnels.stateOf(tunnel_id),
  })
  const helper = watchHelperState()
  const endpoints = [...allEndpoints(services, readImpact, helper), ...(deps.extra_endpoints ?? [])]
  const pipeline = makePipeline(deps, services, readImpact)
  const { basePath, streams } = pipeline
  const page = loadPage(deps.page_dir, basePath)

  const counts = new RequestCounts()
  const app = bareApp(deps.trusted_proxies ?? [])
  app.use(counts.middleware)
  app.use(requirePrefix(basePath))
  app.use(requestId, securityHeaders)
  app.use(requireKnownHost(knownHosts(deps)))
  app.use(crossOrigin(allowedOrigins(settings)))
  app.use(cookieParser())
  mountEndpoints(app, endpoints, pipeline)
  mountEndpoints(app, docsEndpoints(endpoints, basePath), pipeline, '/api')
  app.use(scrapeRoute({ ...makeScrape(deps, services, counts), guards: pipeline.guards }))
  app.use(unknownApiPath)
  app.use(pageRoutes(page, () => readAppearance(settings)))
  app.use(failures(logger))
  deps.sockets.serve({ app, endStreams: (isOver) => streams.endOf(isOver) })
  const readIncidents = () => hostIncidents(services, helper)(services.context)
  const incidents = makeIncidentLog(deps, services, helper)
  return { app, endpoints, streams, readIncidents, incidents, ...partsIn(services) }
}

/** What is started, stopped and tested by itself. */
function partsIn(services: Services) {
  const { watch, routeWatch, networkWatch, metrics, monitor, traffic } = services
  const { proofs, failover, pathFailover, farEnds, localEnds, runs, listeners, notifications, elsewhere } = services
  const watches = { watch, routeWatch, networkWatch }
  const failovers = { failover, pathFailover, farEnds, localEnds }
  return { ...watches, ...failovers, metrics, monitor, traffic, proofs, runs, listeners, notifications, elsewhere }
}

const makeIncidentLog = ({ bus, logger }: PanelDeps, services: Services, helper: HelperState): IncidentLog =>
  new IncidentLog({
    ...attentionDeps(services, helper),
    context: services.context,
    bus,
    logger,
    hasReadDisks: () => services.metrics.sampler.latest !== null,
    hasReadNetworks: () => services.networkWatch.last() !== null,
  })

/** Hands the HTTP layer what it needs of the features: accounts and sessions, the audit log, the settings. */
const makePipeline = (
  { db, settings, web_path, sockets, logger }: PanelDeps,
  { auth, context, listeners, safeApply }: Services,
  readImpact: ReadImpact,
): Pipeline => {
  const { now } = context
  const sessionOf = async (request: GuardedRequest) => {
    const { cookies, client_ip, header } = request
    const credentials = credentialsOf(request)
    if (credentials?.scheme === 'panel-local') return findLocalSession(db, auth, credentials.text, request)
    if (credentials) return findTokenSession(db, auth, credentials.text, client_ip)
    return findSession(db, auth, cookies, { client_ip, user_agent: header('User-Agent') })
  }
  const record = makeRecorder({ db, now, logger, follow: reportFailedSignIns(context.publishIn) })
  const guards: Guard[] = [
    setupGate(() => hasAccount(db)),
    oneCredential,
    csrfCheck(allowedOrigins(settings), sessionOf),
    sessionCheck(sessionOf),
    scopeCheck,
  ]
  return {
    basePath: toBasePath(web_path),
    guards,
    context,
    storeBy: (author) => db.by(author),
    remembered: new RememberedAnswers(now),
    wayOf: (req) => sockets.wayOf(req),
    panelPorts: () => listeners.ports(),
    streams: new Streams({ now, isStanding: (session) => isStanding(db, auth, session), logger }),
    inWindow: safeApply.during,
    inStoreWindow: safeApply.duringStore,
    cutsOwnAccess: cutsOwnAccess(readImpact),
    record: (entry) => db.state.recording(record(entry)),
    storeFailed: (failure) => db.state.onFailure(failure),
    logger,
  }
}

/** The audit log sees every sign-in that failed. The question for a code follows the right password. */
const reportFailedSignIns =
  (publishIn: PublishIn): Follow =>
  async (db, { action, codes, client_ip }) => {
    if (action !== 'LoginFailed') return
    const count = [...codes].reduce((sum, [code, times]) => (code === 'SECOND_FACTOR_REQUIRED' ? sum : sum + times), 0)
    if (count > 0) await publishIn(db, 'auth.sign_in_failed', [{ client_ip, count }])
  }

const knownHosts = ({ settings, host_names = [] }: PanelDeps): KnownHosts => ({
  names: new Set([...ownNames(), ...host_names].map((name) => name.toLowerCase())),
  allowedOrigins: allowedOrigins(settings),
})

const allowedOrigins = (settings: SettingsReader) => (): readonly string[] => settings.get('security.allowed_origins')

/** The document is for everybody, and the name of the server is not. */
const DISPLAY_KEYS = SETTING_KEYS.filter((key) => key.startsWith('display.') && key !== 'display.server_name')

const readAppearance = (settings: SettingsReader): Appearance => ({
  language: settings.get('display.language'),
  theme: settings.get('display.theme'),
  display: Object.fromEntries(
    DISPLAY_KEYS.filter((key) => settings.get(key) !== SETTINGS[key].default).map((key) => [key, settings.get(key)]),
  ),
})

const unknownApiPath: RequestHandler = (req, _res, next) => {
  if (isApiPath(req.path)) throw notFound()
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

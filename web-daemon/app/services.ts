// The long-lived objects of the panel, one per feature that keeps state, built from what main.ts opens.
import type { KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import { Heals } from '../change/heal.ts'
import { makeQueue } from '../change/queue.ts'
import type { PanelAction, Recorder, RemediationDeps } from '../change/remediate.ts'
import { recordPanelAction } from '../features/audit/record.ts'
import { ApiTokens } from '../features/auth/api-tokens.ts'
import { KnownAddresses } from '../features/auth/known-addresses.ts'
import { isLocalProof } from '../features/auth/local-proof.ts'
import { LocalRequests } from '../features/auth/local-request.ts'
import { makePasswords, type Passwords } from '../features/auth/passwords.ts'
import type { AuthServices } from '../features/auth/services.ts'
import { Sessions } from '../features/auth/sessions.ts'
import { Throttle } from '../features/auth/throttle.ts'
import { makeTokens } from '../features/auth/tokens.ts'
import type { Elsewhere } from '../features/backup-elsewhere/elsewhere.ts'
import { Runs } from '../features/diagnostics/runs.ts'
import { Histogram } from '../features/exposition/histogram.ts'
import { Listeners, type ConfiguredListener } from '../features/listeners/listeners.ts'
import { endedWords } from '../features/listeners/sharing.ts'
import { Failover, type FailoverDeps } from '../features/failover/failover.ts'
import { Metrics, type MetricsDeps } from '../features/metrics/metrics.ts'
import { makeRoutesReader } from '../features/metrics/routes-snapshot.ts'
import { Monitor, type MonitorDeps } from '../features/monitor/monitor.ts'
import { makeTunnelWatch, type TunnelWatch } from '../features/reconcile/watch.ts'
import { PathFailover } from '../features/failover/paths.ts'
import { makeNetworkWatch, type NetworkWatch } from '../features/networks/watch.ts'
import { LastForeign } from '../features/forwarding/last-foreign.ts'
import { keepAddresses } from '../features/routes/address-watch.ts'
import { keepFastPath } from '../features/routes/fast-path-watch.ts'
import { keepProtecting } from '../features/routes/protection.ts'
import { Proofs } from '../features/rule-health/proofs.ts'
import { makeRouteWatch, type RouteWatch } from '../features/rule-health/watch.ts'
import { Traffic } from '../features/traffic/traffic.ts'
import { SafeApply } from '../features/safe-apply/safe-apply.ts'
import type { Settings } from '../features/settings/settings.ts'
import type { About } from '../features/system/health.ts'
import type { Installation } from '../features/system/info.ts'
import type { Notifications, NotificationDeps } from '../features/webhooks/notifications.ts'
import { FarEnds } from '../features/tunnels/far-end/follow.ts'
import { LocalEnds } from '../features/tunnels/local-end/follow.ts'
import { PairingThrottle } from '../features/tunnels/pairing/throttle.ts'
import { AuditNote } from '../platform/audit-note.ts'
import type { CommandContext } from '../platform/context.ts'
import type { Store } from '../platform/db/store.ts'
import type { Bus } from '../platform/events/bus.ts'
import type { ApartClock } from '../platform/files-apart.ts'
import { measured } from '../platform/helper/measured.ts'
import type { Streamer } from '../platform/helper/streams.ts'
import type { Endpoint } from '../platform/http/endpoint.ts'
import { SecretBox } from '../platform/secret-box.ts'
import { timed, type Timings } from '../features/impact/timings.ts'
import type { Sockets } from '../platform/http/sockets.ts'
import { toBasePath } from '../platform/http/prefix.ts'
import { API_BASE } from '../platform/http/routes.ts'
import type { CertificateWatcher } from '../platform/tls/certificate-watcher.ts'
import { VERSION } from '../platform/version.ts'
import { makeSending } from './sending.ts'

type Certificate = Pick<CertificateWatcher, 'component' | 'incident'>

/** What a panel is built from. The optional ones have a default; tests replace them. */
export interface PanelDeps {
  readonly db: Store
  readonly request: CommandContext['request']
  readonly stream: Streamer
  readonly bus: Bus
  readonly settings: Settings
  readonly signing_key: KeyObject
  /** Called in the transaction that makes the first account. */
  readonly onFirstAccount?: () => void
  readonly web_path: string
  /** Addresses and networks; none by default. */
  readonly trusted_proxies?: readonly string[]
  /** Names of this host beside its own; none by default. */
  readonly host_names?: readonly string[]
  readonly installation: Omit<Installation, 'web_path'>
  /** Encrypted backups are written there. */
  readonly backup_dir: string
  /** For how long the directory of backups may not answer. */
  readonly backup_clock?: ApartClock
  readonly sockets: Sockets
  /** The configured listener, which holds unless the operator has kept another one. */
  readonly configured: ConfiguredListener
  /** Holds index.html and assets/. */
  readonly page_dir: string
  /** Absent: the panel is served without TLS. */
  readonly certificate?: Certificate | null
  readonly logger: Logger
  readonly now?: () => Date
  /** In milliseconds, for what is measured. */
  readonly monotonic?: () => number
  readonly passwords?: Passwords
  readonly metrics?: Pick<MetricsDeps, 'host'> & Partial<Pick<MetricsDeps, 'settings'>>
  readonly monitor?: Pick<MonitorDeps, 'tcpProbe' | 'pauses'>
  /** How names are resolved, and how long a receiver may take. */
  readonly notifications?: Partial<Pick<NotificationDeps, 'resolve' | 'timeout_ms'>>
  /** Whether the root helper is connected; a test's always is. */
  readonly isHelperUp?: () => boolean
  readonly failover?: Pick<FailoverDeps, 'run' | 'random' | 'resolve'>
  /** Endpoints that only a test has, to try the pipeline with. */
  readonly extra_endpoints?: readonly Endpoint[]
}

export interface Services {
  readonly context: Omit<CommandContext, 'note'>
  readonly auth: AuthServices
  readonly about: About
  readonly installation: Installation
  readonly store: Store
  /** To be started once the app is there, and stopped. */
  readonly listeners: Listeners
  readonly pairing: PairingThrottle
  /** The background pass over the tunnels; the code that serves the app decides when it runs. */
  readonly watch: TunnelWatch
  /** What others take away again and again. */
  readonly heals: Heals
  /** The same for the relay rules. */
  readonly routeWatch: RouteWatch
  /** The same for the networks. */
  readonly networkWatch: NetworkWatch
  /** The windows in which changes wait for a confirmation. */
  readonly safeApply: SafeApply
  /** To be started, and stopped before the store is closed. */
  readonly metrics: Metrics
  /** To be started, and stopped before the store is closed. */
  readonly monitor: Monitor
  /** To be started, and stopped before the store is closed. */
  readonly traffic: Traffic
  readonly proofs: Proofs
  readonly foreign: LastForeign
  /** To be started, and stopped before the store is closed. */
  readonly failover: Failover
  /** To be started, and stopped before the store is closed. */
  readonly pathFailover: PathFailover
  /** To be started, and stopped before the store is closed. */
  readonly farEnds: FarEnds
  /** To be started, and stopped before the store is closed. */
  readonly localEnds: LocalEnds
  /** To be started, and stopped before the store is closed. */
  readonly notifications: Notifications
  /** To be started, and stopped before the store is closed. */
  readonly elsewhere: Elsewhere
  readonly timings: Timings
  /** How long root takes, by method. */
  readonly changes: Histogram
  /** To be stopped before the store is closed. */
  readonly runs: Runs
  readonly certificate: Certificate | null
  readonly logger: Logger
}

export function makeServices(deps: PanelDeps): Services {
  const { db, bus, settings, logger, now = () => new Date(), monotonic = () => performance.now() } = deps
  const foreign = new LastForeign()
  const { request, timings, changes } = makeRequester(foreign.keeping(deps.request), monotonic)
  const context = { db, request, now, api_path: apiPathOf(deps), settings, inTurn: makeQueue(), ...published(bus) }
  const traffic = new Traffic({ db, request, now, monotonic, settings, logger, publish: bus.publish })
  const monitor = new Monitor({ db, request, stream: deps.stream, bus, now, logger, settings, ...deps.monitor })
  const heals = makeHeals(context, logger)
  const safeApply = makeSafeApply(context, logger, async () => (await monitor.inState('Up')) ?? [])
  const listeners = makeListeners(deps, context)
  const failovers = makeFailovers(deps, { context, traffic, monitor, listeners })
  const proofs = makeProofs({ db, now, logger }, { traffic, monitor, ...failovers })
  const services: Services = {
    context,
    auth: makeAuth(deps, now),
    about: { version: VERSION, started_at: now() },
    installation: { ...deps.installation, web_path: deps.web_path },
    store: db,
    listeners,
    pairing: new PairingThrottle(now),
    heals,
    ...makeWatches({ ...context, logger, heals, isHeldBack: () => safeApply.isOpen }, traffic, proofs),
    safeApply,
    metrics: makeMetrics(deps, now, { monitor, traffic }),
    monitor,
    traffic,
    proofs,
    foreign,
    ...failovers,
    ...makeSending(deps, context),
    timings,
    changes,
    runs: new Runs({ db, stream: deps.stream, now, ...(deps.metrics && { host: deps.metrics.host }) }),
    certificate: deps.certificate ?? null,
    logger,
  }
  listen(bus, services)
  keepRules(bus, services)
  return services
}

const published = ({ publish, publishIn }: Bus) => ({ publish, publishIn })

/** What the settings say of how root holds the relay rules. */
function keepRules(bus: Bus, { context, traffic, logger, listeners }: Services): void {
  keepProtecting({ ...context, bus, logger })
  const record = (doing: PanelAction): Promise<void> => recordPanelAction(context, doing)
  keepFastPath({ ...context, bus, logger, record }, traffic)
  keepAddresses({ ...context, bus, logger, record, panelPorts: () => listeners.ports() }, traffic)
}

const makeMetrics = (
  { db, bus, logger, settings, metrics }: PanelDeps,
  now: () => Date,
  { monitor, traffic }: Pick<Services, 'monitor' | 'traffic'>,
): Metrics =>
  new Metrics({
    db,
    bus,
    now,
    logger,
    settings,
    routes: makeRoutesReader(db, traffic),
    onTraffic: (interfaces, seconds) => monitor.tunnels.addTraffic(interfaces, seconds, now().getTime()),
    ...metrics,
  })

/** What root takes for a change is measured, for what is foreseen and for Prometheus. */
const makeRequester = (given: CommandContext['request'], monotonic: () => number) => {
  const changes = new Histogram('operation')
  const observe = (method: string, seconds: number): void => changes.observe(method, seconds)
  return { ...timed(measured(given, monotonic, observe), monotonic), changes }
}

function listen(bus: Bus, { safeApply, heals, metrics, traffic, proofs, foreign }: Services): void {
  bus.subscribe('routes.changed', ({ route_rule_ids }) => proofs.changed(route_rule_ids))
  bus.subscribe('host.changed', ({ events }) => {
    for (const { by } of events) if (by !== undefined) heals.heardOf(by)
  })
  bus.subscribe('host.changed', ({ events }) => safeApply.onHostEvents(events))
  bus.subscribe('host.changed', ({ events }) => foreign.onHostEvents(events))
  bus.subscribe('settings.changed', ({ keys }) => {
    metrics.onSettingsChanged(keys)
    traffic.onSettingsChanged(keys)
  })
}

const makeProofs = (
  deps: Pick<PanelDeps, 'db' | 'logger'> & Pick<CommandContext, 'now'>,
  { traffic, monitor, failover }: Pick<Services, 'traffic' | 'monitor' | 'failover'>,
): Proofs => new Proofs({ ...deps, evidence: traffic.evidence, names: failover.hostnames, monitored: monitor.tunnels })

/** What leaves a destination, or a path, that is down, and follows ends that move. */
const makeFailovers = (
  { bus, stream, logger, failover }: PanelDeps,
  { context, traffic, monitor, listeners }: Pick<Services, 'context' | 'traffic' | 'monitor' | 'listeners'>,
): Pick<Services, 'failover' | 'pathFailover' | 'farEnds' | 'localEnds'> => {
  const record = (action: PanelAction): Promise<void> => recordPanelAction(context, action)
  const deps = { context, bus, monitored: monitor.tunnels, record, logger }
  return {
    failover: new Failover({ ...deps, stream, traffic, panelPorts: () => listeners.ports(), ...failover }),
    pathFailover: new PathFailover(deps),
    farEnds: new FarEnds(deps),
    localEnds: new LocalEnds(deps),
  }
}

/** Names of programs cost others, so they are listened for only once something was taken away twice (S19). */
const makeHeals = ({ now, settings, request, publish }: Services['context'], logger: Logger): Heals =>
  new Heals({
    now,
    settings,
    onRepeated: (noun) => {
      if (noun !== 'route') return
      request('ruleset.writers', {}).catch((err: unknown) =>
        logger.warn({ err }, 'whoever changes the relay rules cannot be named'),
      )
    },
    onContested: ({ noun, id }, heal) => {
      logger.warn({ noun, id, times: heal.times, by: heal.last_by }, 'drift: somebody takes it away again and again')
      publish('heal.contested', { kind: noun, id, heal })
    },
  })

/** What is corrected without a request is in the audit log too. */
const makeWatches = (
  deps: Omit<RemediationDeps, 'record'>,
  traffic: Traffic,
  proofs: Proofs,
): Pick<Services, 'watch' | 'routeWatch' | 'networkWatch'> => {
  const record: Recorder = (doing, db = deps.db) => recordPanelAction({ ...deps, db }, doing)
  const drift = { ...deps, record }
  return {
    watch: makeTunnelWatch(drift),
    routeWatch: makeRouteWatch(drift, traffic, proofs),
    networkWatch: makeNetworkWatch(drift),
  }
}

const apiPathOf = ({ web_path }: PanelDeps): string => `${toBasePath(web_path)}${API_BASE}`

const makeListeners = (
  { sockets, configured, monotonic = () => performance.now(), signing_key, logger }: PanelDeps,
  { db, now }: Pick<CommandContext, 'db' | 'now'>,
): Listeners =>
  new Listeners({
    sockets,
    db,
    keyBox: new SecretBox(signing_key, 'listener'),
    configured,
    now,
    monotonic,
    logger,
    onExpired: async (listener) => {
      const note = new AuditNote()
      note.target('listener', listener.listener_id)
      note.operation(`${endedWords(listener)}: nobody kept it in time`)
      await recordPanelAction({ db, now }, { action: 'ListenerRemove', note, refusal: null, duration_ms: 0 })
    },
  })

/** What the panel did when a window ended, as the audit log records it. */
const makeSafeApply = (context: Services['context'], logger: Logger, upTunnels: () => Promise<number[]>): SafeApply =>
  new SafeApply({
    ...context,
    logger,
    upTunnels,
    record: (db, { ended_how, username, items }) => {
      const note = new AuditNote()
      note.operation(`${ended_how}; opened by ${username === '' ? 'the socket of the root helper' : username}`)
      for (const { what, kind, title } of items) note.operation(`${what}: ${kind} ${title}`)
      return recordPanelAction(
        { db, now: context.now },
        { action: 'SafeApplyEnd', note, refusal: null, duration_ms: 0 },
      )
    },
  })

const makeAuth = (
  { db, passwords = makePasswords(), signing_key, settings, logger, onFirstAccount = () => undefined }: PanelDeps,
  now: () => Date,
): AuthServices => ({
  passwords,
  tokens: makeTokens(signing_key, now, settings),
  sessions: new Sessions(db, now, logger),
  localRequests: new LocalRequests(signing_key, now),
  apiTokens: new ApiTokens(db, now, logger),
  addresses: new KnownAddresses(db, now, signing_key),
  factorBox: new SecretBox(signing_key, 'second factor'),
  throttle: new Throttle(now, settings),
  onFirstAccount,
  isLocal: (proof) => isLocalProof(signing_key, now(), proof),
})

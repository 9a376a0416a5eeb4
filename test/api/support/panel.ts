// Starts the web daemon's app in this process, on a free loopback port, with a store in memory and a helper of the
// test's choice.
import { generateKeySync } from 'node:crypto'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { JSONRPCErrorException } from 'json-rpc-2.0'
import type { Express } from 'express'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { createApp, type Panel } from '@panel/web-daemon/app/app.ts'
import type { PanelDeps } from '@panel/web-daemon/app/services.ts'
import { makePasswords } from '@panel/web-daemon/features/auth/passwords.ts'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { Bus } from '@panel/web-daemon/platform/events/bus.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import { refusalFromRpc } from '@panel/web-daemon/platform/helper/refusals.ts'
import type { Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { toBasePath } from '@panel/web-daemon/platform/http/prefix.ts'
import type { Streams } from '@panel/web-daemon/platform/http/streams.ts'
import { serverUrl, type Listening } from '@panel/web-daemon/platform/http/server.ts'
import { Sockets } from '@panel/web-daemon/platform/http/sockets.ts'
import type { TunnelWatch } from '@panel/web-daemon/features/reconcile/watch.ts'
import { keepRevisions } from '@panel/web-daemon/features/revisions/log.ts'
import { Settings } from '@panel/web-daemon/features/settings/settings.ts'
import type { Metrics } from '@panel/web-daemon/features/metrics/metrics.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import type { HelperDeps } from '@panel/root-helper/handlers.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { HelperRefusal, inProcessHelper, noJournal } from '../../support/in-process-helper.ts'
import { answerCheck } from './answer-check.ts'
import { Client } from './client.ts'

export const OPERATOR = { username: 'operator', password: 'correct horse battery' } as const

/** The lowest that bcrypt takes; nothing but tests may ask for it. */
export const TEST_BCRYPT_COST = 4

/** The folder of the built page: npx tsx packaging/build/page.ts. */
export const PAGE_DIR = fileURLToPath(new URL('../../../.build/bundle/ui', import.meta.url))

/** For tests that open no page: reading the built one takes a fifth of the time of a panel's life. */
const PLAIN_PAGE = fileURLToPath(new URL('plain-page', import.meta.url))

/** The configuration of the package. */
export const INSTALLATION = {
  data_dir: '/var/lib/tunnel-panel',
  database_path: '/var/lib/tunnel-panel/panel.db',
  socket_path: '/run/tunnel-panel/helper.sock',
} as const

export interface TestPanel {
  readonly base: string
  readonly app: Express
  readonly endpoints: readonly Endpoint[]
  readonly streams: Streams
  readonly metrics: Metrics
  /** Samples when a test says so. */
  readonly traffic: Panel['traffic']
  readonly proofs: Panel['proofs']
  readonly monitor: Panel['monitor']
  /** Sends nothing until it is started. */
  readonly notifications: Panel['notifications']
  /** Looks when a test says so. */
  readonly elsewhere: Panel['elsewhere']
  readonly readIncidents: Panel['readIncidents']
  /** Looks when a test says so. */
  readonly incidents: Panel['incidents']
  /** Looks when a test says so. */
  readonly routeWatch: Panel['routeWatch']
  /** Looks when a test says so. */
  readonly networkWatch: Panel['networkWatch']
  /** Started by a test that has destinations checked. */
  readonly failover: Panel['failover']
  readonly pathFailover: Panel['pathFailover']
  /** Started by a test that has tunnels follow names. */
  readonly farEnds: Panel['farEnds']
  /** Started by a test that has tunnels follow routes. */
  readonly localEnds: Panel['localEnds']
  readonly db: Store
  /** The host that the helper in this process speaks to, unless the test brought an `ask` of its own. */
  readonly kernel: FakeKernel
  readonly server: Server
  readonly listeners: Panel['listeners']
  readonly bus: Bus
  /** The background pass, which no timer starts here. */
  readonly watch: TunnelWatch
  readonly settings: Settings
  /** Every line of the log so far. */
  readonly log: string[]
  readonly clock: Clock
  /** That of windows in the helper. */
  readonly windowClock: FakeClock
  /** What the kernel and the helper report; the running daemon subscribes to it. */
  readonly windows: HelperDeps['windows']
  /** A client without cookies. */
  readonly visitor: () => Client
  /** Creates the account and gives the client that is signed in as it. */
  readonly setUp: () => Promise<Client>
  /** Another client that signs in. */
  readonly signIn: () => Promise<Client>
  readonly close: () => Promise<void>
}

export class Clock {
  #ahead = 0
  #set = 0
  now = (): Date => new Date(Date.now() + this.#ahead + this.#set)
  monotonic = (): number => performance.now() + this.#ahead
  /** Sets the clock of the day, like an administrator. */
  set(seconds: number): void {
    this.#set += seconds * 1000
  }
  advance(seconds: number): void {
    this.#ahead += seconds * 1000
  }
}

export type TestParts = Partial<Omit<PanelDeps, 'logger' | 'now' | 'monotonic'>> & {
  readonly store?: string
  readonly address?: string
  readonly listening?: Listening
}

export const startPanel = async ({
  store = IN_MEMORY,
  address = '127.0.0.1',
  listening = {},
  ...parts
}: TestParts = {}): Promise<TestPanel> => {
  const log: string[] = []
  const clock = new Clock()
  const kernel = new FakeKernel()
  const windowClock = new FakeClock()
  const helper = inProcessHelper(kernel, noJournal(), windowClock)
  const web_path = parts.web_path ?? ''
  const { pair, ...options } = listening
  const logger = makeLogger({ write: (line) => void log.push(line) })
  const db = parts.db ?? (await openStore(store))
  const bus = parts.bus ?? new Bus(logger)
  const whole: PanelDeps = {
    request: requestThrough(helper.request),
    stream: helper.stream,
    signing_key: generateKeySync('hmac', { length: 256 }),
    page_dir: PLAIN_PAGE,
    installation: INSTALLATION,
    backup_dir: '/nonexistent/backups',
    settings: await Settings.open(db, bus.publish),
    logger,
    now: clock.now,
    monotonic: clock.monotonic,
    passwords: makePasswords(TEST_BCRYPT_COST),
    host_names: ['panel'],
    sockets: new Sockets(options),
    configured: { address, port: 0, ...(pair && { pair: () => pair }) },
    ...parts,
    db,
    bus,
    web_path,
  }
  await keepRevisions({ db, bus, now: whole.now ?? clock.now })
  const { app, endpoints, streams, metrics, traffic, proofs, monitor, watch, routeWatch, runs, listeners, ...more } =
    createApp(whole)
  const { failover, pathFailover, farEnds, localEnds, networkWatch, notifications, readIncidents, incidents } = more
  const { elsewhere } = more
  const { server } = await listeners.start()
  const base = serverUrl(server, toBasePath(web_path))
  const check = answerCheck(endpoints, toBasePath(web_path))
  const visitor = (): Client => new Client(base, check)
  const signedInBy = (path: string, expected: number) => async (): Promise<Client> => {
    const client = visitor()
    const { status, text } = await client.post(path, OPERATOR)
    if (status !== expected) throw new Error(`${path} answered ${status}: ${text}`)
    return client
  }
  const close = async (): Promise<void> => {
    streams.endAll()
    await incidents.stop()
    await runs.stop()
    await listeners.stop(100)
    await metrics.stop()
    await failover.stop()
    await pathFailover.stop()
    await farEnds.stop()
    await localEnds.stop()
    await monitor.stop()
    await elsewhere.stop()
    await notifications.stop()
    await whole.db.destroy()
  }
  const setUp = signedInBy('/auth/setup', 201)
  const signIn = signedInBy('/auth/login', 200)
  return {
    base,
    app,
    endpoints,
    streams,
    metrics,
    traffic,
    proofs,
    routeWatch,
    networkWatch,
    failover,
    pathFailover,
    farEnds,
    localEnds,
    monitor,
    notifications,
    elsewhere,
    readIncidents,
    incidents,
    db: whole.db,
    kernel,
    server,
    listeners,
    bus,
    settings: whole.settings,
    watch,
    log,
    clock,
    windowClock,
    windows: helper.deps.windows,
    visitor,
    setUp,
    signIn,
    close,
  }
}

/**
 * The helper in this process refuses in its own words; over the socket the client turns them into the words of the API.
 */
export const requestThrough =
  (request: Writer): Writer =>
  async (method, params) => {
    try {
      return await request(method, params)
    } catch (failure) {
      if (failure instanceof HelperRefusal)
        throw refusalFromRpc(new JSONRPCErrorException(failure.message, failure.number))
      throw failure
    }
  }

// The HTTP server: limits, TLS, and a shutdown that lets requests in progress finish (decisions.md, W10).
import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import { createServer as createHttps, Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { constants } from 'node:crypto'
import { secureContextOptions, type CertificatePair } from '../tls/certificate.ts'
import { Connections, type ConnectionLimits } from './connections.ts'
import { networkList } from '../network/client-network.ts'

export interface Limits {
  /** The time from the first byte, or from the connection if none comes; a TLS handshake may take as long again. */
  readonly headers_ms: number
  /** For the whole request with its body. The answer is not limited: it may be a stream. */
  readonly request_ms: number
  readonly idle_ms: number
  /** How often the two limits above are checked. */
  readonly check_ms: number
  /** Together the connections must not use up the memory of the process. */
  readonly connections: number
  /** No one address may take them all; all clients of a proxy share its address. */
  readonly connections_per_address: number
  readonly connections_per_proxy: number
}

export const LIMITS: Limits = {
  headers_ms: 10_000,
  request_ms: 60_000,
  idle_ms: 120_000,
  check_ms: 1000,
  connections: 4096,
  connections_per_address: 512,
  connections_per_proxy: 3072,
}
export const DRAIN_MS = 15_000

export interface Listening {
  readonly pair?: CertificatePair
  readonly limits?: Limits
  /** Addresses and networks; none by default. */
  readonly trusted_proxies?: readonly string[]
}

const trackedConnections = new WeakMap<Server, Connections>()

export async function listen(
  app: RequestListener,
  address: string,
  port: number,
  { pair, limits = LIMITS, trusted_proxies = [] }: Listening = {},
): Promise<Server> {
  const server = bareServer(limits, pair)
  server.on('request', app)
  // The app itself sends 100 Continue when it wants the body (http/body.ts), and ignores other expectations.
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (req, res) => server.emit('request', req, res))
  trackedConnections.set(server, new Connections(server, connectionLimits(limits, trusted_proxies)))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return server
}

const connectionLimits = (limits: Limits, trustedProxies: readonly string[]): ConnectionLimits => {
  const proxies = networkList(trustedProxies)
  return {
    total: limits.connections,
    ofAddress: (address) => (proxies(address) ? limits.connections_per_proxy : limits.connections_per_address),
  }
}

const bareServer = ({ headers_ms, request_ms, idle_ms, check_ms }: Limits, pair?: CertificatePair): Server => {
  const times = {
    headersTimeout: headers_ms,
    requestTimeout: request_ms,
    keepAliveTimeout: idle_ms,
    connectionsCheckingInterval: check_ms,
  }
  return pair
    ? createHttps({ ...times, ...secureContextOptions(pair), handshakeTimeout: headers_ms })
    : createHttp(times)
}

/** The URL of the panel's root. */
export function serverUrl(server: Server, basePath: string): string {
  const { address, port, family } = server.address() as AddressInfo
  return `${server instanceof HttpsServer ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}${basePath}/`
}

/** Open connections keep their certificate. Without tickets every new one is shown it, as none resumes a session. */
export function renew(server: Server, pair: CertificatePair, { hasTickets = true } = {}): void {
  if (!(server instanceof HttpsServer)) throw new Error('A listener without TLS has no certificate to renew')
  const secureOptions = hasTickets ? 0 : constants.SSL_OP_NO_TICKET
  server.setSecureContext({ ...secureContextOptions(pair), secureOptions })
}

/** Accepts no new connections and no further requests; requests in progress may take until the drain time. */
export async function drain(server: Server, drainMs: number = DRAIN_MS): Promise<void> {
  const connections = trackedConnections.get(server)
  server.prependListener('request', (_req, res) => (res.shouldKeepAlive = false))
  const late = setTimeout(() => connections?.endAll(), drainMs)
  const answered = setInterval(() => connections?.endIdle(), 50)
  await new Promise<void>((resolve, reject) => server.close((failure) => (failure ? reject(failure) : resolve())))
  clearTimeout(late)
  clearInterval(answered)
}

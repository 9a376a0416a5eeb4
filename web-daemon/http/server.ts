// The HTTP server: its time-outs, and an end that lets what is under way finish (decisions.md, W10).
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const HEADERS_MS = 10_000
const REQUEST_MS = 60_000
const IDLE_MS = 120_000
const CHECK_MS = 1000
export const DRAIN_MS = 15_000

export const listen = async (app: RequestListener, address: string, port: number): Promise<Server> => {
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: IDLE_MS, connectionsCheckingInterval: CHECK_MS }, app)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return server
}

/** The root of the panel as a browser takes it. */
export const urlOf = (server: Server, basePath: string): string => {
  const { address, port, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${basePath}/`
}

/** No new requests; those under way have until the drain time to end. */
export const drain = async (server: Server, drainMs: number = DRAIN_MS): Promise<void> => {
  const late = setTimeout(() => server.closeAllConnections(), drainMs)
  const answered = setInterval(() => server.closeIdleConnections(), 50)
  await new Promise<void>((resolve, reject) => server.close((failure) => (failure ? reject(failure) : resolve())))
  clearTimeout(late)
  clearInterval(answered)
}

// Runs the web daemon's app beside a helper in some namespace, signed in, and sends it the requests that come in, one a
// line.
import { createInterface } from 'node:readline'
import { keepWatchingRoutes } from '@panel/web-daemon/features/routes/health/watch.ts'
import { watchKernel } from '@panel/web-daemon/platform/helper/kernel-events.ts'
import type { RouteHealthEvent } from '@panel/shared/api/routes/answers.ts'
import { connectHelper } from '@panel/web-daemon/platform/helper/client.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { startPanel } from '../api/support/panel.ts'

const logger = makeLogger({ write: () => undefined })
const helper = connectHelper(process.env['PANEL_HELPER_SOCKET'] ?? '', logger)
const panel = await startPanel({ request: helper.request })
const client = await panel.setUp()
let isWatching = false
const healths: RouteHealthEvent[] = []
panel.bus.subscribe('route.health', (event) => void healths.push(event))

const methods = {
  request: async (method: string, path: string, body?: unknown) => {
    const { status, text } = await client.api(method, path, body ?? undefined)
    return { status, body: JSON.parse(text) as unknown }
  },
  /** What was told of the health of rules since it was asked last. */
  healths: () => healths.splice(0),
  /** As main does it, from now on. */
  watch: () => {
    if (isWatching) return
    isWatching = true
    watchKernel({ stream: helper.stream, logger, listener: (events) => panel.bus.publish('host.changed', { events }) })
    keepWatchingRoutes(panel.routeWatch, { bus: panel.bus, settings: panel.settings, logger })
  },
  advance: (seconds: number) => panel.clock.advance(seconds),
  /** As the timers of main do it. */
  count: () => panel.traffic.count(),
  save: () => panel.traffic.save(),
}
export type PanelMethods = typeof methods

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, args } = JSON.parse(line) as { id: number; method: keyof PanelMethods; args: never[] }
  void Promise.resolve((methods[method] as (...all: never[]) => unknown)(...args)).then(
    (result) => process.stdout.write(`${JSON.stringify({ id, result: result ?? null })}\n`),
    (error: Error) => process.stdout.write(`${JSON.stringify({ id, error: error.message })}\n`),
  )
}
process.exit(0)

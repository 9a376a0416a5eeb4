// Runs the web daemon's app beside a helper in some namespace, signed in, and sends it the requests that come in, one a
// line.
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { u32be } from '@panel/root-helper/netlink/attributes.ts'
import { NETLINK_NETFILTER } from '@panel/root-helper/netlink/constants.ts'
import { decodeConnection, dumpByMark } from '@panel/root-helper/netlink/conntrack.ts'
import { NetlinkSocket } from '@panel/root-helper/netlink/socket.ts'
import { ruleMark } from '@panel/shared/ruleset/mark.ts'
import { keepWatchingRoutes } from '@panel/web-daemon/features/rule-health/watch.ts'
import { watchKernel } from '@panel/web-daemon/platform/helper/kernel-events.ts'
import type { RouteHealthEvent } from '@panel/shared/api/routes/answers.ts'
import { connectHelper } from '@panel/web-daemon/platform/helper/client.ts'
import { resolveHost } from '@panel/web-daemon/platform/network/resolver.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { insertTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { startPanel } from '../api/support/panel.ts'
import { newTunnel, storedAddress } from '../support/records.ts'

/** linux/netfilter/nfnetlink_conntrack.h: IPCTNL_MSG_CT_NEW of its subsystem, and the attribute of the mark. */
const [UPDATE_CONNECTION, CTA_MARK] = [0x0100, 8]
const OUR_MARKS = 0x7000_0000

const logger = makeLogger({ write: () => undefined })
const helper = connectHelper(process.env['PANEL_HELPER_SOCKET'] ?? '', logger)
/** A store that outlives this process; without one it is in memory. */
const store = process.env['PANEL_DRIVER_STORE']
const isLater = store !== undefined && existsSync(store)
const panel = await startPanel({ request: helper.request, stream: helper.stream, ...(store && { store }) })
let client = await (isLater ? panel.signIn() : panel.setUp())
let isWatching = false
const healths: RouteHealthEvent[] = []
panel.bus.subscribe('route.health', (event) => void healths.push(event))

const methods = {
  request: async (method: string, path: string, body?: unknown) => {
    const send = () => client.api(method, path, body ?? undefined)
    let { status, text } = await send()
    if (status === 401) {
      // Time has passed at a test's request.
      client = await panel.signIn()
      ;({ status, text } = await send())
    }
    return { status, body: JSON.parse(text) as unknown }
  },
  /** The reported health of rules since the last call. */
  healths: () => healths.splice(0),
  /** Starts watching like main. */
  watch: () => {
    if (isWatching) return
    isWatching = true
    watchKernel({ stream: helper.stream, logger, listener: (events) => panel.bus.publish('host.changed', { events }) })
    keepWatchingRoutes(panel.routeWatch, { bus: panel.bus, settings: panel.settings, logger })
  },
  /** Starts failover like main. */
  failover: () => panel.failover.start(),
  /** The port on which it serves. */
  port: () => Number(new URL(panel.base).port),
  /** The IPv4 addresses of a name by this DNS server; none where it does not resolve. */
  resolve: async (name: string, server: string) => {
    const found = await resolveHost(name, 4, [server])
    return found.isFound ? found.addresses : []
  },
  /** Resolves the name like main's timer. */
  look: async (hostname: string) => {
    await panel.failover.hostnames.look(hostname, 4)
    await panel.failover.settled()
  },
  /** Overwrites the marks of the connections that rules own, as software does that no listing of netfilter shows. */
  remark: async (mark: number) => {
    const socket = new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    const owned = await socket.dump(dumpByMark(ruleMark(0), OUR_MARKS))
    for (const { family, key } of owned.flatMap((message) => decodeConnection(message, 0) ?? []))
      await socket.request({
        what: 'mark a connection',
        type: UPDATE_CONNECTION,
        parts: [Buffer.from([family, 0, 0, 0]), ...key.slice(0, 1), u32be(CTA_MARK, mark)],
      })
    socket.close()
    return owned.length
  },
  /** Stores a tunnel whose interface is whatever has the name: this machine may have no GRE. */
  tunnel: (interface_name: string, ...addresses: string[]) =>
    insertTunnel(
      panel.db,
      newTunnel({ interface_name, addresses: addresses.map((address) => storedAddress(address)) }),
    ),
  /** Starts the monitor like main. */
  monitor: () => panel.monitor.start(),
  advance: (seconds: number) => panel.clock.advance(seconds),
  metrics: async () => (await client.raw('GET', '/metrics')).text,
  /** Counts traffic like main's timers. */
  count: () => panel.traffic.count(),
  /** Reads the counters like main's timer. */
  sample: () => panel.traffic.sample(),
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

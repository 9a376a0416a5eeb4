// What the impact adds to a preview, with as many open connections as a busy relay has: the panel's own code in this
// process, beside the shipped helper.
import { makeImpact } from '@panel/web-daemon/features/impact/impact.ts'
import { WITHOUT_PLAN } from '@panel/web-daemon/features/routes/foresee-causes.ts'
import { previewRoute } from '@panel/web-daemon/features/routes/preview.ts'
import { Traffic } from '@panel/web-daemon/features/traffic/traffic.ts'
import { Settings } from '@panel/web-daemon/features/settings/settings.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { connectHelper } from '@panel/web-daemon/platform/helper/client.ts'
import type { Incoming } from '@panel/web-daemon/platform/http/endpoint.ts'
import { Problems } from '@panel/web-daemon/platform/http/problems.ts'
import type { ReadImpact } from '@panel/web-daemon/platform/impact.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { median } from '../figures.ts'
import { timed, type Section } from '../table.ts'
import type { Panel } from './panel.ts'
import { portOf } from './rules.ts'
import type { Stage } from './stage.ts'

const CONNECTIONS = 100_000
const ROUNDS = 30
const MORE_MS = 30

/**
 * A datagram from each port to the first rule, and one that is merely routed; the kernel remembers both for long
 * enough. All through rules would need more ports towards the one server than there are.
 */
async function fill(stage: Stage, { relay }: Panel): Promise<void> {
  await relay.network.run(['sh', '-c', 'echo 600 > /proc/sys/net/netfilter/nf_conntrack_udp_timeout'])
  const script = `
    const dgram = require('node:dgram')
    const send = (from) => new Promise((resolve) => {
      const socket = dgram.createSocket('udp4')
      socket.bind(from, () => socket.send('x', ${portOf(1)}, '${relay.address}', () =>
        socket.send('x', 9, '${relay.server}', () => socket.close(resolve))))
    });
    (async () => { for (let port = 10000; port < ${10_000 + CONNECTIONS / 2}; port += 1) await send(port) })()`
  await stage.client.run([process.execPath, '-e', script])
}

/** The store holds the rules already. */
export async function impactSection(stage: Stage, panel: Panel, count: number): Promise<Section> {
  await fill(stage, panel)
  const logger = makeLogger({ write: () => undefined })
  const { request, close } = connectHelper(panel.socket, logger)
  const db = await openStore(panel.store)
  const settings = await Settings.open(db, () => undefined)
  const deps = { db, request, now: () => new Date(), settings }
  const traffic = new Traffic({ ...deps, monotonic: () => performance.now(), logger, publish: () => undefined })
  await traffic.count()
  const open = traffic.connections(1) ?? 0
  if (open < CONNECTIONS * 0.45) throw new Error(`Only ${open} connections are open`)
  const readImpact = makeImpact({ traffic, took: () => null, stateOf: () => 'Unknown' })
  const nothing = {
    ...(await readImpact({ ...deps, api_path: '' }, { changes: [], warnings: [] }, { client_ip: '', server_ip: '' })),
  }
  const took = async (read: ReadImpact): Promise<number> => {
    const began = performance.now()
    const body = { route_rule_id: 1, destination_port: 81 }
    const { body: answer } = await previewRoute(read, WITHOUT_PLAN)({ ...deps, api_path: '' }, incomingOf(body))
    const ms = performance.now() - began
    if (read === readImpact && (answer.impact.connections.survive ?? 0) < CONNECTIONS * 0.4)
      throw new Error('The impact counts other connections')
    return ms
  }
  const [without, having] = [[] as number[], [] as number[]]
  for (let round = -3; round < ROUNDS; round += 1) {
    const pair = [await took(async () => nothing), await took(readImpact)] as const
    if (round >= 0) {
      without.push(pair[0])
      having.push(pair[1])
    }
  }
  close()
  await db.destroy()
  const aim = { says: `< ${MORE_MS} ms more`, below_ms: median(without) + MORE_MS }
  return {
    title: `rules: the change of one of ${count.toLocaleString('en')} rules previewed, ${CONNECTIONS.toLocaleString('en')} tracked connections, half of them its own; ${ROUNDS} rounds`,
    rows: [timed('preview without its impact', without), timed('preview with its impact', having, without, aim)],
  }
}

const incomingOf = (body: object): Incoming<never> =>
  ({
    params: {},
    query: {},
    body,
    problems: new Problems(),
    client_ip: '',
    server_port: 0,
    panelPorts: () => [],
  }) as never

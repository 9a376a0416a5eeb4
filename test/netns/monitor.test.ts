// The monitoring over the real helper and kernel: what it says of a tunnel while things happen to its far end. A pair
// of Ethernets stands for the tunnel.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { watchKernel, type KernelWatch } from '@panel/web-daemon/platform/helper/kernel-events.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import type { TcpProber } from '@panel/web-daemon/features/monitor/tcp-probe.ts'
import { insertTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { eventually } from '../support/eventually.ts'
import type { Client } from '../api/support/client.ts'
import { statusOf, wayOf } from '../api/support/monitor.ts'
import { startPanel, type TestPanel } from '../api/support/panel.ts'
import { storedTunnel } from '../support/records.ts'
import { program } from '../support/programs.ts'
import { PathRig } from './path-rig.ts'

const NAME = 'gre-a-1'
const example = storedTunnel()
/** Five probes a second, so that everything takes a fifth of the time; the window is ten of them. */
const quick = {
  monitor_interval_seconds: 0.2,
  monitor_timeout_seconds: 0.4,
  monitor_window_size: 10,
  monitor_degraded_rtt_ms: 50,
}
const TCP_PROBE = `import { probeTcp } from '${await program(new URL('../../web-daemon/features/monitor/tcp-probe.ts', import.meta.url))}'
console.log(JSON.stringify(await probeTcp(JSON.parse(process.argv[1]), 0)))`

describe('The monitoring of a tunnel on a real kernel', function () {
  const rig = new PathRig()
  let panel: TestPanel
  let operator: Client
  let kernel: KernelWatch
  let id: number

  /** The panel's own knock, from the namespace that the tunnel is in. */
  const knock: TcpProber = async (aim) => {
    const { stdout } = await promisify(execFile)('nsenter', [
      `--net=/proc/${rig.near.child.pid}/ns/net`,
      process.execPath,
      '--input-type=module',
      '-e',
      TCP_PROBE,
      JSON.stringify(aim),
    ])
    return JSON.parse(stdout) as Awaited<ReturnType<TcpProber>>
  }
  const link = (): void => {
    rig.near.ip(
      `link add ${NAME} type veth peer name w1 netns ${rig.far.child.pid}`,
      `addr add 10.5.0.1/30 dev ${NAME}`,
      `link set ${NAME} up`,
    )
    rig.far.ip('addr add 10.5.0.2/30 dev w1', 'link set w1 up')
  }
  const state = (): string => panel.monitor.tunnels.of(id)?.verdict.state ?? ''
  const reason = (): string => panel.monitor.tunnels.of(id)?.verdict.reason.message ?? ''
  const becomes = (wanted: string): Promise<void> =>
    eventually(
      () => state() === wanted,
      () => `${state()} and not ${wanted}: ${reason()}`,
    )

  before(async () => {
    await rig.open()
    link()
    panel = await startPanel({
      request: rig.client.request,
      stream: rig.client.stream,
      monitor: { tcpProbe: knock, pauses: { first: 100, last: 200 } },
    })
    operator = await panel.setUp()
    const { tunnel_id: _, ...record } = {
      ...example,
      ...quick,
      interface_name: NAME,
      tunnel_type_id: 10,
      address_pool_id: null,
    }
    id = await panel.db.transaction().execute((transaction) =>
      insertTunnel(transaction, {
        ...record,
        addresses: [
          {
            address: '10.5.0.1',
            peer_address: '',
            prefix_length: 30,
            address_family_id: 10,
            is_primary: true,
            sort_order: 0,
          },
        ],
      }),
    )
    kernel = watchKernel({
      stream: rig.client.stream,
      logger: makeLogger({ write: () => undefined }),
      listener: (events) => panel.bus.publish('host.changed', { events }),
    })
    await panel.monitor.start()
  })
  after(async () => {
    await kernel.close()
    await panel.close()
    await rig.close()
  })

  it('finds it Up, and the round trip as short as it is', async () => {
    await becomes('Up')
    const { stats, source, target } = await statusOf(operator, id)
    assert.deepEqual([source, target, stats.lost], ['10.5.0.1', '10.5.0.2', 0])
    assert.ok((stats.rtt_avg_ms ?? 1000) < 50)
  })

  it('finds it Degraded where its far end filters ICMP and refuses TCP', async () => {
    rig.far.filter('chain in { type filter hook input priority 0; icmp type echo-request drop; }')
    await eventually(() => /answers TCP but not ICMP \(port 22 refuses\)/.test(reason()))
    assert.equal(state(), 'Degraded')
    rig.far.filter()
    await becomes('Up')
  })

  it('finds it Down where its far end is dead to everything', async () => {
    // A TCP probe was a moment ago, of an outage before.
    rig.far.filter('chain in { type filter hook input priority 0; drop; }')
    await becomes('Down')
    assert.match(reason(), /100 % of the last \d+ probes to 10.5.0.2 are lost.*TCP: port 22 is silent/)
    rig.far.filter()
    await becomes('Up')
  })

  it('reports at once that its interface is gone, and follows when there is one again', async () => {
    rig.near.ip(`link del ${NAME}`)
    await becomes('Down')
    // Probes that are lost would be the reason where it was found out by them.
    assert.match(reason(), /^interface_missing/)
    link()
    await becomes('Up')
    const { events } = await statusOf(operator, id)
    assert.deepEqual(wayOf(events).slice(0, 2), ['Down to Up', 'Up to Down'])
  })

  it('finds it Down if the interface is taken down by hand', async () => {
    rig.near.ip(`link set ${NAME} down`)
    await becomes('Down')
    assert.match(reason(), /administratively down/)
    rig.near.ip(`link set ${NAME} up`)
    await becomes('Up')
  })
})

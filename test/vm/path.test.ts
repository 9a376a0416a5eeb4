// Paths through real GRE tunnels: what the shipped helper finds out when their far end is well, slow, cut off, or
// behind a smaller path.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MtuResult, PingPacket, WatchResult } from '@panel/shared/path/model.ts'
import { startLab, type Lab, type Server } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { Panel } from './panel/panel.ts'

const OUTER = { interface_name: '', source_address: '', target_address: '' }
const INNER = { interface_name: 'gre-p-1', source_address: '172.17.1.1', target_address: '172.17.1.2' }

describe('Paths through GRE', function () {
  let lab: Lab
  let a: Server
  let b: Server
  let panel: Panel

  before(async () => {
    lab = await startLab()
    await putPanel(lab)
    ;({ a, b } = await lab.twoServers())
    panel = new Panel(a)
    await panel.startHelper()
    await tunnel(a, b, '172.17.1.1', 4711)
    await tunnel(b, a, '172.17.1.2', 4711)
  })
  after(() => lab?.stop())

  const tunnel = (on: Server, to: Server, address: string, key: number) =>
    on.run(
      `ip link add gre-p-1 type gre local ${on.address} remote ${to.address} key ${key} ttl 64; ip link set gre-p-1 up mtu 1472; ip address add ${address}/30 dev gre-p-1`,
    )

  /** The items of a stream and its result. */
  async function stream<R>(method: string, params: object): Promise<{ items: unknown[]; result: R }> {
    const text = await a.run('socat', ['-t', '60', '-', `UNIX-CONNECT:${panel.socket}`], {
      stdin: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`,
    })
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { params?: { item: unknown }; result?: R })
    const result = lines.at(-1)?.result
    assert.ok(result !== undefined, text)
    return { items: lines.slice(0, -1).map(({ params: reported }) => reported?.item), result }
  }
  const ping = async (more: object = {}): Promise<PingPacket[]> =>
    (
      await stream('path.ping', {
        ...INNER,
        count: 5,
        interval_ms: 50,
        timeout_ms: 2000,
        packet_size: 56,
        is_dont_fragment: false,
        ...more,
      })
    ).items.flatMap((item) => (item as { packets: PingPacket[] }).packets)
  const mtu = async (ends: object): Promise<MtuResult> =>
    (await stream<MtuResult>('path.mtu', { ...ends, min: 1200, max: 1500, timeout_ms: 500 })).result

  it('are answered by the far end', async () => {
    assert.deepEqual(
      (await ping()).map(({ outcome, from_address }) => [outcome, from_address]),
      Array(5).fill(['reply', '172.17.1.2']),
    )
  })

  it('are as wide as the tunnel, whose own link refuses more', async () => {
    assert.equal((await mtu(INNER)).path_mtu, 1472)
    assert.equal((await mtu({ ...OUTER, target_address: b.address })).path_mtu, 1500)
  })

  it('are found as narrow as a black hole on the way makes them: 1400 outside, and 28 less inside', async () => {
    // A smaller MTU of the far card is not to the byte: veth takes four more, for a VLAN tag.
    await b.run(
      "nft 'add table ip hole; add chain ip hole in { type filter hook prerouting priority -300; }; add rule ip hole in ip length > 1400 drop'",
    )
    assert.equal((await mtu({ ...OUTER, target_address: b.address })).path_mtu, 1400)
    assert.equal((await mtu(INNER)).path_mtu, 1372)
    await b.run('nft delete table ip hole')
  })

  it('are watched while the far end is slow, has another key, and is well again, and while the tunnel goes and comes', async () => {
    const reader = a.spawn('socat', ['-', `UNIX-CONNECT:${panel.socket}`])
    const target = { target_id: 1, ...INNER, interval_ms: 200, timeout_ms: 400, packet_size: 56 }
    await reader.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'path.watch', params: { targets: [target] } })}\n`,
    )
    const results = (): WatchResult[] =>
      reader
        .text('stdout')
        .split('\n')
        .slice(0, -1)
        .flatMap((line) => (JSON.parse(line) as { params: { item: { results: WatchResult[] } } }).params.item.results)
    const comes = async (wanted: WatchResult['outcome'], detail = /./): Promise<void> => {
      const before = results().length
      for (
        let tries = 0;
        !results()
          .slice(before)
          .some((one) => one.outcome === wanted && (one.detail === '' || detail.test(one.detail)));
        tries += 1
      ) {
        assert.ok(tries < 600, `${wanted} does not come: ${JSON.stringify(results().slice(-3))}`)
        await sleep(50)
      }
    }
    await comes('reply')
    await b.run('tc qdisc add dev gre-p-1 root netem delay 700ms')
    await comes('timeout')
    await comes('late')
    await b.run('tc qdisc del dev gre-p-1 root; ip link del gre-p-1')
    await tunnel(b, a, '172.17.1.2', 4712)
    await comes('unreachable', /192\.0\.2\.2 says: port unreachable: no tunnel there takes its GRE packets/)
    await b.run('ip link del gre-p-1')
    await tunnel(b, a, '172.17.1.2', 4711)
    await comes('reply')
    await a.run('ip link del gre-p-1')
    await comes('not_sent', /gre-p-1: no such device/)
    await tunnel(a, b, '172.17.1.1', 4711)
    await comes('reply')
    reader.kill('TERM')
    await reader.exited
  })
})

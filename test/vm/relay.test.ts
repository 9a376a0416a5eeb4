// Relays on a machine of their own: client - relay - GRE tunnel - far server with real bytes, the tunnel down, and a
// power cut after which the helper is alone.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ForwardingChangeAnswer } from '@panel/shared/api/forwarding.ts'
import type { ChangeRouteAnswer, RouteHealthEvent, RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer, TunnelActionAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { eventually } from './eventually.ts'
import { openStream } from '../api/support/streams.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { FAR_END, farTunnel, layCables, NEAR_END, RELAY } from './panel/cables.ts'
import { ALL_BACK, EchoClient, spawnEcho } from './panel/echo.ts'
import { expect, ON_DISK, OPERATOR, Panel, wholeMachine, type Place } from './panel/panel.ts'

const SYSCTL_FILE = `${ON_DISK.sysctlDir}/99-tunnel-panel.conf`
const [PORT, BYTES] = [4443, 300_000]
const BOTH_PROTOCOLS = 30
const WAYS = ['tx_bytes', 'rx_bytes', 'tx_packets', 'rx_packets'] as const

/** Each takes over from the one before it, and the first from the last, with which all begins. */
const BACKENDS = ['iptables_nft', 'iptables_legacy', 'nftables'] as const
const LISTS: Record<(typeof BACKENDS)[number], string> = {
  iptables_nft: 'iptables-nft-save',
  iptables_legacy: 'iptables-legacy-save',
  nftables: 'nft list tables',
}
/** Debian's own way to load a firewall begins with a flush of all there is. */
const DISTURBANCE = 'systemctl reload nftables; nft list table inet filter; sleep 0.5; nft flush ruleset; sleep 0.5'
const ECHO = `const [, address, port] = process.argv
require('node:net').createServer((one) => one.on('error', () => one.destroy()).pipe(one)).listen(port, address)`
/**
 * Holds 100 connections and makes new ones, each with bytes there and back, and counts for twelve seconds what is lost.
 */
const FLOWS = `const [, address, port] = process.argv
const { connect } = require('node:net')
const count = { held: 0, lost: 0, fresh: 0, refused: 0 }
let isOver = false
const flows = Array.from({ length: 100 }, () => {
  const flow = { last: 0, socket: connect(port, address) }
  flow.socket.on('data', () => (flow.last = Date.now()))
  flow.socket.on('error', () => undefined)
  flow.socket.on('close', () => isOver || (count.lost += 1))
  return flow
})
const speaking = setInterval(() => flows.forEach(({ socket }) => socket.write('x')), 500)
const making = setInterval(() => {
  const fresh = connect(port, address, () => fresh.write('x'))
  fresh.on('data', () => { count.fresh += 1; fresh.destroy() })
  fresh.on('error', () => (count.refused += 1))
}, 200)
setTimeout(() => {
  isOver = true
  clearInterval(speaking)
  clearInterval(making)
  count.held = flows.filter(({ last }) => Date.now() - last < 2000).length
  console.log(JSON.stringify(count))
  process.exit()
}, 12_000)`
const CHANGES_BY_OTHERS = ['flush ruleset', 'flush table inet panel', 'delete table inet panel']

describe('A relay over a GRE tunnel', function () {
  let lab: Lab
  let panel: Panel<Place>
  let client: EchoClient
  let tunnel: CreateTunnelAnswer['tunnel']
  let rule: ChangeRouteAnswer['route']
  /** Before the power cut. */
  let table: string
  let total: RouteItem
  let atCut: Awaited<ReturnType<typeof kernelCounters>>

  const startWeb = (): Promise<void> => panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
  const item = async (): Promise<RouteItem> =>
    expect(await panel.operator.get<RouteItem>(`/routes/${rule.route_rule_id}`), 200)
  const health = async (): Promise<string[]> => ((one) => [one.state, one.detail])((await item()).health)
  const act = async (action: string): Promise<TunnelActionAnswer> =>
    expect(await panel.operator.post<TunnelActionAnswer>(`/tunnels/${tunnel.tunnel_id}/${action}`), 200)
  const forwarding = async (body: object): Promise<ForwardingChangeAnswer> =>
    expect(await panel.operator.post<ForwardingChangeAnswer>('/system/forwarding/enable', body), 200)
  const kernelCounters = async () => {
    const [counters] = (await panel.request('ruleset.counters', { route_rule_ids: [], from_id: 0 })).counters
    assert.ok(counters)
    return counters
  }
  const kernelCounts = async () => {
    const { tx_bytes, tx_packets, rx_bytes, rx_packets } = await kernelCounters()
    return { tx_bytes, tx_packets, rx_bytes, rx_packets }
  }
  /** The panel answers with the last of its samples, which may be from amid a connection. */
  const isSampled = async (counts: Awaited<ReturnType<typeof kernelCounts>>): Promise<boolean> =>
    ((now) => WAYS.every((way) => now[`${way}_since_boot`] === counts[way]))(await item())
  const isForwarding = async (): Promise<string> => (await lab.run('cat', ['/proc/sys/net/ipv4/ip_forward'])).trim()
  /** What the kernel holds, but for what the counters have counted. */
  const held = async (): Promise<string> =>
    (await lab.run('nft list table inet panel')).replace(/packets \d+ bytes \d+/g, '')

  /** Cables the servers, and has the far one send back whatever comes; a power cut takes both with it. */
  async function plugIn(): Promise<void> {
    await layCables(lab, { far: farTunnel('relayed', 'gre', 7, '172.17.1.2/30') })
    spawnEcho(lab, 'far', '172.17.1.2', 9000)
    await eventually(async () => (await lab.run('ip netns exec far ss -Hltun')).trim().split('\n').length === 2)
  }

  before(async () => {
    lab = await startLab()
    panel = new Panel(await wholeMachine(lab), ON_DISK)
    client = new EchoClient(lab, 'client', `${RELAY}:${PORT}`)
    await putPanel(lab)
    await panel.startHelper()
    await startWeb()
    await Promise.all([panel.setUp(), plugIn()])
  })
  after(() => lab?.stop())

  it('has forwarding turned on and back, live and in the file that boot reads', async () => {
    assert.equal(await isForwarding(), '0')
    assert.equal((await forwarding({})).forwarding.panel_managed, true)
    assert.deepEqual(
      [await isForwarding(), /^net\.ipv4\.ip_forward = 1$/m.test(await lab.read(SYSCTL_FILE))],
      ['1', true],
    )
    await forwarding({ revert: true })
    assert.deepEqual([await isForwarding(), (await lab.try('test', ['-e', SYSCTL_FILE])).code], ['0', 1])
  })

  it('carries TCP and UDP to the far server and back, byte for byte, and counts them', async () => {
    const ends = {
      local_endpoint: NEAR_END,
      remote_endpoint: FAR_END,
      ikey: 7,
      okey: 7,
      addresses: [{ address: '172.17.1.1', prefix_length: 30 }],
    }
    tunnel = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', ends), 201).tunnel
    const requests = {
      route_rule_title: 'To the far server',
      route_protocol_id: BOTH_PROTOCOLS,
      bind_address: RELAY,
      bind_port: PORT,
      destination_address: '172.17.1.2',
      destination_port: 9000,
      tunnel_id: tunnel.tunnel_id,
    }
    rule = expect(await panel.operator.post<ChangeRouteAnswer>('/routes', requests), 201).route
    assert.deepEqual(
      [await client.tcp(BYTES), await client.udp(), (await health())[0]],
      [ALL_BACK, ALL_BACK, 'healthy'],
    )
    await eventually(async () =>
      [(await item()).tx_bytes_since_boot, (await item()).rx_bytes_since_boot].every((bytes) => bytes > BYTES),
    )
  })

  it('is impaired while its tunnel is down, which the panel says by the name of the rule, and healthy when it is up', async () => {
    const { warnings } = await act('down')
    assert.match(
      warnings.find(({ code }) => code === 'TUNNEL_HAS_DEPENDENT_ROUTES')?.message ?? '',
      /To the far server/,
    )
    assert.deepEqual(await health(), [
      'impaired',
      `The tunnel ${tunnel.interface_name} that the rule relays over is down`,
    ])
    assert.match(await client.tcp(BYTES, 3), /^0 of/)
    await act('up')
    assert.deepEqual(
      [(await health())[0], await client.tcp(BYTES), await client.udp()],
      ['healthy', ALL_BACK, ALL_BACK],
    )
  })

  it('is forwarded for at boot, before anything of the panel runs', async () => {
    await eventually(async () => isSampled(await kernelCounts()))
    total = await item()
    table = await held()
    // The web daemon writes its sums when it is stopped; the helper is cut off where it stands.
    panel.web.kill('TERM')
    await panel.web.exited
    atCut = await kernelCounters()
    await lab.reset()
    assert.equal((await lab.try('pgrep', ['-f', '/opt/panel/'])).code, 1)
    assert.equal(await isForwarding(), '1')
    assert.equal((await lab.try('nft list table inet panel')).code, 1)
  })

  it('is back with the helper alone, which says so, and relays before there is a web daemon', async () => {
    await panel.startHelper()
    assert.match(
      panel.helper.text('stderr'),
      /"message":"The relay rules last accepted are back in the kernel","rules":1/,
    )
    assert.equal(await held(), table)
    await plugIn()
    assert.deepEqual([await client.tcp(BYTES), await client.udp()], [ALL_BACK, ALL_BACK])
    assert.equal((await lab.try('pgrep', ['-f', 'web.cjs'])).code, 1)
  })

  it('keeps its totals over it: what the panel has summed up goes on, while the kernel counts from nothing', async () => {
    await startWeb()
    expect(await panel.operator.post('/auth/login', OPERATOR), 200)
    assert.equal((await health())[0], 'healthy')
    const now = await item()
    assert.ok(
      now.tx_bytes_since_boot > BYTES && now.tx_bytes_since_boot < total.tx_bytes_since_boot,
      `${now.tx_bytes_since_boot}`,
    )
    // What was seen before is still there, and nothing is there twice: a late packet may have come between the last
    // look and the cut.
    for (const way of WAYS) {
      const kept = now[`${way}_since_creation`] - now[`${way}_since_boot`]
      assert.ok(
        total[`${way}_since_creation`] <= kept && kept <= atCut[way],
        `${way}: ${total[`${way}_since_creation`]} <= ${kept} <= ${atCut[way]}`,
      )
    }
  })

  for (const [at, backend] of BACKENDS.entries()) {
    it(`is carried out by ${backend} on request: it relays, counts to the byte, and of ${BACKENDS.at(at - 1)} nothing is left`, async () => {
      const before = await item()
      await panel.replaceHelper({ env: { PANEL_RULE_BACKEND: backend } })
      await eventually(async () => (await health())[0] === 'healthy')
      for (const [other, list] of Object.entries(LISTS))
        assert.equal(/PANEL|inet panel/.test(await lab.run(list)), other === backend, other)
      await client.countAnew(PORT)
      assert.equal(await client.tcp(BYTES), ALL_BACK)
      // The client's kernel sees the last packets of a connection when its program has ended.
      await eventually(async () => isDeepStrictEqual(await kernelCounts(), await client.counts()))
      const reported = await client.counts()
      assert.ok(reported.tx_bytes > BYTES && reported.rx_bytes > BYTES)
      await eventually(() => isSampled(reported))
      const now = await item()
      for (const way of WAYS)
        assert.deepEqual(
          [now[`${way}_since_boot`], now[`${way}_since_creation`] - before[`${way}_since_creation`]],
          [reported[way], reported[way]],
          way,
        )
    })
  }

  it('loses none of 100 connections, and no new one, to reloads of nftables and flushes again and again', async () => {
    lab.spawn('ip', ['netns', 'exec', 'far', 'node', '-e', ECHO, '172.17.1.2', '9001'])
    await eventually(async () => (await lab.run('ip netns exec far ss -Hltn sport = 9001')).trim() !== '')
    const made = await panel.operator.post<ChangeRouteAnswer>('/routes', {
      bind_address: RELAY,
      bind_port: 4444,
      destination_address: '172.17.1.2',
      destination_port: 9001,
    })
    const flows = lab.run('ip', ['netns', 'exec', 'client', 'node', '-e', FLOWS, RELAY, '4444'])
    await sleep(2000)
    const loaded = await lab.run(`systemctl start nftables; for turn in 1 2 3; do ${DISTURBANCE}; done`)
    assert.equal(loaded.split('table inet filter').length, 4)
    await lab.run('systemctl stop nftables')
    const { held, lost, fresh, refused } = JSON.parse(await flows) as Record<string, number>
    assert.deepEqual({ held, lost, refused }, { held: 100, lost: 0, refused: 0 })
    assert.ok((fresh ?? 0) >= 10, `${fresh} new ones`)
    expect(await panel.operator.delete(`/routes/${expect(made, 201).route.route_rule_id}`), 200)
  })

  it('is nobody else’s to flush or delete, unless the setting says so', async () => {
    const before = await held()
    await lab.run('nft flush ruleset')
    assert.equal(await held(), before)
    assert.match((await lab.try('nft delete table inet panel')).stderr, /Operation not permitted/)
    expect(await panel.operator.put('/settings', { 'system.ruleset_protection': 'off' }), 200)
    await eventually(async () => (await lab.try('nft add chain inet panel theirs')).code === 0)
    await lab.run('nft delete chain inet panel theirs')
  })

  it('is reported as failed where another program flushes or deletes what holds it, and a reapply puts it right', async () => {
    const { events, leave } = await openStream(panel.operator, '/monitor/stream')
    for (const what of CHANGES_BY_OTHERS) {
      const received = events().length
      const reported = (to: string): Promise<void> =>
        eventually(async () =>
          events()
            .slice(received)
            .some(({ name, data }) => name === 'route' && (data as RouteHealthEvent).to === to),
        )
      await lab.run(`nft ${what}`)
      await reported('failed')
      assert.equal((await health())[0], 'failed')
      expect(await panel.operator.post(`/routes/${rule.route_rule_id}/reapply`), 200)
      await reported('healthy')
    }
    leave()
  })
})

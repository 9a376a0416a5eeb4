// The fast path over real GRE: established flows go past the chains, and the totals are what both ends have had, to the
// byte, whatever is changed, restarted and killed meanwhile.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeRouteAnswer, RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { CapabilitiesAnswer } from '@panel/shared/api/system.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { readRuleset } from '@panel/shared/ruleset/nft/read.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import fc from 'fast-check'
import { HELPER_FLAGS } from '../../packaging/run/node-flags.ts'
import { fastRelayRules } from '../support/random-rules.ts'
import { eventually } from './eventually.ts'
import { startLab, type Lab, type Running } from './lab/index.ts'
import { PANEL, putPanel } from './panel/bundles.ts'
import { RELAY } from './panel/cables.ts'
import { arrivedAt, layExactCables, countArrivals, ENDS, FAR_INSIDE, serveFar } from './panel/far-end.ts'
import { expect, ON_DISK, Panel, wholeMachine, type Place } from './panel/panel.ts'

const PORT = 4443
const BOTH_PROTOCOLS = 30

/** Flows that last, flows that end at once, in both protocols, until its input ends. */
const CLIENT = `const [, , address, port] = process.argv
const { connect } = require('node:net')
const { createSocket } = require('node:dgram')
const open = () => {
  const flow = connect(port, address)
  flow.on('data', () => undefined)
  flow.on('error', () => undefined)
  return flow
}
const lasting = Array.from({ length: 6 }, open)
const talking = setInterval(() => lasting.forEach((one, at) => {
  if (one.destroyed) lasting[at] = open()
  else if (one.writable && one.writableLength < 20_000) one.write(Buffer.alloc(3000))
}), 100)
const passing = setInterval(() => {
  const one = open()
  one.setTimeout(5000, () => one.destroy())
  one.on('connect', () => one.write(Buffer.alloc(2000)))
  let had = 0
  one.on('data', (bytes) => { if ((had += bytes.length) === 2000) one.end() })
}, 150)
const sockets = Array.from({ length: 4 }, () => createSocket('udp4').on('error', () => undefined))
const datagrams = setInterval(() => sockets.forEach((one) => one.send(Buffer.alloc(300), port, address, () => undefined)), 50)
process.stdin.resume()
process.stdin.on('end', () => {
  for (const timer of [talking, passing, datagrams]) clearInterval(timer)
  setTimeout(() => process.exit(), 3000)
})
console.log('talking')`

describe('A relay on the fast path', function () {
  let lab: Lab
  let panel: Panel<Place>
  let tunnel: CreateTunnelAnswer['tunnel']
  let rule: ChangeRouteAnswer['route']
  let traffic: Running

  /** Starts the helper like the package's unit: what it gives to systemd outlives it. */
  async function startHelper(): Promise<void> {
    const environment = {
      PANEL_HELPER_SOCKET: panel.socket,
      PANEL_HELPER_GROUP: '61184',
      PANEL_UNIT_DIR: panel.unitDir,
      PANEL_NETWORKD_DIR: panel.networkdDir,
      PANEL_SYSCTL_DIR: panel.sysctlDir,
      PANEL_HELPER_STATE_DIR: `${panel.folder}/state`,
    }
    await lab.run('systemd-run', [
      '--unit=helper',
      '--quiet',
      ...['Type=notify', 'Restart=always', 'RestartSec=0', 'FileDescriptorStoreMax=4', 'StartLimitIntervalSec=0'].map(
        (property) => `--property=${property}`,
      ),
      ...Object.entries(environment).map(([name, value]) => `--setenv=${name}=${value}`),
      '/usr/bin/node',
      ...HELPER_FLAGS,
      `${PANEL}/helper.cjs`,
    ])
  }

  const item = async (): Promise<RouteItem> =>
    expect(await panel.operator.get<RouteItem>(`/routes/${rule.route_rule_id}`), 200)
  /** Again while the helper is away. */
  async function insist(change: () => Promise<{ readonly status: number }>): Promise<void> {
    await eventually(async () => (await change()).status < 400, 'the panel takes the change')
  }
  const patch = (body: object): Promise<void> =>
    insist(() => panel.operator.patch(`/routes/${rule.route_rule_id}`, body))
  const act = (action: string): Promise<void> =>
    insist(() => panel.operator.post(`/tunnels/${tunnel.tunnel_id}/${action}`))
  const kill = (): Promise<string> => lab.run('systemctl', ['kill', '--signal=KILL', 'helper'])
  const offloaded = async (): Promise<number> =>
    (await lab.run('conntrack -L 2>/dev/null')).split('\n').filter((line) => line.includes('[OFFLOAD]')).length
  const hadByBoth = async () => {
    const [[tx_bytes], [rx_bytes]] = [await arrivedAt(lab, 'far'), await arrivedAt(lab, 'client')]
    return { tx_bytes, rx_bytes }
  }
  const totals = async () => {
    const { tx_bytes_since_creation: tx_bytes, rx_bytes_since_creation: rx_bytes } = await item()
    return { tx_bytes, rx_bytes }
  }

  async function talk(): Promise<void> {
    await lab.write('/tmp/client.cjs', CLIENT)
    traffic = lab.spawn('ip', ['netns', 'exec', 'client', 'node', '/tmp/client.cjs', RELAY, `${PORT}`])
    await traffic.says(/talking/)
  }

  /** What is on its way arrives, and the panel's next look is of all of it. */
  async function settled(): Promise<void> {
    traffic.endStdin()
    await traffic.exited
    await eventually(async () => {
      const [had, counted] = [await hadByBoth(), await totals()]
      return had.tx_bytes === counted.tx_bytes && had.rx_bytes === counted.rx_bytes
    }, 'both ends have what the panel counts')
  }

  before(async () => {
    lab = await startLab()
    panel = new Panel(await wholeMachine(lab), ON_DISK)
    await putPanel(lab)
    await layExactCables(lab)
    serveFar(lab)
    await startHelper()
    await panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    await panel.setUp()
    tunnel = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', ENDS), 201).tunnel
    const wanted = {
      route_rule_title: 'To the far server',
      route_protocol_id: BOTH_PROTOCOLS,
      bind_address: RELAY,
      bind_port: PORT,
      destination_address: FAR_INSIDE,
      destination_port: 9000,
      is_fast_path: true,
    }
    rule = expect(await panel.operator.post<ChangeRouteAnswer>('/routes', wanted), 201).route
    await countArrivals(lab)
  })
  after(() => lab?.stop())

  it('is offered where the kernel has it, and the rule says that it is on it', async () => {
    const { rule_backend } = expect(await panel.operator.get<CapabilitiesAnswer>('/system/capabilities'), 200)
    assert.equal(rule_backend.fast_path.is_able, true)
    assert.equal((await item()).health.fast_path.is_active, true)
  })

  it('is read back as it was written, whatever the rules', async () => {
    await lab.run('ip netns add law')
    const nft = (...words: string[]): string[] => ['netns', 'exec', 'law', 'nft', ...words]
    await fc.assert(
      fc.asyncProperty(fastRelayRules, async (rules) => {
        const stdin = `add table inet panel\ndelete table inet panel\n${rulesetText(null, rules)}`
        await lab.run('ip', nft('-f', '-'), { stdin })
        const { damaged, unmanaged, ...read } = readRuleset(await lab.run('ip', nft('-j', 'list table inet panel')))
        assert.deepEqual({ rules: read.rules, damaged, unmanaged }, { rules, damaged: [], unmanaged: [] })
      }),
      { numRuns: 12 },
    )
  })

  it('carries its established flows past the chains, and counts what both ends have to the byte', async () => {
    await talk()
    await sleep(3000)
    assert.ok((await offloaded()) >= 8)
    await sleep(3000)
    await settled()
    assert.deepEqual(await totals(), await hadByBoth())
  })

  it('goes on counting to the byte while rules change, tunnels restart or go, and the helper is killed', async () => {
    await talk()
    for (let round = 0; round < 2; round += 1) {
      for (const destination_port of [9001, 9000]) await patch({ destination_port })
      await patch({ is_fast_path: false })
      await kill()
      await patch({ is_fast_path: true })
      await act('down')
      await sleep(500)
      await act('up')
      await kill()
      await lab.run('ip', ['link', 'delete', tunnel.interface_name])
      await act('reapply')
      await sleep(1000)
      await kill()
      await sleep(1500)
    }
    assert.ok((await offloaded()) > 0)
    assert.match(await lab.run('nft list flowtables'), new RegExp(`\\b${tunnel.interface_name}\\b`))
    await settled()
    assert.deepEqual(await totals(), await hadByBoth())
    assert.deepEqual((await panel.request('ruleset.counters', { route_rule_ids: [], from_id: 0 })).fast?.detail, '')
  })
})

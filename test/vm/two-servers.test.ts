// The whole path once, on a kernel that really has GRE: two servers, each with its own helper and web daemon, and an
// operator with HTTP.
import assert from 'node:assert/strict'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, Panel } from './panel/panel.ts'
import { tunnelRequest } from '../support/records.ts'

interface Tunnel {
  tunnel_id: number
  interface_name: string
  ikey: number
  observed: { exists: boolean; oper_state: string }
}
interface Check {
  name: string
  expected: string
}
interface Plan {
  steps: { kind: string }[]
  files: { path: string; content: string }[]
  verification: Check[]
}
interface Created {
  tunnel: Tunnel
  plan: Plan
  verification: { ok: boolean; checks: Check[] }
}
interface Preview {
  plan: Plan
  resolved: Record<string, unknown>
}

describe('Two servers with a panel each', function () {
  let lab: Lab
  let a: Panel
  let b: Panel
  let onA: Tunnel
  let onB: Tunnel

  before(async () => {
    lab = await startLab()
    const servers = await lab.twoServers()
    await putPanel(lab)
    ;[a, b] = await Promise.all([new Panel(servers.a).start(), new Panel(servers.b).start()])
  })
  after(() => lab?.stop())

  it('run the web daemon as an unprivileged user without any capability', async () => {
    const status = await lab.run("cat /proc/$(pgrep -f '^node .*/opt/panel/web.cjs' | head -1)/status")
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      assert.match(status, new RegExp(`${set}:\\s+0000000000000000`))
    assert.match(status, /Uid:\s+61184\s+61184/)
    assert.match(status, /NoNewPrivs:\s+1/)
  })

  it('are set up over HTTP and say what they can do', async () => {
    for (const panel of [a, b]) {
      await panel.setUp()
      const { tunnel_types } = expect(
        await panel.operator.get<{ tunnel_types: { supported: boolean }[] }>('/system/capabilities'),
        200,
      )
      assert.deepEqual(
        tunnel_types.map((type) => type.supported),
        [true, true, true, true],
      )
    }
  })

  it('make a tunnel on A, mirrored on B, and a ping crosses it', async () => {
    const toB = expect(
      await a.operator.post<Created>(
        '/tunnels',
        tunnelRequest({
          local_endpoint: a.server.address,
          remote_endpoint: b.server.address,
        }),
      ),
      201,
    )
    onA = toB.tunnel
    assert.equal(toB.verification.ok, true)
    const mirrored = {
      local_endpoint: b.server.address,
      remote_endpoint: a.server.address,
      tunnel_side_id: 20,
      ikey: onA.ikey,
      okey: onA.ikey,
    }
    const toA = expect(await b.operator.post<Created>('/tunnels', mirrored), 201)
    onB = toA.tunnel
    assert.deepEqual([onA.interface_name, onB.interface_name], ['gre-a-1', 'gre-b-1'])
    await a.server.run('ping', ['-c', '3', '-i', '0.2', '-W', '5', '-I', 'gre-a-1', '172.17.1.2'])
    const counted = await b.server.run('ip', ['-s', '-j', 'link', 'show', 'gre-b-1'])
    const [{ stats64 }] = JSON.parse(counted) as [{ stats64: { rx: { packets: number } } }]
    assert.ok(stats64.rx.packets >= 3, 'the pings came through the tunnel')
  })

  it('show the tunnel as it is: it exists, and a healthy GRE link reports UNKNOWN', async () => {
    for (const panel of [a, b]) {
      const { tunnels } = expect(await panel.operator.get<{ tunnels: Tunnel[] }>('/tunnels'), 200)
      assert.deepEqual(
        tunnels.map(({ observed }) => [observed.exists, observed.oper_state]),
        [[true, 'UNKNOWN']],
      )
    }
  })

  it('keep the tunnel in a unit that makes the very same link at boot', async () => {
    const before = await a.picture()
    const unit = `tunnel-panel-link-${onA.interface_name}.service`
    const commands = (await a.server.run('cat', [`${a.unitDir}/${unit}`]))
      .split('\n')
      .flatMap((line) => /^ExecStart=(.*)/.exec(line)?.[1] ?? [])
    assert.equal(commands.length, 2)
    await a.server.run('ip', ['link', 'delete', onA.interface_name])
    for (const command of commands) await a.server.run(command)
    assert.equal(await a.picture(), before)
    await a.server.run('ping', ['-c', '1', '-W', '5', '172.17.1.2'])
  })

  it('preview without running a command or changing anything, and creating then does just what was shown', async () => {
    const before = await a.picture()
    const body = { local_endpoint: a.server.address, remote_endpoint: '192.0.2.200' }
    let shown!: Preview
    // Queried once after each change of nftables, so that the panel's own clock has no reason to start nft later.
    await a.request('ruleset.counters', { route_rule_ids: [], from_id: 0 })
    assert.deepEqual(
      await a.startedWhile(
        lab,
        async () => void (shown = expect(await a.operator.post<Preview>('/tunnels/preview', body), 200)),
      ),
      [],
    )
    assert.notDeepEqual(
      await a.startedWhile(lab, () => a.operator.get('/system/capabilities')),
      [],
      'the tracer sees what is started',
    )
    assert.equal(await a.picture(), before)
    const { plan, verification, tunnel } = expect(await a.operator.post<Created>('/tunnels', shown.resolved), 201)
    assert.deepEqual([plan.steps, plan.files], [shown.plan.steps, shown.plan.files])
    assert.deepEqual(
      verification.checks.map(({ name, expected }) => [name, expected]),
      shown.plan.verification.map(({ name, expected }) => [name, expected]),
    )
    for (const { path, content } of plan.files) assert.equal(await a.server.run('cat', [path]), content)
    expect(await a.operator.delete(`/tunnels/${tunnel.tunnel_id}`), 200)
    assert.equal(await a.picture(), before)
  })

  it('delete it from the kernel: GET is then 404, and a repeated DELETE is 200 with interface_found false', async () => {
    const path = `/tunnels/${onA.tunnel_id}`
    const report = expect(await a.operator.delete<{ interface_found: boolean }>(path), 200)
    assert.equal(report.interface_found, true)
    assert.notEqual((await a.server.try('ip', ['link', 'show', onA.interface_name])).code, 0)
    assert.equal((await a.operator.get(path)).status, 404)
    assert.equal(expect(await a.operator.delete<{ interface_found: boolean }>(path), 200).interface_found, false)
    assert.equal(await a.server.run(`find ${a.unitDir} -type f -o -type l`), '')
  })

  it('make and delete all four kinds of link, with every attribute that the panel takes', async () => {
    const kinds = [
      {
        tunnel_type_id: 10,
        tos: '0x10',
        ttl: 64,
        is_path_mtu_discovery: true,
        has_output_checksum: true,
        has_input_checksum: true,
        fwmark: 7,
        bind_device: 'eth0',
      },
      {
        tunnel_type_id: 20,
        is_ignore_df: true,
        has_output_sequence: true,
        has_input_sequence: true,
        ikey: null,
        okey: null,
      },
      { tunnel_type_id: 30, encap_limit: 4, flow_label: 48879, hop_limit: 33, traffic_class: '0x20' },
      { tunnel_type_id: 40, tos: 'inherit', ikey: 1, okey: 2, tx_queue_length: 250, mtu: 1300 },
    ]
    for (const kind of kinds) {
      const overIpv6 = kind.tunnel_type_id >= 30
      const before = await a.picture()
      const ends = overIpv6
        ? { local_endpoint: a.server.address6, remote_endpoint: b.server.address6 }
        : { local_endpoint: a.server.address, remote_endpoint: b.server.address }
      const { tunnel, verification } = expect(
        await a.operator.post<Created>('/tunnels', tunnelRequest({ ...ends, ...kind })),
        201,
      )
      assert.equal(verification.ok, true, JSON.stringify(kind))
      expect(await a.operator.delete(`/tunnels/${tunnel.tunnel_id}`), 200)
      assert.equal(await a.picture(), before, JSON.stringify(kind))
    }
  })
})

// The analysis of a real GRE tunnel: each of its verdicts provoked, and what it says to do is what helps (decisions.md,
// D5, D7).
import assert from 'node:assert/strict'
import type {
  AnalyzeTunnelAnswer,
  MtuProbeAnswer,
  TunnelAnalysis,
  TunnelVerdict,
} from '@panel/shared/api/diagnostics.ts'
import { startLab, type Lab, type Server } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, Panel } from './panel/panel.ts'
import { tunnelRequest } from '../support/records.ts'

interface Made {
  tunnel: {
    tunnel_id: number
    interface_name: string
    mtu: number
    ikey: number
    addresses: { address: string; peer_address: string }[]
  }
}

describe('The analysis of a tunnel', function () {
  let lab: Lab
  let panel: Panel
  let near: Server
  let far: Server
  let tunnel: Made['tunnel']
  let own: string
  let peer: string

  before(async () => {
    lab = await startLab()
    const servers = await lab.twoServers()
    ;[near, far] = [servers.a, servers.b]
    await putPanel(lab)
    panel = await new Panel(near).start()
    await panel.setUp()
    // The far end is taken away and recreated, and nobody else is to answer meanwhile.
    expect(await panel.operator.put('/settings', { 'monitor.enabled': false }), 200)
    ;({ tunnel } = expect(
      await panel.operator.post<Made>(
        '/tunnels',
        tunnelRequest({ local_endpoint: near.address, remote_endpoint: far.address }),
      ),
      201,
    ))
    ;({ address: own = '', peer_address: peer = '' } = tunnel.addresses[0] ?? {})
    await answer()
  })
  after(() => lab?.stop())
  afterEach(async () => {
    for (const server of [near, far]) await server.try('nft', ['delete', 'table', 'inet', 'lab'])
  })

  /**
   * The other end, as it is to be or with something wrong. Without IPv6, which would send a packet or two by itself
   * that an analysis hears.
   */
  const answer = async ({
    key = tunnel.ikey,
    remote = near.address,
    address = peer,
    to = own,
    numbered = false,
    ...more
  }: Partial<
    Record<'key' | 'okey', number> & Record<'remote' | 'address' | 'to', string> & { numbered: boolean }
  > = {}): Promise<void> => {
    await far.try('ip', ['link', 'del', 'far'])
    await far.run('ip', ['-batch', '-'], {
      stdin: `link add far type gre local ${far.address} remote ${remote} ikey ${key} okey ${more.okey ?? key}${numbered ? ' seq' : ''} ttl 255\nlink set far addrgenmode none\naddr add ${address} peer ${to} dev far\nlink set far up\n`,
    })
  }
  const filter = (on: Server, chain: string): Promise<string> =>
    on.run('nft', ['-f', '-'], {
      stdin: `table inet lab\ndelete table inet lab\ntable inet lab {\nchain c {\n${chain}\n}\n}\n`,
    })
  const letAll = (on: Server): Promise<string> => on.run('nft', ['delete', 'table', 'inet', 'lab'])

  const analyze = async (): Promise<TunnelAnalysis> =>
    expect(
      await panel.operator.post<AnalyzeTunnelAnswer>(`/tunnels/${tunnel.tunnel_id}/diagnostics/analyze`, {
        sample_seconds: 0.5,
      }),
      200,
    ).result
  const finds = async (
    verdict: TunnelVerdict,
    firstFix: RegExp,
    confidence: TunnelAnalysis['confidence'] = 'high',
  ): Promise<TunnelAnalysis> => {
    const found = await analyze()
    assert.deepEqual(
      [found.verdict, found.confidence],
      [verdict, confidence],
      JSON.stringify(
        found.evidence.map(({ name, detail }) => `${name}: ${detail}`),
        null,
        1,
      ),
    )
    assert.equal(found.evidence.length, 7)
    assert.match(found.suggested_fix[0] ?? '', firstFix)
    return found
  }
  const findsHealthy = async (): Promise<void> => {
    const { verdict, confidence, suggested_fix, evidence } = await analyze()
    assert.deepEqual(
      [verdict, confidence, suggested_fix],
      ['HEALTHY', 'high', []],
      JSON.stringify(evidence.map(({ detail }) => detail)),
    )
  }

  it('is HEALTHY where the other end answers', findsHealthy)

  it('is KEY_OR_ADDRESSING_MISMATCH where one end has another key, and names the own one', async () => {
    await answer({ key: tunnel.ikey === 1 ? 2 : 1 })
    const { summary } = await finds('KEY_OR_ADDRESSING_MISMATCH', new RegExp(`Compare the keys.*\\(${tunnel.ikey}\\)`))
    assert.match(summary, /192\.0\.2\.2 says: port unreachable: no tunnel there takes its GRE packets/)
  })

  it('is KEY_OR_ADDRESSING_MISMATCH, less surely, where one end sends with another key than it takes', async () => {
    await answer({ okey: tunnel.ikey === 1 ? 2 : 1 })
    const { summary } = await finds('KEY_OR_ADDRESSING_MISMATCH', /Compare the keys/, 'low')
    assert.match(summary, /this server refused \d+ packets/)
  })

  it('is KEY_OR_ADDRESSING_MISMATCH if the other server has its tunnel to a third one', async () => {
    await answer({ remote: '192.0.2.9' })
    const { suggested_fix } = await finds('KEY_OR_ADDRESSING_MISMATCH', /Compare the keys/)
    assert.match(suggested_fix[1] ?? '', /a tunnel from 192\.0\.2\.2 to 192\.0\.2\.1/)
  })

  it('is KEY_OR_ADDRESSING_MISMATCH, less surely, where the other end has other addresses and sends from them', async () => {
    await answer({ address: '172.31.99.2', to: '172.31.99.1' })
    const pinging = far.spawn('ping', ['-q', '-i', '0.1', '172.31.99.1'])
    await finds(
      'KEY_OR_ADDRESSING_MISMATCH',
      new RegExp(`${peer.replaceAll('.', '\\.')} is to be an address of the tunnel on the other server`),
      'low',
    )
    pinging.kill('KILL')
    await pinging.exited
    await answer()
  })

  it('is KEY_OR_ADDRESSING_MISMATCH after a restart of the other end of a tunnel with sequence numbers, which it names, until the count has passed or no end demands them', async () => {
    const numbered = (isOn: boolean) =>
      panel.operator.patch(`/tunnels/${tunnel.tunnel_id}`, {
        has_input_sequence: isOn,
        has_output_sequence: isOn,
        // The number takes four bytes.
        mtu: isOn ? tunnel.mtu - 4 : tunnel.mtu,
        confirm_recreate: true,
      })
    const sends = (count: number) => far.try('ping', ['-q', '-c', `${count}`, '-i', '0.01', '-W', '1', own])
    expect(await numbered(true), 200)
    await answer({ numbered: true })
    await sends(50)
    await findsHealthy()
    // Another link counts from 0 again.
    await answer({ numbered: true })
    const { suggested_fix } = await finds(
      'KEY_OR_ADDRESSING_MISMATCH',
      /^If the other end has restarted, .*sequence numbers/,
    )
    assert.match(suggested_fix[0] ?? '', / [4-9] packets were refused, as those are that count from 0 again/)
    await sends(60)
    await findsHealthy()
    await answer({ numbered: true })
    await finds('KEY_OR_ADDRESSING_MISMATCH', /turn sequence numbers off at both ends/)
    expect(await numbered(false), 200)
    await answer()
    await findsHealthy()
  })

  it('is NO_RETURN_TRAFFIC where GRE is dropped on its way in to the other server', async () => {
    await filter(far, 'type filter hook prerouting priority -300; meta l4proto gre drop')
    const { suggested_fix } = await finds('NO_RETURN_TRAFFIC', /the other server has a tunnel to this one/)
    assert.match(suggested_fix[1] ?? '', /no firewall.*192\.0\.2\.2.*drops GRE/)
    await letAll(far)
  })

  for (const [says, chain] of [
    ['a rule drops GRE that comes', 'type filter hook input priority 0; meta l4proto gre drop'],
    [
      'a policy drops what no rule lets in',
      'type filter hook input priority 0; policy drop; iifname lo accept; meta l4proto icmp accept',
    ],
    ['a rule drops GRE that goes', 'type filter hook output priority 0; meta l4proto gre drop'],
  ] as const) {
    it(`is LOCAL_FIREWALL_BLOCK where ${says}, and HEALTHY once what it suggests is done`, async () => {
      await filter(near, chain)
      const { suggested_fix } = await finds('LOCAL_FIREWALL_BLOCK', /Let GRE through: nft insert rule inet lab c /)
      await near.run(/nft insert rule .* accept/.exec(suggested_fix[0] ?? '')?.[0] ?? 'false')
      await findsHealthy()
      await letAll(near)
    })
  }

  it('is UNDERLAY_UNREACHABLE where the other server is down', async () => {
    await far.run('ip', ['link', 'set', 'eth0', 'down'])
    const { verdict, suggested_fix, evidence } = await analyze()
    assert.equal(verdict, 'UNDERLAY_UNREACHABLE', JSON.stringify(evidence.map(({ detail }) => detail)))
    assert.ok(suggested_fix.some((fix) => /192\.0\.2\.2 is up and can be reached.*traceroute/.test(fix)))
    await far.run('ip', ['link', 'set', 'eth0', 'up'])
  })

  it('is MTU_PROBLEM behind a black hole of 1400, which the probe that it suggests finds; the request that comes with it lets a stalled transfer through', async () => {
    // A smaller MTU of the far card is not to the byte: veth takes four more, for a VLAN tag.
    await filter(far, 'type filter hook prerouting priority -300; meta protocol ip ip length > 1400 drop')
    // The filter is to see packets as they go over a wire, and not bundles of them.
    await near.run('ip', ['link', 'set', tunnel.interface_name, 'gso_max_segs', '1'])
    await finds('MTU_PROBLEM', /MTU probe/)
    const receiver = far.spawn('sh', ['-c', 'echo listening; socat -u TCP-LISTEN:9000 - | wc -c'])
    await receiver.says(/listening/)
    const sender = near.spawn('sh', [
      '-c',
      `head -c 200000 /dev/zero | socat -u - TCP:${peer}:9000,retry=20,interval=0.1`,
    ])
    for (let tries = 0; !/backoff:[2-9]/.test(await near.run('ss', ['-tin', 'dst', peer])); tries += 1)
      assert.ok(tries < 200, 'the transfer stalls')
    const { result, apply } = expect(
      await panel.operator.post<MtuProbeAnswer>(`/tunnels/${tunnel.tunnel_id}/diagnostics/mtu-probe`, {
        timeout_seconds: 0.3,
      }),
      200,
    )
    assert.deepEqual(
      [result.discovered_path_mtu, result.recommended_tunnel_mtu, apply],
      [1400, 1372, { method: 'PATCH', path: `/tunnels/${tunnel.tunnel_id}`, body: { mtu: 1372 } }],
    )
    assert.equal(receiver.text('stdout').trim(), 'listening')
    expect(await panel.operator.api(apply?.method ?? '', apply?.path ?? '', apply?.body), 200)
    await receiver.exited
    await sender.exited
    assert.equal(receiver.text('stdout').trim(), 'listening\n200000')
    await findsHealthy()
    await letAll(far)
  })

  it('is INTERFACE_DOWN if the interface was taken down by hand, and INTERFACE_MISSING if it is gone; a reapply, as it says, makes it HEALTHY', async () => {
    const reapply = async (): Promise<void> =>
      void expect(await panel.operator.post(`/tunnels/${tunnel.tunnel_id}/reapply`), 200)
    await near.run('ip', ['link', 'set', tunnel.interface_name, 'down'])
    await finds('INTERFACE_DOWN', /Reapply the tunnel/)
    await reapply()
    await near.run('ip', ['link', 'del', tunnel.interface_name])
    await finds('INTERFACE_MISSING', /Reapply the tunnel/)
    await reapply()
    await findsHealthy()
  })
})

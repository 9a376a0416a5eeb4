// The panel in the middle of a relay: what its analysis, its reachability test and the log say of what packets really
// meet.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectionsAnswer } from '@panel/shared/api/routes/connections.ts'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import type { RouteReachability } from '@panel/shared/api/routes/reachability.ts'
import type { ChangeRouteAnswer, ListRoutesAnswer, RouteItem } from '@panel/shared/api/routes/answers.ts'
import { kernelLog } from './kernel-log.ts'
import type { Place } from './relay-peer.ts'
import { CLIENT, RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const tcp = (port: number): Place => ({ protocol: 'tcp', address: RELAY, port })
const UDP = 20

describe('What the panel in the middle of a relay finds', function () {
  const rig = new RelayRig({}, { canFail: true })
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    panel = rig.panel()
    await Promise.all(
      [
        [ONE, 'tcp', 80],
        [TWO, 'tcp', 80],
        [ONE, 'udp', 90],
      ].map(([address, protocol, port]) => rig.servers.calls.listen({ protocol, address, port } as Place)),
    )
  })
  after(() => rig.close())
  // Whatever a test leaves that fails is not the next one's matter.
  afterEach(async () => {
    rig.tools.mend()
    await rig.client.calls.release()
    for (const line of ['rule del iif near0 blackhole', `route del ${CLIENT}/32`])
      rig.relay.run('sh', ['-c', `ip ${line} 2>/dev/null || true`])
    rig.relay.run('sysctl', ['-qw', 'net.ipv4.conf.near0.rp_filter=0'])
    await gone(...(await api<ListRoutesAnswer>('GET', '/routes')).routes.map(({ route }) => route.route_rule_id))
  })

  async function api<B>(method: string, path: string, body?: unknown, expected = [200, 201]): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok(expected.includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const made = async (bind_port: number, fields: object = {}): Promise<number> =>
    (
      await api<ChangeRouteAnswer>('POST', '/routes', {
        bind_address: RELAY,
        bind_port,
        destination_address: ONE,
        destination_port: 80,
        ...fields,
      })
    ).route.route_rule_id
  const analysis = (id: number): Promise<RouteAnalysis> => api('POST', `/routes/${id}/diagnostics/analyze`)
  const verdict = async (id: number): Promise<string> => (await analysis(id)).verdict
  const gone = async (...ids: number[]): Promise<void> => {
    for (const id of ids) await api('DELETE', `/routes/${id}`)
  }

  it('a UDP flow that is older than the rule ends when the rule is reapplied', async () => {
    const late: Place = { protocol: 'udp', address: '203.0.113.7', port: 1031 }
    const served = async (): Promise<string | undefined> => (await rig.client.calls.askOnFlow('late', late))?.server
    const route = `${late.address}/32`
    rig.relay.batch(`route add ${route} via ${TWO}`)
    const id = await made(late.port, { bind_address: late.address, destination_port: 90, route_protocol_id: UDP })
    try {
      assert.equal(await served(), undefined)
      rig.relay.batch(`route del ${route}`, `addr add ${route} dev near0`)
      assert.equal(await served(), undefined)
      const { verdict: found, summary, suggested_fix } = await analysis(id)
      assert.deepEqual([found, summary.slice(0, 10)], ['OLDER_FLOW', '1 UDP flow'])
      assert.match(suggested_fix[0] ?? '', /^Reapply the rule/)
      await api('POST', `/routes/${id}/reapply`, {})
      assert.equal(await served(), `${ONE} 90`)
      assert.notEqual(await verdict(id), 'OLDER_FLOW')
    } finally {
      rig.relay.batch(`addr del ${route} dev near0`)
    }
  })

  it('connections that arrived, and of which none was forwarded, are dropped by something on this server', async () => {
    const id = await made(1041)
    const dropped = async (): Promise<string> => {
      assert.equal(await rig.client.calls.talk(tcp(1041)), null)
      return verdict(id)
    }
    assert.equal(await verdict(id), 'NO_INBOUND_TRAFFIC')
    rig.relay.run('ip', ['rule', 'add', 'iif', 'near0', 'blackhole'])
    assert.equal(await dropped(), 'FORWARD_BLOCKED')
    const { evidence, summary } = await analysis(id)
    // A client that waits sends again.
    assert.match(summary, /^[0-9]+ attempts? to connect arrived at the rule and none was forwarded/)
    assert.ok(Number(evidence.find(({ name }) => name === 'traffic')?.data['arrived']) >= 1)
    rig.relay.run('ip', ['rule', 'del', 'iif', 'near0', 'blackhole'])
    // A client whose way back is another interface, while the filter of this one is strict.
    rig.relay.run('sysctl', ['-qw', 'net.ipv4.conf.near0.rp_filter=1'])
    rig.relay.run('ip', ['route', 'add', `${CLIENT}/32`, 'via', TWO])
    assert.equal(await dropped(), 'REVERSE_PATH')
    rig.relay.run('ip', ['route', 'del', `${CLIENT}/32`])
    rig.relay.run('sysctl', ['-qw', 'net.ipv4.conf.near0.rp_filter=0'])
    assert.notEqual(await rig.client.calls.talk(tcp(1041)), null)
    assert.equal(await verdict(id), 'HEALTHY')
  })

  it('age and bytes of a connection are null and explained until they are switched on, then known, then put back', async () => {
    const id = await made(1009)
    const values = (): string =>
      rig.relay.run('sysctl', ['-n', 'net.netfilter.nf_conntrack_acct', 'net.netfilter.nf_conntrack_timestamp'])
    const seen = async () => {
      const { connections, detail } = await api<ConnectionsAnswer>('GET', `/routes/${id}/connections`)
      return {
        details: connections.map(({ age_seconds, rx_bytes }) => [typeof age_seconds, (rx_bytes ?? 0) > 100]),
        detail,
      }
    }
    const before = values()
    assert.equal(before, '0\n0\n')
    await rig.client.calls.hold('early', tcp(1009))
    const early = await seen()
    assert.deepEqual(early.details, [['object', false]])
    assert.match(early.detail, /age_seconds is null/)
    await rig.client.calls.release()
    await api('POST', '/system/forwarding/enable', { connections: true })
    assert.equal(values(), '1\n1\n')
    await rig.client.calls.hold('late', tcp(1009))
    const late = await seen()
    assert.ok(late.details.some(([age, hasBytes]) => age === 'number' && hasBytes === true))
    assert.doesNotMatch(late.detail, /null/)
    await api('POST', '/system/forwarding/enable', { connections: true, revert: true })
    assert.equal(values(), before)
    assert.equal(rig.relay.run('sysctl', ['-n', 'net.ipv4.ip_forward']), '1\n')
  })

  it('the analysis names what really stops a packet, and its fixes let it through', async () => {
    const id = await made(1001)
    const talks = async (): Promise<boolean> => (await rig.client.calls.talk(tcp(1001))) !== null
    assert.equal(await verdict(id), 'NO_INBOUND_TRAFFIC')
    assert.deepEqual([await talks(), await verdict(id)], [true, 'HEALTHY'])
    rig.relay.nft('table inet theirs {\n chain forward { type filter hook forward priority 0; policy drop;\n }\n}\n')
    const { verdict: blocked, suggested_fix } = await analysis(id)
    assert.deepEqual([blocked, await talks()], ['FORWARD_BLOCKED', false])
    assert.match(suggested_fix[0] ?? '', /nft insert rule inet theirs forward/)
    for (const fix of suggested_fix)
      rig.relay.run('nft', (/nft (insert rule .*? accept)/.exec(fix)?.[1] ?? '').split(' '))
    assert.deepEqual([await talks(), await verdict(id)], [true, 'HEALTHY'])
    rig.relay.run('nft', ['delete', 'table', 'inet', 'theirs'])
    const health = async () => (await api<RouteItem>('GET', `/routes/${id}`)).health
    rig.relay.nft(
      `table ip theirs {\n chain early { type nat hook prerouting priority -110;\n ip daddr ${RELAY} tcp dport 1001 dnat to ${ONE}:9\n }\n}\n`,
    )
    assert.deepEqual([await talks(), await verdict(id), (await health()).state], [false, 'RULE_SHADOWED', 'impaired'])
    assert.match((await health()).detail, /ip theirs, chain early, takes what the rule listens for/)
    rig.relay.run('nft', ['delete', 'table', 'ip', 'theirs'])
    const counted = async () => (await api<RouteItem>('GET', `/routes/${id}`)).tx_packets_since_boot
    rig.relay.nft('table inet theirs {\n chain late { type filter hook forward priority 0;\n ct mark set 0x1\n }\n}\n')
    const before = await counted()
    await talks()
    assert.deepEqual([await verdict(id), (await health()).state], ['FORWARD_BLOCKED', 'impaired'])
    assert.equal(await counted(), before, 'the mark is gone, so nothing is counted')
    rig.relay.run('nft', ['delete', 'table', 'inet', 'theirs'])
    // What is in no listing shows in the connections alone.
    await rig.client.calls.hold('overwritten', tcp(1001))
    assert.ok((await panel.remark(7)) > 0)
    const overwritten = await analysis(id)
    assert.equal(overwritten.verdict, 'FORWARD_BLOCKED')
    assert.match(overwritten.summary, /1 open connection .* another mark than the panel set \(0x00000007\)/)
    await rig.client.calls.release()
    rig.relay.run('sysctl', ['-qw', 'net.ipv4.ip_forward=0'])
    assert.deepEqual([await talks(), await verdict(id)], [false, 'FORWARDING_DISABLED'])
    rig.relay.run('sysctl', ['-qw', 'net.ipv4.ip_forward=1'])
    const wide = await made(900, {
      bind_address: '0.0.0.0',
      bind_port_range_end: 1100,
      destination_address: TWO,
      destination_port: 80,
      sort_order: 0,
      route_protocol_id: 10,
    })
    assert.equal(await verdict(id), 'RULE_SHADOWED')
    await gone(wide)
    rig.relay.run('nft', ['flush', 'ruleset'])
    assert.deepEqual([await talks(), await verdict(id)], [false, 'RULE_MISSING'])
    await api('POST', `/routes/${id}/reapply`)
    // The way to the servers takes 1400 bytes, and the way from the client 1500.
    await api('PATCH', `/routes/${id}`, { is_clamp_mss_to_pmtu: false })
    assert.equal(await verdict(id), 'MTU_PROBLEM')
    await api('PATCH', `/routes/${id}`, {
      is_clamp_mss_to_pmtu: true,
      destinations: [
        { address: ONE, port: 80 },
        { address: ONE, port: 81 },
      ],
    })
    assert.equal(await verdict(id), 'DESTINATIONS_PARTLY_UNREACHABLE')
    await api('PATCH', `/routes/${id}`, { destinations: [{ address: ONE, port: 81 }] })
    assert.deepEqual([await talks(), await verdict(id)], [false, 'DESTINATION_UNREACHABLE'])
    await api('POST', `/routes/${id}/disable`)
    assert.equal(await verdict(id), 'RULE_DISABLED')
    await gone(id)
  })

  it("a foreign piece in the panel's own chain is reported, and goes with a reapply or with all rules applied", async () => {
    const id = await made(1001)
    const state = async (): Promise<string> => {
      const { routes } = await api<ListRoutesAnswer>('GET', '/routes')
      await panel.advance(2)
      const { components } = await api<HealthAnswer>('GET', '/system/health')
      return `${routes[0]?.health.state} ${components.find(({ name }) => name === 'rules')?.status}`
    }
    const talks = async (): Promise<boolean> => (await rig.client.calls.talk(tcp(1001))) !== null
    assert.deepEqual([await talks(), await state()], [true, 'healthy ok'])
    for (const path of [`/routes/${id}/reapply`, '/routes/apply-all']) {
      rig.relay.nft('insert rule inet panel account_forward drop\n')
      assert.deepEqual([await talks(), await state()], [false, 'impaired error'])
      await api('POST', path)
      assert.deepEqual([await talks(), await state()], [true, 'healthy ok'])
    }
    rig.relay.run('sysctl', ['-qw', 'net.ipv4.ip_forward=0'])
    assert.deepEqual([await talks(), await state()], [false, 'impaired error'])
    await api('POST', '/routes/apply-all')
    assert.deepEqual([await talks(), await state()], [true, 'healthy ok'])
  })

  it('a UDP destination that says nothing is no failure, and one that refuses is', async () => {
    await rig.servers.calls.listen({ protocol: 'udp', address: TWO, port: 91 })
    const id = await made(1001, {
      route_protocol_id: UDP,
      destinations: [{ address: TWO, port: 92 }],
      destination_address: undefined,
      destination_port: undefined,
    })
    const refused = await api<RouteReachability>('POST', `/routes/${id}/diagnostics/test`, { timeout_seconds: 0.5 })
    assert.deepEqual([refused.conclusive, refused.reachable], [true, false])
    rig.servers.nft('table inet quiet {\n chain input { type filter hook input priority 0; udp dport 92 drop\n }\n}\n')
    const silent = await api<RouteReachability>('POST', `/routes/${id}/diagnostics/test`, { timeout_seconds: 0.5 })
    assert.deepEqual([silent.conclusive, silent.reachable], [false, null])
    assert.match(silent.detail, /proves nothing/)
    assert.equal((await analysis(id)).verdict, 'NO_INBOUND_TRAFFIC')
    await gone(id)
  })

  describe('the log', () => {
    const ALL_NAMESPACES = '/proc/sys/net/netfilter/nf_log_all_netns'
    let before: string
    // The kernel logs nothing of a namespace that is not the first unless a setting allows it.
    beforeEach(() => {
      before = readFileSync(ALL_NAMESPACES, 'utf8')
      writeFileSync(ALL_NAMESPACES, '1')
    })
    afterEach(() => writeFileSync(ALL_NAMESPACES, before))

    it('has a line of the kernel for each new connection of a rule that logs, and for no other', async () => {
      const [logging, quiet] = [await made(1001, { is_logging_enabled: true }), await made(1002)]
      const read = kernelLog()
      for (const port of [1001, 1002, 1001]) assert.ok(await rig.client.calls.talk(tcp(port)))
      const lines = read().filter((line) => line.includes('panel relay '))
      assert.equal(lines.length, 2, lines.join('\n'))
      for (const line of lines)
        assert.match(
          line,
          new RegExp(
            `panel relay ${logging}: IN=near0 .*SRC=10\\.1\\.0\\.2 DST=${RELAY.replaceAll('.', '\\.')} .*DPT=1001`,
          ),
        )
      await gone(logging, quiet)
    })
  })
})

describe('A table that is deleted again and again', function () {
  const rig = new RelayRig()
  before(() => rig.open())
  after(() => rig.close())

  it('is no reason to forget the rules: health tells of it, and the next helper brings them back', async () => {
    const panel = rig.panel()
    const kept = (): string => readFileSync(join(rig.folder, 'state', 'ruleset.json'), 'utf8')
    const bind = { bind_address: RELAY, destination_address: ONE, destination_port: 80 }
    for (const bind_port of [1001, 1002, 1003])
      assert.equal((await panel.request('POST', '/routes', { ...bind, bind_port })).status, 201)
    const before = kept()
    const deleting =
      'timeout 30 sh -c "while :; do nft delete table inet panel; sleep 0.01; done" > /dev/null 2>&1 & echo $!'
    const deleter = Number(rig.relay.run('sh', ['-c', deleting]))
    const answers: number[] = []
    while (answers.filter((status) => status === 409).length < 3) {
      answers.push((await panel.request('POST', '/routes/apply-all')).status)
      assert.equal(kept(), before)
      assert.ok(answers.length < 100, answers.join(' '))
    }
    process.kill(deleter)
    rig.relay.run('sh', ['-c', 'nft delete table inet panel 2>&1 || true'])
    await panel.advance(2)
    const { status, components } = (await panel.request('GET', '/system/health')).body as HealthAnswer
    const rules = components.find(({ name }) => name === 'rules')
    assert.deepEqual([status, rules?.detail?.slice(0, 7)], ['error', '3 of 3 '])
    await rig.restartHelper()
    assert.equal((await rig.held()).rules.length, 3)
  })
})

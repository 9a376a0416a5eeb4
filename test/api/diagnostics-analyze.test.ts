// The analysis of a tunnel (reference.md, Analysis result; decisions.md, D7, D10): each verdict from what was looked
// at, with evidence and what to do.
import assert from 'node:assert/strict'
import type { AnalyzeTunnelAnswer, TunnelAnalysis } from '@panel/shared/api/diagnostics.ts'
import type { LinkStatistics } from '@panel/shared/tunnel/observed.ts'
import type { Result, Writer } from '@panel/shared/rpc/methods.ts'
import { NO_SUCH_TUNNEL } from '@panel/web-daemon/features/diagnostics/root-words.ts'
import { thisHost } from '@panel/web-daemon/features/metrics/host.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import type { FakeAnswer, FakeEcho } from '../support/fake-icmp.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { getRun, listRuns, startTried, type TriedPanel } from './support/diagnostics.ts'
import { requestThrough } from './support/panel.ts'
import { set } from './support/settings.ts'
import { act, codesOf, createTunnel, patchTunnel } from './support/tunnels.ts'

describe('POST /tunnels/{id}/diagnostics/analyze', () => {
  let panel: TriedPanel
  /** How far the counters of the tunnel move from one look to the next. */
  let moving: Partial<LinkStatistics>
  /** How many packets this server refuses from one look to the next. */
  let refusing: number
  beforeEach(async () => {
    moving = {}
    refusing = 0
    let refused = 0
    const kernel = new FakeKernel()
    const { request, stream } = inProcessHelper(kernel)
    panel = await startTried(
      {
        request: counting(requestThrough(request)),
        stream,
        metrics: {
          host: {
            ...thisHost,
            has: () => true,
            read: (path) =>
              path === '/proc/net/snmp' ? `Icmp: InMsgs OutDestUnreachs\nIcmp: 9 ${(refused += refusing)}\n` : '',
          },
        },
      },
      kernel,
    )
    await set(panel.operator, { 'diagnostics.manual_ping_timeout': 0.1 })
  })
  afterEach(() => panel.close())

  const counting = (request: Writer): Writer => {
    const moved: Partial<LinkStatistics> = {}
    return async (method, params) => {
      const answer = await request(method, params)
      if (method !== 'tunnel.probe') return answer
      for (const { observed } of (answer as Result<'tunnel.probe'>).tunnels)
        if (observed) Object.assign(observed.statistics, moved)
      for (const [name, by] of Object.entries(moving) as [keyof LinkStatistics, number][])
        moved[name] = (moved[name] ?? 0) + by
      return answer
    }
  }
  /** Inside the tunnel and around it. */
  const answer = (inside: (echo: FakeEcho) => FakeAnswer, around: (echo: FakeEcho) => FakeAnswer = () => ({})): void =>
    void (panel.kernel.icmp.answer = (echo) => (echo.interface_name === panel.name ? inside(echo) : around(echo)))
  const send = (body: object = {}) =>
    panel.operator.post<AnalyzeTunnelAnswer>(`/tunnels/${panel.tunnel_id}/diagnostics/analyze`, {
      sample_seconds: 0.1,
      ...body,
    })
  const analyze = async (): Promise<TunnelAnalysis> => (await send()).body.result
  const verdictOf = ({ verdict, confidence }: TunnelAnalysis): string => `${verdict} ${confidence}`
  const silence = (): null => null

  it('says HEALTHY where the other end answers, to packets as large as the MTU too, with all that it looked at', async () => {
    const {
      status,
      body: { result },
    } = await send()
    assert.deepEqual(
      [status, verdictOf(result), result.severity, result.tunnel_id, result.interface_name, result.suggested_fix],
      [200, 'HEALTHY high', 'ok', panel.tunnel_id, panel.name, []],
    )
    assert.deepEqual(
      result.evidence.map(({ name }) => name),
      ['interface', 'link', 'underlay', 'tunnel_ping', 'counters', 'mtu', 'firewall'],
    )
    assert.ok(result.evidence.every(({ detail }) => detail !== '') && !Number.isNaN(Date.parse(result.checked_at)))
  })

  it('says INTERFACE_MISSING where the interface is gone, and to reapply the tunnel', async () => {
    await panel.kernel.links.delete(panel.name)
    const result = await analyze()
    assert.deepEqual([verdictOf(result), result.suggested_fix[0]], ['INTERFACE_MISSING high', 'Reapply the tunnel.'])
  })

  it('says INTERFACE_DOWN where it is down, and to bring it up where its operator took it down', async () => {
    answer(() => ({ refused: 'ENETUNREACH' }))
    await panel.kernel.links.setUp(panel.name, false)
    assert.deepEqual((({ verdict, suggested_fix }) => [verdict, suggested_fix])(await analyze()), [
      'INTERFACE_DOWN',
      ['Reapply the tunnel.'],
    ])
    await act(panel.operator, panel.tunnel_id, 'down')
    assert.equal((await analyze()).suggested_fix[0], 'Enable the tunnel: it is disabled.')
  })

  it('says UNDERLAY_UNREACHABLE if the way to the other server is reported as broken, and less surely if it is silent', async () => {
    answer(silence, () => ({ kind: 'unreachable', from_address: '203.0.113.1', text: 'host unreachable' }))
    const result = await analyze()
    assert.equal(verdictOf(result), 'UNDERLAY_UNREACHABLE high')
    assert.match(result.summary, /203\.0\.113\.1/)
    answer(silence, silence)
    assert.equal(verdictOf(await analyze()), 'UNDERLAY_UNREACHABLE low')
  })

  it('says HEALTHY though the other server answers no pings, where the tunnel does', async () => {
    answer(() => ({}), silence)
    assert.equal(verdictOf(await analyze()), 'HEALTHY high')
  })

  it('says so less surely, and not that it is well, where nobody inside the tunnel is known to ask', async () => {
    const { tunnel } = (
      await createTunnel(panel.operator, {
        remote_endpoint: '198.51.100.9',
        addresses: [{ address: '10.78.0.1', prefix_length: 24 }],
      })
    ).body
    const { result } = (
      await panel.operator.post<AnalyzeTunnelAnswer>(`/tunnels/${tunnel.tunnel_id}/diagnostics/analyze`, {
        sample_seconds: 0.1,
      })
    ).body
    assert.deepEqual([verdictOf(result), result.severity], ['HEALTHY low', 'unknown'])
    assert.match(result.evidence.find(({ name }) => name === 'tunnel_ping')?.detail ?? '', /No peer address is known/)
  })

  it('says NO_RETURN_TRAFFIC where packets leave and none comes back, surely where the other server answers outside', async () => {
    answer(silence)
    moving = { tx_packets: 4 }
    const result = await analyze()
    assert.equal(verdictOf(result), 'NO_RETURN_TRAFFIC high')
    assert.ok(result.suggested_fix.some((fix) => fix.includes('GRE (IP protocol 47)')))
  })

  it('says KEY_OR_ADDRESSING_MISMATCH where packets come that do not fit, or the other server knows no such tunnel', async () => {
    answer(silence)
    moving = { tx_packets: 4, rx_errors: 2 }
    const result = await analyze()
    assert.equal(verdictOf(result), 'KEY_OR_ADDRESSING_MISMATCH high')
    assert.match(result.suggested_fix[0] ?? '', /Compare the addresses/)
    assert.match(result.suggested_fix[1] ?? '', /Compare the keys/)
    assert.equal(
      (await patchTunnel(panel.operator, panel.tunnel_id, { has_input_sequence: true, confirm_recreate: true })).status,
      200,
    )
    assert.match((await analyze()).suggested_fix[0] ?? '', /other end has restarted.*2 packets were refused/)
    moving = { tx_packets: 4 }
    answer(
      () => ({ kind: 'unreachable', from_address: '198.51.100.7', text: `port unreachable: ${NO_SUCH_TUNNEL}` }),
      silence,
    )
    const refused = await analyze()
    assert.equal(verdictOf(refused), 'KEY_OR_ADDRESSING_MISMATCH high')
    assert.match(refused.summary, /198\.51\.100\.7 says: port unreachable: no tunnel there/)
    assert.match(refused.suggested_fix[0] ?? '', /Compare the keys/)
  })

  it('says so less surely where this server refuses as many packets meanwhile as answers are due', async () => {
    answer(silence)
    moving = { tx_packets: 4 }
    refusing = 4
    const result = await analyze()
    assert.equal(verdictOf(result), 'KEY_OR_ADDRESSING_MISMATCH low')
    assert.match(result.summary, /this server refused 4 packets/)
    refusing = 3
    assert.equal(verdictOf(await analyze()), 'NO_RETURN_TRAFFIC high')
  })

  it('says so less surely where packets come and the other address just stays silent, and surely where nothing can be sent from the own one', async () => {
    answer(silence)
    moving = { tx_packets: 4, rx_packets: 3 }
    assert.equal(verdictOf(await analyze()), 'KEY_OR_ADDRESSING_MISMATCH low')
    answer(() => ({ refused: 'EADDRNOTAVAIL' }))
    assert.equal(verdictOf(await analyze()), 'KEY_OR_ADDRESSING_MISMATCH high')
  })

  it('says MTU_PROBLEM where small packets arrive and those as large as the MTU do not', async () => {
    answer(({ packet_size }) => (packet_size > 1000 ? null : {}))
    const result = await analyze()
    assert.equal(verdictOf(result), 'MTU_PROBLEM high')
    assert.match(result.suggested_fix[0] ?? '', /MTU probe/)
  })

  it('says LOCAL_FIREWALL_BLOCK where this host drops its own packets', async () => {
    answer(() => ({ refused: 'EPERM' }))
    const result = await analyze()
    assert.equal(verdictOf(result), 'LOCAL_FIREWALL_BLOCK high')
    assert.match(result.suggested_fix[0] ?? '', /Let GRE/)
  })

  it('says LOCAL_FIREWALL_BLOCK where a rule of other software drops GRE, and names it', async () => {
    answer(silence)
    const chain = {
      chain: {
        family: 'inet',
        table: 'filter',
        name: 'first',
        type: 'filter',
        hook: 'prerouting',
        prio: -300,
        policy: 'accept',
      },
    }
    const rule = {
      rule: {
        family: 'inet',
        table: 'filter',
        chain: 'first',
        handle: 1,
        expr: [{ match: { op: '==', left: { meta: { key: 'l4proto' } }, right: 'gre' } }, { drop: null }],
      },
    }
    panel.kernel.foreign = readForeign(JSON.stringify({ nftables: [chain, rule] }), '')
    const result = await analyze()
    assert.equal(verdictOf(result), 'LOCAL_FIREWALL_BLOCK high')
    assert.match(result.summary, /inet filter, chain first, drops GRE/)
  })

  it('says LOCAL_FIREWALL_BLOCK, and what lets it in or out, where a policy drops GRE that no rule lets through', async () => {
    answer(silence)
    const chain = (hook: string, name: string) => ({
      chain: { family: 'inet', table: 'filter', name, type: 'filter', hook, prio: 0, policy: 'drop' },
    })
    const rule = (of: string, ...expr: object[]) => ({
      rule: { family: 'inet', table: 'filter', chain: of, handle: 1, expr },
    })
    const established = { match: { op: 'in', left: { ct: { key: 'state' } }, right: ['established', 'related'] } }
    const firewall = (...nftables: object[]): void =>
      void (panel.kernel.foreign = readForeign(JSON.stringify({ nftables }), ''))
    firewall(chain('input', 'in'))
    const result = await analyze()
    assert.equal(verdictOf(result), 'LOCAL_FIREWALL_BLOCK high')
    assert.deepEqual(result.suggested_fix, [
      'Let GRE through: nft insert rule inet filter in ip saddr 198.51.100.7 meta l4proto gre accept (and in the file that loads this table).',
    ])
    firewall(chain('input', 'in'), rule('in', established, { accept: null }))
    assert.equal(verdictOf(await analyze()), 'NO_RETURN_TRAFFIC low')
    firewall(chain('output', 'out'), rule('out', established, { accept: null }))
    assert.match((await analyze()).suggested_fix[0] ?? '', /insert rule inet filter out ip daddr 198\.51\.100\.7/)
  })

  it('says LOCAL_FIREWALL_BLOCK less surely where the tunnel counts errors on the way out, and the other server is reached', async () => {
    answer(silence)
    moving = { tx_packets: 4, tx_errors: 4 }
    assert.equal(verdictOf(await analyze()), 'LOCAL_FIREWALL_BLOCK low')
  })

  it('says UNDERLAY_UNREACHABLE, and to look at the own address, where nothing can be sent from it', async () => {
    answer(silence, () => ({ refused: 'EINVAL' }))
    const result = await analyze()
    assert.equal(verdictOf(result), 'UNDERLAY_UNREACHABLE high')
    assert.match(result.suggested_fix[0] ?? '', /local_endpoint 192\.0\.2\.1 is an address of this server/)
  })

  it('is stored as a run, answered with it, and audited', async () => {
    const { run, result } = (await send()).body
    assert.deepEqual(
      [run.type, run.diagnostic_type_id, run.running, run.is_success, run.result],
      ['analyze', 40, false, true, { ...result, cancelled: false }],
    )
    assert.deepEqual((await getRun(panel.operator, run.diagnostic_run_id)).body, run)
    assert.equal((await listRuns(panel.operator, '?type=analyze')).body.total, 1)
    const { entries } = (await panel.operator.get<{ entries: { target_id: number }[] }>('/audit?action=DiagnosticRun'))
      .body
    assert.deepEqual(
      entries.map(({ target_id }) => target_id),
      [panel.tunnel_id],
    )
  })

  it('refuses with 422 a time that is too long, on its field', async () => {
    assert.deepEqual(codesOf(await send({ sample_seconds: 31 })), { sample_seconds: 'INVALID_VALUE' })
  })
})

// The path MTU and the way hop by hop (reference.md, Diagnostics; decisions.md, D5, D6, D10, D11).
import assert from 'node:assert/strict'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { carries, getRun, listRuns, ping, probeMtu, startTried, trace, type TriedPanel } from './support/diagnostics.ts'
import { codesOf, createTunnel, getTunnel, patchTunnel } from './support/tunnels.ts'

describe('POST /tunnels/{id}/diagnostics/mtu-probe', () => {
  let panel: TriedPanel
  beforeEach(async () => {
    panel = await startTried()
  })
  afterEach(() => panel.close())

  it('finds what the way between the two servers carries, and recommends that less the overhead of the tunnel', async () => {
    const { tunnel } = (await createTunnel(panel.operator, { remote_endpoint: '198.51.100.8', ikey: 5, okey: 5 })).body
    panel.kernel.icmp.answer = carries(1400)
    const { status, body } = await probeMtu(panel.operator, tunnel.tunnel_id)
    const { steps, ...result } = body.result
    assert.deepEqual(
      [status, result],
      [
        200,
        {
          discovered_path_mtu: 1400,
          recommended_tunnel_mtu: 1372,
          overhead: 28,
          path: 'underlay',
          source: '192.0.2.1',
          target: '198.51.100.8',
          reported_path_mtu: null,
          current_tunnel_mtu: tunnel.mtu,
          matches: false,
          detail: '',
          detail_message: { message: '', message_id: '', params: {} },
          cancelled: false,
          applied: false,
        },
      ],
    )
    assert.ok(steps.length > 3 && steps.every(({ packet_size, fits }) => fits === packet_size <= 1400))
    assert.ok(panel.kernel.icmp.sent.every(({ is_dont_fragment }) => is_dont_fragment))
  })

  it('gives the request that applies it, which does, and changes nothing itself', async () => {
    panel.kernel.icmp.answer = carries(1400)
    const { apply, result } = (await probeMtu(panel.operator, panel.tunnel_id)).body
    const { mtu } = (await getTunnel(panel.operator, panel.tunnel_id)).body
    assert.deepEqual(
      [apply?.method, apply?.path, apply?.body],
      ['PATCH', `/tunnels/${panel.tunnel_id}`, { mtu: result.recommended_tunnel_mtu }],
    )
    assert.notEqual(mtu, result.recommended_tunnel_mtu)
    assert.equal((await patchTunnel(panel.operator, panel.tunnel_id, apply!.body)).status, 200)
    assert.deepEqual([(await probeMtu(panel.operator, panel.tunnel_id)).body.result.matches], [true])
  })

  it('tries the way inside the tunnel on request, through its interface, and recommends all that fits', async () => {
    panel.kernel.icmp.answer = carries(1300)
    const { result } = (await probeMtu(panel.operator, panel.tunnel_id, { probe_tunnel: true })).body
    assert.deepEqual(
      [result.path, result.source, result.target, result.discovered_path_mtu, result.recommended_tunnel_mtu],
      ['tunnel', panel.own, panel.far, 1300, 1300],
    )
    assert.ok(panel.kernel.icmp.sent.every(({ interface_name }) => interface_name === panel.name))
  })

  it('tells what a router on the way says', async () => {
    panel.kernel.icmp.answer = ({ packet_size }) =>
      packet_size + 28 > 1420 ? { kind: 'too_big', from_address: '203.0.113.1', reported_mtu: 1420 } : {}
    const { result } = (await probeMtu(panel.operator, panel.tunnel_id)).body
    assert.deepEqual([result.discovered_path_mtu, result.reported_path_mtu], [1420, 1420])
  })

  it('recommends nothing where nothing is answered, says so, and is stored as failed', async () => {
    panel.kernel.icmp.answer = () => null
    const { run, result, apply } = (await probeMtu(panel.operator, panel.tunnel_id)).body
    assert.deepEqual(
      [result.discovered_path_mtu, result.recommended_tunnel_mtu, apply, run.is_success],
      [null, null, null, false],
    )
    assert.match(result.detail, /Not even 1200 bytes arrive/)
  })

  it('gives no request that the tunnel would refuse', async () => {
    panel.kernel.icmp.answer = carries(580)
    const { result, apply } = (await probeMtu(panel.operator, panel.tunnel_id, { min: 500, max: 700 })).body
    assert.deepEqual([result.recommended_tunnel_mtu, apply], [552, null])
  })

  it('is stored as a run of its type, as it was answered', async () => {
    const { run, result } = (await probeMtu(panel.operator, panel.tunnel_id)).body
    assert.deepEqual(
      [run.type, run.diagnostic_type_id, run.running, run.is_success, run.result],
      ['mtu-probe', 20, false, true, result],
    )
    assert.deepEqual((await getRun(panel.operator, run.diagnostic_run_id)).body, run)
    assert.equal((await listRuns(panel.operator, '?type=mtu-probe')).body.total, 1)
  })

  it('refuses with 422 sizes that are none or the wrong way round, on their field', async () => {
    const codes = async (body: object) => Object.keys(codesOf(await probeMtu(panel.operator, panel.tunnel_id, body)))
    assert.deepEqual(await codes({ min: 67, max: 65_536, timeout_seconds: 11, target: 'x' }), [
      'min',
      'max',
      'timeout_seconds',
      'target',
    ])
    assert.deepEqual(await codes({ min: 1400, max: 1300 }), ['max'])
    assert.deepEqual(await codes({ min: 1501 }), ['min'])
    assert.deepEqual(await codes({ max: 1199 }), ['max'])
  })

  it('is refused with 429 while another run of the tunnel is under way', async () => {
    const open = await ping(panel.operator, panel.tunnel_id, { count: 1000, interval_seconds: 60 })
    await open.until(1)
    const { status, error } = await probeMtu(panel.operator, panel.tunnel_id)
    assert.deepEqual([status, error.code], [429, 'RATE_LIMITED'])
    open.leave()
  })

  it('answers 503 where the helper is away, and stores that the run failed', async () => {
    await panel.close()
    panel = await startTried({ stream: () => Promise.reject(helperAway('ENOENT')) })
    const { status, error } = await probeMtu(panel.operator, panel.tunnel_id)
    const [run] = (await listRuns(panel.operator)).body.runs
    assert.deepEqual([status, error.code, run?.is_success, run?.running], [503, 'HELPER_UNAVAILABLE', false, false])
  })
})

describe('POST /tunnels/{id}/diagnostics/traceroute', () => {
  let panel: TriedPanel
  beforeEach(async () => {
    panel = await startTried()
    panel.kernel.icmp.answer = ({ hop_limit }) =>
      hop_limit >= 3 ? {} : hop_limit === 2 ? null : { kind: 'hop', from_address: '203.0.113.1' }
  })
  afterEach(() => panel.close())

  it('tells each hop in order, those that stay silent among them, and that the other server was reached', async () => {
    const { status, body } = await trace(panel.operator, panel.tunnel_id)
    const { source, target, path, reached, hops } = body.result
    assert.deepEqual([status, source, target, path, reached], [200, '192.0.2.1', '198.51.100.7', 'underlay', true])
    assert.deepEqual(
      hops.map(({ ttl, addresses, timeout, reached: there }) => [ttl, addresses, timeout, there]),
      [
        [1, ['203.0.113.1'], false, false],
        [2, [], true, false],
        [3, ['198.51.100.7'], false, true],
      ],
    )
    assert.deepEqual(
      hops.map(({ rtts_ms }) => rtts_ms.length),
      [3, 3, 3],
    )
    assert.deepEqual(hops[1]?.rtts_ms, [null, null, null])
    assert.ok((hops[0]?.rtts_ms[0] ?? 0) > 0)
  })

  it('is stored as a run of its type, and audited', async () => {
    const { run, result } = (await trace(panel.operator, panel.tunnel_id, { probes: 1 })).body
    assert.deepEqual(
      [run.type, run.diagnostic_type_id, run.is_success, run.params['probes'], run.params['max_hops'], run.result],
      ['traceroute', 30, true, 1, 30, result],
    )
    const { entries } = (await panel.operator.get<{ entries: { target_id: number }[] }>('/audit?action=DiagnosticRun'))
      .body
    assert.deepEqual(
      entries.map(({ target_id }) => target_id),
      [panel.tunnel_id],
    )
  })

  it('goes no further than requested, and is then a failure', async () => {
    const { run, result } = (await trace(panel.operator, panel.tunnel_id, { max_hops: 2 })).body
    assert.deepEqual([result.reached, run.is_success, result.hops.length], [false, false, 2])
  })

  it('takes the way inside the tunnel on request', async () => {
    const { result } = (await trace(panel.operator, panel.tunnel_id, { probe_tunnel: true })).body
    assert.deepEqual([result.path, result.source, result.target], ['tunnel', panel.own, panel.far])
  })

  it('refuses with 422 what is out of bounds, on its field', async () => {
    const reply = await trace(panel.operator, panel.tunnel_id, {
      max_hops: 65,
      probes: 0,
      timeout_seconds: 0,
      source: 'fd00::1',
    })
    assert.deepEqual(
      [reply.status, Object.keys(codesOf(reply))],
      [422, ['max_hops', 'probes', 'timeout_seconds', 'source']],
    )
  })
})

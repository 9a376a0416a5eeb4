// Ping by hand (reference.md, Diagnostics, Events: Ping; decisions.md, D1 to D4, D11, E3, E8, U2).
import assert from 'node:assert/strict'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { eventually } from '../support/eventually.ts'
import { getRun, listRuns, ping, pinged, startTried, type TriedPanel } from './support/diagnostics.ts'
import { set } from './support/settings.ts'
import { type OpenStream } from './support/streams.ts'
import { codesOf, createTunnel } from './support/tunnels.ts'

const QUICK = { interval_seconds: 0.01, timeout_seconds: 0.1 }

describe('POST /tunnels/{id}/diagnostics/ping', () => {
  let panel: TriedPanel
  let left: OpenStream[]
  beforeEach(async () => {
    left = []
    panel = await startTried()
  })
  afterEach(async () => {
    for (const open of left) open.leave()
    await panel.close()
  })
  const opened = async (body: object, tunnel_id = panel.tunnel_id): Promise<OpenStream> => {
    const open = await ping(panel.operator, tunnel_id, body)
    left.push(open)
    return open
  }
  const refused = (body: object) => panel.operator.post(`/tunnels/${panel.tunnel_id}/diagnostics/ping`, body)
  const allEnded = (): Promise<void> => eventually(() => panel.kernel.icmp.openPorts === 0, 'all is let go of')
  const LONG = { count: 1000, interval_seconds: 60 }

  it('is a stream: run, a packet for each as it is decided, then summary, and it ends', async () => {
    const open = await opened({ count: 3, ...QUICK })
    assert.deepEqual([open.status, open.headers['content-type']], [200, 'text/event-stream'])
    await open.ended
    assert.ok(open.text().startsWith('retry: 3000\n\nevent: run\ndata: '))
    assert.deepEqual(
      open.events().map(({ name }) => name),
      ['run', 'packet', 'packet', 'packet', 'summary'],
    )
  })

  it('says of each packet whether and how it was answered, and sums them up', async () => {
    panel.kernel.icmp.answer = ({ sequence }) => (sequence === 2 ? null : { after_ms: 2 })
    const { run, packets, summary } = await pinged(panel.operator, panel.tunnel_id, {
      count: 4,
      ...QUICK,
      packet_size: 100,
    })
    assert.deepEqual(
      [run.running, run.type, run.diagnostic_type_id, run.tunnel_id, run.result, run.finished_date],
      [true, 'ping', 10, panel.tunnel_id, null, null],
    )
    assert.deepEqual(packets.map(({ sequence }) => sequence).sort(), [1, 2, 3, 4])
    const [answered, lost] = [
      packets.find(({ sequence }) => sequence === 1)!,
      packets.find(({ sequence }) => sequence === 2)!,
    ]
    assert.deepEqual(
      [answered.success, answered.kind, answered.error, answered.size, answered.from],
      [true, 'reply', '', 100, panel.far],
    )
    assert.ok((answered.rtt_ms ?? 0) > 0 && !Number.isNaN(Date.parse(answered.at)))
    assert.deepEqual([lost.success, lost.kind, lost.rtt_ms, lost.from], [false, 'timeout', null, ''])
    assert.deepEqual(
      [summary.sent, summary.received, summary.loss_percent, summary.running, summary.is_success],
      [4, 3, 25, false, true],
    )
    const {
      summary: figures,
      source,
      target,
      cancelled,
    } = summary.result as { summary: Record<string, number>; source: string; target: string; cancelled: boolean }
    assert.deepEqual([source, target, cancelled], [panel.own, panel.far, false])
    assert.deepEqual(Object.keys(figures), [
      'sent',
      'received',
      'loss_percent',
      'rtt_min_ms',
      'rtt_avg_ms',
      'rtt_max_ms',
      'rtt_mdev_ms',
      'jitter_ms',
    ])
  })

  it('is stored with the figures of its end', async () => {
    const { summary } = await pinged(panel.operator, panel.tunnel_id, { count: 2, ...QUICK })
    const { sent: _sent, received: _received, loss_percent: _loss, ...run } = summary
    assert.deepEqual((await getRun(panel.operator, run.diagnostic_run_id)).body, run)
  })

  it('goes through the interface of the tunnel, from its address to the other end, by default', async () => {
    await pinged(panel.operator, panel.tunnel_id, { count: 1, ...QUICK })
    await pinged(panel.operator, panel.tunnel_id, {
      count: 1,
      ...QUICK,
      source: '10.77.0.1',
      target: '10.9.9.9',
      df: true,
    })
    const output = panel.kernel.icmp.sent.map(
      ({ interface_name, source_address, target_address, is_dont_fragment, packet_size }) => [
        interface_name,
        source_address,
        target_address,
        is_dont_fragment,
        packet_size,
      ],
    )
    assert.deepEqual(output, [
      [panel.name, panel.own, panel.far, false, 56],
      [panel.name, panel.own, '10.9.9.9', true, 56],
    ])
  })

  it('follows the settings by default', async () => {
    await set(panel.operator, {
      'diagnostics.manual_ping_count': 2,
      'diagnostics.manual_ping_interval': 0.02,
      'diagnostics.manual_ping_timeout': 0.3,
    })
    const { run, packets } = await pinged(panel.operator, panel.tunnel_id)
    assert.deepEqual(
      [run.params['count'], run.params['interval_seconds'], run.params['timeout_seconds'], packets.length],
      [2, 0.02, 0.3, 2],
    )
  })

  it('counts as failed where nothing was answered', async () => {
    panel.kernel.icmp.answer = () => ({ refused: 'ENETUNREACH' })
    const { packets, summary } = await pinged(panel.operator, panel.tunnel_id, { count: 1, ...QUICK })
    assert.deepEqual([packets[0]?.kind, summary.is_success, summary.loss_percent], ['not_sent', false, 100])
    assert.notEqual(packets[0]?.error, '')
  })

  it('refuses with 422 what is out of bounds, each on its field, and sends and stores nothing', async () => {
    const reply = await refused({
      count: 10_001,
      interval_seconds: 0.001,
      timeout_seconds: 0,
      packet_size: 70_000,
      source: 'x',
      target: '224.0.0.1',
    })
    assert.equal(reply.status, 422)
    assert.deepEqual(Object.keys(codesOf(reply)), [
      'count',
      'interval_seconds',
      'timeout_seconds',
      'packet_size',
      'source',
      'target',
    ])
    assert.deepEqual(Object.keys(codesOf(await refused({ source: 'fd00::1' }))), ['source'])
    assert.deepEqual([panel.kernel.icmp.sent.length, (await listRuns(panel.operator)).body.total], [0, 0])
  })

  it('refuses a count above the setting', async () => {
    await set(panel.operator, { 'diagnostics.manual_ping_count': 5, 'diagnostics.manual_ping_max_count': 5 })
    assert.deepEqual(codesOf(await refused({ count: 6 })), { count: 'INVALID_VALUE' })
  })

  it('answers 404 where there is no tunnel', async () => {
    assert.equal((await panel.operator.post('/tunnels/99/diagnostics/ping', {})).status, 404)
  })

  it('ends when the client goes away, and is recorded as cancelled', async () => {
    const open = await opened(LONG)
    await open.until(2)
    open.leave()
    await allEnded()
    let [run] = (await listRuns(panel.operator)).body.runs
    while (run?.running === true) [run] = (await listRuns(panel.operator)).body.runs
    assert.deepEqual(
      [run?.running, run?.result?.['cancelled'], (run?.result?.['summary'] as { sent: number }).sent],
      [false, true, panel.kernel.icmp.sent.length],
    )
  })

  it('is stopped by DELETE of its run: the stream tells the summary so far, and the run is gone', async () => {
    const open = await opened(LONG)
    const [first] = await open.until(2)
    const { diagnostic_run_id } = first?.data as { diagnostic_run_id: number }
    const { status, body } = await panel.operator.delete(`/diagnostics/runs/${diagnostic_run_id}`)
    assert.deepEqual([status, body], [200, { diagnostic_run_id, cancelled: true }])
    await open.ended
    const last = open.events().at(-1)
    assert.deepEqual(
      [last?.name, (last?.data as { result: { cancelled: boolean } }).result.cancelled],
      ['summary', true],
    )
    assert.equal((await getRun(panel.operator, diagnostic_run_id)).status, 404)
    await allEnded()
  })

  it('is refused with 429 while another run of the tunnel is under way, which is named, and not after it', async () => {
    const open = await opened(LONG)
    const [first] = await open.until(1)
    const { status, error, headers } = await refused({ count: 1 })
    const { diagnostic_run_id } = first?.data as { diagnostic_run_id: number }
    assert.deepEqual(
      [status, error.code, headers['retry-after'], error.details['running_diagnostic_run_id']],
      [429, 'RATE_LIMITED', '3', diagnostic_run_id],
    )
    await panel.operator.delete(`/diagnostics/runs/${diagnostic_run_id}`)
    assert.deepEqual((await pinged(panel.operator, panel.tunnel_id, { count: 1, ...QUICK })).names, [
      'run',
      'packet',
      'summary',
    ])
  })

  it('is refused with 429 while four others are under way on the host', async () => {
    for (let i = 0; i < 4; i++) {
      const { tunnel } = (await createTunnel(panel.operator, { remote_endpoint: `198.51.100.${20 + i}` })).body
      await (await opened(LONG, tunnel.tunnel_id)).until(1)
    }
    const { status, error } = await refused({ count: 1 })
    assert.deepEqual([status, error.code], [429, 'RATE_LIMITED'])
  })

  it('tells of a failure after its beginning as an error, and stores it', async () => {
    const failures = [helperAway('ENOENT'), new Error('a secret of the inside')]
    await panel.close()
    panel = await startTried({ stream: () => Promise.reject(failures.shift() ?? new Error('asked too often')) })
    for (const output of [/root helper cannot be reached/, /unexpected/]) {
      const open = await opened({ count: 1 })
      await open.ended
      assert.deepEqual(
        open.events().map(({ name }) => name),
        ['run', 'error'],
      )
      const [run] = (await listRuns(panel.operator)).body.runs
      assert.deepEqual([run?.is_success, run?.running, run?.result?.['cancelled']], [false, false, false])
      for (const reported of [run?.result?.['detail'], (open.events()[1]?.data as { message: string }).message])
        assert.match(String(reported), output)
    }
    assert.ok(panel.log.some((line) => line.includes('a ping failed')))
  })

  it('is audited as DiagnosticRun with the tunnel when it has ended', async () => {
    await pinged(panel.operator, panel.tunnel_id, { count: 1, ...QUICK })
    type Log = { entries: { action: string; target_type: string; target_id: number }[] }
    let entries: Log['entries'] = []
    while (entries.length === 0) ({ entries } = (await panel.operator.get<Log>('/audit?action=DiagnosticRun')).body)
    assert.deepEqual(
      entries.map(({ action, target_type, target_id }) => [action, target_type, target_id]),
      [['DiagnosticRun', 'tunnel', panel.tunnel_id]],
    )
  })
})

// The stored runs of diagnostics and the counters of a tunnel (reference.md, Diagnostics; decisions.md, D8 to D11, W15,
// U2).
import assert from 'node:assert/strict'
import type { CountersAnswer } from '@panel/shared/api/diagnostics.ts'
import { insertRun, RUNS_KEPT } from '@panel/web-daemon/features/diagnostics/store.ts'
import { getRun, listRuns, pinged, startTried, type TriedPanel } from './support/diagnostics.ts'
import { createTunnel } from './support/tunnels.ts'

const QUICK = { count: 1, interval_seconds: 0.01, timeout_seconds: 0.1 }
const NEVER = '2026-01-01T00:00:00.000Z'

describe('The stored runs', () => {
  let panel: TriedPanel
  beforeEach(async () => {
    panel = await startTried()
  })
  afterEach(() => panel.close())

  it('are listed newest first with their total, by tunnel, by type and in pages of at most 500', async () => {
    const { tunnel } = (await createTunnel(panel.operator, { remote_endpoint: '198.51.100.9' })).body
    await pinged(panel.operator, panel.tunnel_id, QUICK)
    await pinged(panel.operator, tunnel.tunnel_id, QUICK)
    await pinged(panel.operator, panel.tunnel_id, QUICK)
    const listing = async (query: string) => {
      const { runs, total, limit, offset } = (await listRuns(panel.operator, query)).body
      return [runs.map((run) => run.diagnostic_run_id), total, limit, offset]
    }
    assert.deepEqual(await listing(''), [[3, 2, 1], 3, 100, 0])
    assert.deepEqual(await listing(`?tunnel_id=${panel.tunnel_id}`), [[3, 1], 2, 100, 0])
    assert.deepEqual(await listing('?type=ping&limit=1&offset=1'), [[2], 3, 1, 1])
    assert.deepEqual(await listing('?type=analyze&limit=9999'), [[], 0, 500, 0])
  })

  it('are not filtered by what is no type or no number: 422 on the field', async () => {
    for (const [query, field] of [
      ['?type=pong', 'type'],
      ['?type=toString', 'type'],
      ['?tunnel_id=x', 'tunnel_id'],
    ] as const) {
      const { status, error } = (await listRuns(panel.operator, query)) as unknown as {
        status: number
        error: { field: string }
      }
      assert.deepEqual([status, error.field], [422, field])
    }
  })

  it('GET /diagnostics/runs/{id} returns one run, 404 for an unknown id; DELETE likewise', async () => {
    const { run } = await pinged(panel.operator, panel.tunnel_id, QUICK)
    const { status, body } = await getRun(panel.operator, run.diagnostic_run_id)
    assert.deepEqual([status, body.running, body.is_success], [200, false, true])
    assert.equal((await getRun(panel.operator, 99)).status, 404)
    assert.equal((await panel.operator.delete('/diagnostics/runs/99')).status, 404)
  })

  it('are deleted for good, which is audited as DiagnosticDelete', async () => {
    const { run } = await pinged(panel.operator, panel.tunnel_id, QUICK)
    const id = run.diagnostic_run_id
    assert.deepEqual((await panel.operator.delete(`/diagnostics/runs/${id}`)).body, {
      diagnostic_run_id: id,
      cancelled: false,
    })
    assert.equal((await getRun(panel.operator, id)).status, 404)
    const { entries } = (
      await panel.operator.get<{ entries: { target_type: string; target_id: number }[] }>(
        '/audit?action=DiagnosticDelete',
      )
    ).body
    assert.deepEqual(
      entries.map(({ target_type, target_id }) => [target_type, target_id]),
      [['diagnostic_run', id]],
    )
  })

  it('are kept to the newest 200 of each tunnel', async () => {
    const { tunnel } = (await createTunnel(panel.operator, { remote_endpoint: '198.51.100.9' })).body
    const store = (tunnel_id: number): Promise<number> =>
      insertRun(panel.db, { tunnel_id, type: 'traceroute', params: {}, started_date: NEVER })
    const other = await store(tunnel.tunnel_id)
    for (let i = 0; i < RUNS_KEPT + 5; i++) await store(panel.tunnel_id)
    const { run } = await pinged(panel.operator, panel.tunnel_id, QUICK)
    const { runs, total } = (await listRuns(panel.operator, `?tunnel_id=${panel.tunnel_id}&limit=500`)).body
    assert.deepEqual([total, runs[0]?.diagnostic_run_id, runs.length], [200, run.diagnostic_run_id, 200])
    assert.equal((await getRun(panel.operator, other)).status, 200)
  })

  it('that an earlier panel left unended do not count as running', async () => {
    const id = await insertRun(panel.db, { tunnel_id: panel.tunnel_id, type: 'ping', params: {}, started_date: NEVER })
    const { running, result, is_success, finished_date } = (await getRun(panel.operator, id)).body
    assert.deepEqual([running, result?.['cancelled'], is_success], [false, true, false])
    assert.notEqual(finished_date, null)
  })
})

describe('GET /tunnels/{id}/counters', () => {
  let panel: TriedPanel
  beforeEach(async () => {
    panel = await startTried()
  })
  afterEach(() => panel.close())
  const counters = (query = '?sample_seconds=0.1') =>
    panel.operator.get<CountersAnswer>(`/tunnels/${panel.tunnel_id}/counters${query}`)

  it('tells the counters of the interface and how they moved', async () => {
    const { status, body } = await counters()
    assert.deepEqual([status, body.interface_name], [200, panel.name])
    for (const one of [body.counters, body.deltas])
      assert.deepEqual(Object.keys(one).sort(), [
        'rx_bytes',
        'rx_dropped',
        'rx_errors',
        'rx_packets',
        'tx_bytes',
        'tx_dropped',
        'tx_errors',
        'tx_packets',
      ])
    assert.ok(body.interval_seconds >= 0.09 && !Number.isNaN(Date.parse(body.sampled_at)))
    assert.equal(body.rx_bytes_per_second, Math.round((100 * body.deltas.rx_bytes) / body.interval_seconds) / 100)
  })

  it('refuses a time that is none or too long: 422 on the field', async () => {
    for (const query of ['?sample_seconds=31', '?sample_seconds=0', '?sample_seconds=x', '?sample_seconds=-1']) {
      const { status, error } = await counters(query)
      assert.deepEqual([status, error.field], [422, 'sample_seconds'])
    }
  })

  it('says that the interface is not there where it is not, and 404 where there is no tunnel', async () => {
    await panel.kernel.links.delete(panel.name)
    const { status, error } = await counters()
    assert.deepEqual([status, error.code], [409, 'CONFLICT'])
    assert.match(error.message, new RegExp(`${panel.name} is not there`))
    assert.equal((await panel.operator.get('/tunnels/99/counters')).status, 404)
  })
})

// Runs that end before they are over: the client goes away, or the run is deleted (reference.md, Events 1, DELETE
// /diagnostics/runs/{id}; decisions.md, D11, E8).
import assert from 'node:assert/strict'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import type { DiagnosticRun } from '@panel/shared/api/diagnostics.ts'
import { eventually } from '../support/eventually.ts'
import { getRun, listRuns, startTried, trace, type TriedPanel } from './support/diagnostics.ts'
import type { Reply } from './support/client.ts'

/** Nobody answers, so each would go on for at least ten seconds. */
const LONG = {
  'mtu-probe': { timeout_seconds: 10 },
  traceroute: { timeout_seconds: 10 },
  analyze: { sample_seconds: 30 },
} as const
const TYPES = Object.keys(LONG) as (keyof typeof LONG)[]

describe('A diagnostic run that is not a stream', () => {
  let panel: TriedPanel
  beforeEach(async () => {
    panel = await startTried()
    panel.kernel.icmp.answer = () => null
  })
  afterEach(() => panel.close())

  const newest = async (): Promise<DiagnosticRun | undefined> => (await listRuns(panel.operator)).body.runs[0]
  const becomes = async (running: boolean): Promise<DiagnosticRun> => {
    for (;;) {
      const run = await newest()
      if (run?.running === running) return run
    }
  }
  /** Begun, and sending already. */
  const begin = async (
    type: (typeof TYPES)[number],
    signal?: AbortSignal,
  ): Promise<{ run: DiagnosticRun; answer: Promise<Reply> }> => {
    const answer = panel.operator.post(
      `/tunnels/${panel.tunnel_id}/diagnostics/${type}`,
      LONG[type],
      signal && { signal },
    )
    answer.catch(() => undefined)
    const run = await becomes(true)
    await eventually(() => panel.kernel.icmp.openPorts === 1 && panel.kernel.icmp.sent.length > 0, 'sending')
    return { run, answer }
  }
  /** What it had of the helper and its place among the runs are given back. */
  const isOver = async (): Promise<void> => {
    await eventually(() => panel.kernel.icmp.openPorts === 0, 'the probe of the helper stopped')
    assert.equal((await trace(panel.operator, panel.tunnel_id, { max_hops: 1, probes: 1 })).status, 200)
  }

  for (const type of TYPES) {
    it(`ends when the client of its ${type} goes away, and is recorded as cancelled`, async () => {
      const leaving = new AbortController()
      const {
        run: { diagnostic_run_id },
        answer,
      } = await begin(type, leaving.signal)
      leaving.abort()
      await assert.rejects(answer)
      const run = await becomes(false)
      assert.deepEqual(
        [run.diagnostic_run_id, run.type, run.is_success, run.result?.['cancelled']],
        [diagnostic_run_id, type, false, true],
      )
      await isOver()
    })

    it(`of type ${type} is stopped by its DELETE, after which it is gone and the request that waited for it is answered`, async () => {
      const {
        run: { diagnostic_run_id },
        answer,
      } = await begin(type)
      const { status, body } = await panel.operator.delete(`/diagnostics/runs/${diagnostic_run_id}`)
      assert.deepEqual([status, body], [200, { diagnostic_run_id, cancelled: true }])
      assert.equal((await getRun(panel.operator, diagnostic_run_id)).status, 404)
      const stopped = await answer
      if (type === 'analyze')
        assert.deepEqual(
          [stopped.status, stopped.error.code, /was stopped/.test(stopped.error.message)],
          [409, 'CONFLICT', true],
        )
      else assert.deepEqual([stopped.status, (stopped.body['result'] as { cancelled: boolean }).cancelled], [200, true])
      await isOver()
    })
  }

  it('gives no verdict where an analysis was broken off', async () => {
    const leaving = new AbortController()
    await begin('analyze', leaving.signal)
    leaving.abort()
    const { result } = await becomes(false)
    assert.deepEqual(result, { cancelled: true, ...messageFields('detail', message('diagnostics.stopped')) })
  })
})

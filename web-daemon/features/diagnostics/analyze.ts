// Why a tunnel does or does not carry packets: a verdict, its evidence, and suggested fixes in order (reference.md,
// Analysis result; decisions.md, D7).
import type { AnalyzeTunnelAnswer, AnalyzeTunnelBody, TunnelAnalysis } from '@panel/shared/api/diagnostics.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { conclude } from '../../platform/http/conclusion.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { idIn } from '../tunnels/get.ts'
import { targetOf } from '../tunnels/target.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { SAMPLE_SECONDS } from '@panel/shared/api/queries.ts'
import { evaluateSnapshot } from './findings.ts'
import type { Runs } from './runs.ts'
import { isAnswered, takeSnapshot, type TunnelSnapshot } from './snapshot.ts'

export function analyzeTunnel(runs: Runs) {
  return async (
    context: StoreContext,
    { params, body, gone }: Incoming<AnalyzeTunnelBody>,
  ): Promise<Answer<AnalyzeTunnelAnswer>> => {
    const record = await targetOf(context, idIn(params))
    const { sample_seconds = SAMPLE_SECONDS.usual } = body
    const run = await runs.begin({ tunnel_id: record.tunnel_id, type: 'analyze', params: { sample_seconds } }, gone)
    context.note.operation(`Run ${run.started.diagnostic_run_id}: analysis`)
    let result: TunnelAnalysis | null = null
    const finished = await run.execute(async () => {
      const snapshot = await takeSnapshot({ ...context, host: runs.host }, record, run, sample_seconds)
      // A cancelled run proves nothing: a packet that nobody waited for is not a lost one.
      run.signal.throwIfAborted()
      result = analyse(record, snapshot, context.now())
      return { result: { ...result, cancelled: false }, is_success: true }
    })
    if (!result) throw new Error(`Run ${finished.diagnostic_run_id} ended without a result`)
    const answer: AnalyzeTunnelAnswer = { run: finished, result }
    return ok(answer)
  }
}

function analyse(record: TunnelRecord, snapshot: TunnelSnapshot, now: Date): TunnelAnalysis {
  const isCertain = isAnswered(snapshot.inside)
  const well = { sentence: message(isCertain ? 'finding.healthy' : 'finding.unproven'), isCertain }
  return {
    tunnel_id: record.tunnel_id,
    interface_name: record.interface_name,
    ...conclude(evaluateSnapshot(record, snapshot), well, now),
  }
}

// Why a tunnel does or does not carry packets: a verdict, its evidence, and suggested fixes in order (reference.md,
// Analysis result; decisions.md, D7).
import { severityOf } from '@panel/shared/api/analysis.ts'
import type { AnalyzeTunnelAnswer, AnalyzeTunnelBody, TunnelAnalysis } from '@panel/shared/api/diagnostics.ts'
import { commandsIn, message, messageFields } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
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
  const findings = evaluateSnapshot(record, snapshot)
  const stop = findings.find(({ verdict }) => verdict !== null)
  const isProven = isAnswered(snapshot.inside)
  const fixes = findings.filter(({ verdict }) => verdict !== null).flatMap(({ fix }) => fix)
  const verdict = stop?.verdict ?? 'HEALTHY'
  const confidence = (stop ? stop.isCertain : isProven) ? 'high' : 'low'
  return {
    tunnel_id: record.tunnel_id,
    interface_name: record.interface_name,
    verdict,
    severity: severityOf(verdict, confidence),
    ...messageFields('summary', stop?.sentence ?? message(isProven ? 'finding.healthy' : 'finding.unproven')),
    evidence: findings.map(({ evidence }) => evidence),
    suggested_fix: fixes.map(({ message: text }) => text),
    fix_messages: fixes,
    fix_commands: fixes.flatMap(commandsIn),
    confidence,
    checked_at: now.toISOString(),
  }
}

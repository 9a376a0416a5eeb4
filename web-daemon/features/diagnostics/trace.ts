// The hops of the path below a tunnel, or inside it (reference.md, traceroute; decisions.md, D6).
import type {
  TracerouteAnswer,
  TracerouteBody,
  TracerouteHop,
  TracerouteResult,
} from '@panel/shared/api/diagnostics.ts'
import type { TraceHop, TraceParams } from '@panel/shared/path/model.ts'
import { fromRoot, messageFields, verbatim } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { idIn } from '../tunnels/get.ts'
import { targetOf } from '../tunnels/target.ts'
import { pathEnds, type PathName } from './ends.ts'
import type { Run, RunOutcome, Runs } from './runs.ts'

const USUAL = { max_hops: 30, probes: 3, timeout_seconds: 1 } as const

export function traceroute(runs: Runs) {
  return async (
    context: StoreContext,
    { params, body, problems, gone }: Incoming<TracerouteBody>,
  ): Promise<Answer<TracerouteAnswer>> => {
    const record = await targetOf(context, idIn(params))
    const path = body.probe_tunnel === true ? 'tunnel' : 'underlay'
    const { max_hops, probes, timeout_seconds } = { ...USUAL, ...body }
    const probe: TraceParams = {
      ...pathEnds(record, path, body, problems),
      max_hops,
      probes,
      timeout_ms: Math.round(1000 * timeout_seconds),
    }
    problems.throwIfAny()
    const run = await runs.begin(
      { tunnel_id: record.tunnel_id, type: 'traceroute', params: { ...USUAL, ...body } },
      gone,
    )
    context.note.operation(`Run ${run.started.diagnostic_run_id}: the way to ${probe.target_address}`)
    const result = emptyResult(probe, path)
    const finished = await run.execute(() => trace(run, probe, result))
    return ok({ run: finished, result })
  }
}

const emptyResult = ({ source_address, target_address }: TraceParams, path: PathName): TracerouteResult => ({
  source: source_address,
  target: target_address,
  path,
  hops: [],
  reached: false,
  ...messageFields('detail', verbatim('')),
  cancelled: false,
})

/** Fills in the result hop by hop, so that a cancelled run has the hops so far. */
async function trace({ stream, signal }: Run, probe: TraceParams, result: TracerouteResult): Promise<RunOutcome> {
  const { is_reached, detail } = await stream('path.trace', probe, (hop) => void result.hops.push(toHop(hop)), signal)
  Object.assign(result, {
    reached: is_reached,
    ...messageFields('detail', fromRoot(detail)),
    cancelled: signal.aborted,
  })
  return { result: { ...result }, is_success: is_reached }
}

const toHop = ({ hop_limit, addresses, rtts_us, is_reached, detail }: TraceHop): TracerouteHop => ({
  ttl: hop_limit,
  addresses,
  rtts_ms: rtts_us.map((rtt) => (rtt === null ? null : rtt / 1000)),
  reached: is_reached,
  timeout: addresses.length === 0,
  ...messageFields('detail', fromRoot(detail)),
})

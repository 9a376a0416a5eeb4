// The hops of the path below a tunnel, or inside it (interface.md, traceroute; decisions.md, D6).
import type {
  TracerouteAnswer,
  TracerouteBody,
  TracerouteHop,
  TracerouteResult,
} from '@panel/shared/api/diagnostics.ts'
import type { TraceHop, TraceParams } from '@panel/shared/path/model.ts'
import type { CommandContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { idIn } from '../tunnels/get.ts'
import { targetOf } from '../tunnels/look.ts'
import { pathEnds } from './ends.ts'
import type { Runs } from './runs.ts'

const USUAL = { max_hops: 30, probes: 3, timeout_seconds: 1 } as const

export const traceroute =
  (runs: Runs) =>
  async (
    context: CommandContext,
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
    const result: TracerouteResult = {
      source: probe.source_address,
      target: probe.target_address,
      path,
      hops: [],
      reached: false,
      detail: '',
      cancelled: false,
    }
    const finished = await run.execute(async () => {
      const { is_reached, detail } = await run.stream(
        'path.trace',
        probe,
        (hop) => void result.hops.push(hopOf(hop)),
        run.signal,
      )
      Object.assign(result, { reached: is_reached, detail, cancelled: run.signal.aborted })
      return { result: { ...result }, is_success: is_reached }
    })
    const answer: TracerouteAnswer = { run: finished, result }
    return ok(answer)
  }

const hopOf = ({ hop_limit, addresses, rtts_us, is_reached, detail }: TraceHop): TracerouteHop => ({
  ttl: hop_limit,
  addresses,
  rtts_ms: rtts_us.map((rtt) => (rtt === null ? null : rtt / 1000)),
  reached: is_reached,
  timeout: addresses.length === 0,
  detail,
})

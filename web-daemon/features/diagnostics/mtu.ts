// The largest packet that the path below a tunnel, or inside it, carries, and the MTU that follows for the tunnel
// (reference.md, mtu-probe; decisions.md, D5).
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import type { MtuProbeAnswer, MtuProbeBody, MtuProbeResult } from '@panel/shared/api/diagnostics.ts'
import type { MtuParams, MtuResult, MtuStep } from '@panel/shared/path/model.ts'
import { fromRoot, message, messageFields } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { readyRequest } from '../../platform/http/ready.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { isMtuPossible, MTU_RANGE, tunnelOverhead } from '../tunnels/draft/mtu.ts'
import { idIn } from '../tunnels/get.ts'
import { targetOf } from '../tunnels/target.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { observe } from '../tunnels/view.ts'
import { pathEnds, type PathName } from './ends.ts'
import type { Runs } from './runs.ts'

const TIMEOUT_SECONDS = 1

export function probeMtu(runs: Runs) {
  return async (
    context: StoreContext,
    { params, body, problems, gone }: Incoming<MtuProbeBody>,
  ): Promise<Answer<MtuProbeAnswer>> => {
    const record = await targetOf(context, idIn(params))
    const path = body.probe_tunnel === true ? 'tunnel' : 'underlay'
    const probe: MtuParams = {
      ...pathEnds(record, path, body, problems),
      ...probeSizes(body, context.settings, problems),
      timeout_ms: Math.round(1000 * (body.timeout_seconds ?? TIMEOUT_SECONDS)),
    }
    problems.throwIfAny()
    const link = (await observe(context.request, [record.interface_name]))(record.interface_name)
    const run = await runs.begin(
      { tunnel_id: record.tunnel_id, type: 'mtu-probe', params: { ...body, min: probe.min, max: probe.max } },
      gone,
    )
    context.note.operation(`Run ${run.started.diagnostic_run_id}: path MTU to ${probe.target_address}`)
    const steps: MtuStep[] = []
    let result: MtuProbeResult | null = null
    const finished = await run.execute(async () => {
      const found = await run.stream('path.mtu', probe, (step) => void steps.push(step), run.signal)
      result = mtuResult(record, path, probe, {
        ...found,
        steps,
        current: link.mtu ?? record.mtu,
        cancelled: run.signal.aborted,
      })
      return { result: { ...result }, is_success: found.path_mtu !== null }
    })
    return ok(mtuAnswer(record, finished, result))
  }
}

function probeSizes(body: MtuProbeBody, settings: SettingsReader, problems: Problems): Pick<MtuParams, 'min' | 'max'> {
  const [min, max] = [
    body.min ?? settings.get('diagnostics.mtu_probe_min'),
    body.max ?? settings.get('diagnostics.mtu_probe_max'),
  ]
  const field = body.max === undefined ? 'min' : 'max'
  if (min > max && !problems.has('min') && !problems.has('max'))
    problems.add(field, 'INVALID_VALUE', message('diagnostics.probe_order', { min, max }))
  return { min, max }
}

type MtuProbeOutcome = MtuResult & {
  readonly steps: readonly MtuStep[]
  readonly current: number
  readonly cancelled: boolean
}

function mtuResult(record: TunnelRecord, path: PathName, probe: MtuParams, found: MtuProbeOutcome): MtuProbeResult {
  const { path_mtu, current, steps, cancelled } = found
  const overhead = tunnelOverhead(kindOfType(record.tunnel_type_id), record, record).reduce(
    (sum, { bytes }) => sum + bytes,
    0,
  )
  const fitting =
    path_mtu === null ? null : Math.min(path === 'underlay' ? path_mtu - overhead : path_mtu, MTU_RANGE.highest)
  return {
    discovered_path_mtu: path_mtu,
    recommended_tunnel_mtu: fitting,
    overhead,
    path,
    source: probe.source_address,
    target: probe.target_address,
    reported_path_mtu: found.reported_mtu,
    current_tunnel_mtu: current,
    matches: fitting === current,
    steps: steps.map(({ packet_size, outcome, detail, reported_mtu }) => ({
      packet_size,
      fits: outcome === 'fits',
      ...messageFields('detail', fromRoot(detail)),
      reported_mtu,
    })),
    ...messageFields('detail', fromRoot(found.detail)),
    cancelled,
    applied: false,
  }
}

function mtuAnswer(record: TunnelRecord, run: MtuProbeAnswer['run'], result: MtuProbeResult | null): MtuProbeAnswer {
  if (!result) throw new Error(`Run ${run.diagnostic_run_id} ended without a result`)
  const mtu = result.recommended_tunnel_mtu
  const apply =
    mtu !== null && isMtuPossible(mtu, record.addresses)
      ? readyRequest('PATCH /tunnels/{id}', { mtu }, { id: record.tunnel_id })
      : null
  return { run, result, apply }
}

// The counters of a tunnel's interface, and how they change during a sample (reference.md, GET /tunnels/{id}/counters;
// decisions.md, D8).
import { setTimeout as sleep } from 'node:timers/promises'
import { SAMPLE_SECONDS } from '@panel/shared/api/queries.ts'
import type { CountersAnswer } from '@panel/shared/api/diagnostics.ts'
import type { LinkStatistics } from '@panel/shared/tunnel/observed.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { probeOne } from '../tunnels/draft/before.ts'
import { idIn } from '../tunnels/get.ts'
import { requireTunnel } from '../tunnels/target.ts'

export async function showCounters(
  { db, request, now }: ReadContext,
  { params, query }: Incoming,
): Promise<Answer<CountersAnswer>> {
  const { interface_name } = await requireTunnel(db, idIn(params))
  const seconds = Number(query['sample_seconds'] || SAMPLE_SECONDS.usual)
  const sample = await sampleCounters(request, interface_name, () => sleep(1000 * seconds))
  if (!sample)
    throw new Refusal('CONFLICT', message('diagnostics.interface_missing', { name: interface_name }), {
      details: { interface_name },
    })
  const answer: CountersAnswer = { ...sample, sampled_at: now().toISOString() }
  return ok(answer)
}

/** Reads the counters before and after `meanwhile`. Null if the interface is missing at either time. */
export async function sampleCounters(
  request: Reader,
  interface_name: string,
  meanwhile: () => Promise<unknown>,
): Promise<Omit<CountersAnswer, 'sampled_at'> | null> {
  const before = await readCounters(request, interface_name)
  if (!before) return null
  const since = performance.now()
  await meanwhile()
  const counters = await readCounters(request, interface_name)
  if (!counters) return null
  const interval_seconds = (performance.now() - since) / 1000
  const deltas = countersDelta(before, counters)
  const rate = (bytes: number): number => Math.round((100 * bytes) / interval_seconds) / 100
  return {
    interface_name,
    counters,
    deltas,
    rx_bytes_per_second: rate(deltas.rx_bytes),
    tx_bytes_per_second: rate(deltas.tx_bytes),
    interval_seconds: Math.round(interval_seconds * 1000) / 1000,
  }
}

const readCounters = async (request: Reader, interface_name: string): Promise<LinkStatistics | null> =>
  (await probeOne(request, interface_name)).observed?.statistics ?? null

/** An interface that was recreated in between counts from zero. */
function countersDelta(before: LinkStatistics, after: LinkStatistics): LinkStatistics {
  const names = Object.keys(after) as (keyof LinkStatistics)[]
  const base = names.some((name) => after[name] < before[name]) ? null : before
  return Object.fromEntries(names.map((name) => [name, after[name] - (base?.[name] ?? 0)])) as LinkStatistics
}

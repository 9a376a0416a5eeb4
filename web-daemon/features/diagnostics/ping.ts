// A manual ping: streamed packet by packet and stored as a run. It ends when the client disconnects (reference.md,
// Events: Ping; decisions.md, D1 to D4, E8).
import {
  type DiagnosticRun,
  type PingBody,
  type PingPacketEvent,
  type PingSummary,
  type PingSummaryEvent,
} from '@panel/shared/api/diagnostics.ts'
import type { PingPacket, PingParams } from '@panel/shared/path/model.ts'
import type { Logger } from 'pino'
import { fromRoot, message, messageFields } from '@panel/shared/messages/message.ts'
import type { Incoming, StreamContext } from '../../platform/http/endpoint.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { serializeEvent, type StreamSource, type Subscriber } from '../../platform/http/stream.ts'
import { Window } from '../monitor/window.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { idIn } from '../tunnels/get.ts'
import { requireTunnel } from '../tunnels/target.ts'
import { pathEnds } from './ends.ts'
import type { RunOutcome, Run, Runs } from './runs.ts'

const PACKET_SIZE = 56

export function pingTunnel(runs: Runs, logger: Logger) {
  return async (
    { db, settings, note }: StreamContext,
    { params, body, problems, gone }: Incoming<PingBody>,
  ): Promise<StreamSource> => {
    const record = await requireTunnel(db, idIn(params))
    note.target('tunnel', record.tunnel_id)
    const probe: PingParams = {
      ...pathEnds(record, 'tunnel', body, problems),
      ...pingOptions(body, settings, problems),
    }
    problems.throwIfAny()
    const run = await runs.begin({ tunnel_id: record.tunnel_id, type: 'ping', params: runParams(probe) }, gone)
    note.operation(`Run ${run.started.diagnostic_run_id}: ping ${probe.target_address}`)
    return (subscriber) => {
      void streamPing(run, probe, subscriber, logger)
      return () => undefined
    }
  }
}

function pingOptions(
  body: PingBody,
  settings: SettingsReader,
  problems: Problems,
): Omit<PingParams, 'interface_name' | 'source_address' | 'target_address'> {
  const most = settings.get('diagnostics.manual_ping_max_count')
  if (body.count !== undefined && body.count > most)
    problems.add('count', 'INVALID_VALUE', message('diagnostics.ping_count', { field: 'count', most }))
  return {
    count: body.count ?? Math.min(settings.get('diagnostics.manual_ping_count'), most),
    interval_ms: Math.round(1000 * (body.interval_seconds ?? settings.get('diagnostics.manual_ping_interval'))),
    timeout_ms: Math.round(1000 * (body.timeout_seconds ?? settings.get('diagnostics.manual_ping_timeout'))),
    packet_size: body.packet_size ?? PACKET_SIZE,
    is_dont_fragment: body.df ?? false,
  }
}

/** The parameters under the names that the request uses. */
const runParams = ({
  count,
  interval_ms,
  timeout_ms,
  packet_size,
  is_dont_fragment,
  source_address,
  target_address,
}: PingParams): Record<string, unknown> => ({
  count,
  interval_seconds: interval_ms / 1000,
  timeout_seconds: timeout_ms / 1000,
  packet_size,
  df: is_dont_fragment,
  source: source_address,
  target: target_address,
})

async function streamPing(run: Run, probe: PingParams, subscriber: Subscriber, logger: Logger): Promise<void> {
  subscriber.send(serializeEvent('run', run.started))
  try {
    const finished = await run.execute(() =>
      ping(run, probe, (packet) => subscriber.send(serializeEvent('packet', packet))),
    )
    subscriber.send(serializeEvent('summary', summaryEvent(finished)))
  } catch (failure) {
    if (!(failure instanceof Refusal))
      logger.error({ err: failure, diagnostic_run_id: run.started.diagnostic_run_id }, 'a ping failed')
    subscriber.send(
      serializeEvent('error', failure instanceof Refusal ? asMessage(failure) : message('diagnostics.unforeseen')),
    )
  }
  subscriber.end()
}

async function ping(
  { stream, signal }: Run,
  probe: PingParams,
  onPacket: (packet: PingPacketEvent) => void,
): Promise<RunOutcome> {
  const window = new Window(probe.count)
  if (!signal.aborted) {
    await stream(
      'path.ping',
      probe,
      ({ packets }) => {
        for (const packet of packets) {
          const event = packetEvent(packet, probe.packet_size)
          if (!event) continue
          if (event.success) window.answered(packet.sequence, packet.rtt_us ?? 0, packet.sent_at_ms)
          else window.lost(packet.sequence)
          onPacket(event)
        }
      },
      signal,
    )
  }
  const summary = pingSummary(window)
  return {
    result: { summary, source: probe.source_address, target: probe.target_address, cancelled: signal.aborted },
    is_success: summary.received > 0,
  }
}

/** One event per packet: a reply after the timeout changes nothing. */
function packetEvent(
  { sequence, outcome, rtt_us, from_address, detail, sent_at_ms }: PingPacket,
  size: number,
): PingPacketEvent | null {
  if (outcome === 'late') return null
  const success = outcome === 'reply'
  return {
    sequence,
    success,
    rtt_ms: rtt_us === null ? null : rtt_us / 1000,
    size,
    from: from_address,
    ...messageFields('error', fromRoot(detail)),
    kind: outcome,
    at: new Date(sent_at_ms).toISOString(),
  }
}

function pingSummary(window: Window): PingSummary {
  const { sent, received, loss_percent, rtt_min_ms, rtt_avg_ms, rtt_max_ms, rtt_mdev_ms, jitter_ms } = window.stats()
  return { sent, received, loss_percent, rtt_min_ms, rtt_avg_ms, rtt_max_ms, rtt_mdev_ms, jitter_ms }
}

function summaryEvent(run: DiagnosticRun): PingSummaryEvent {
  const { sent, received, loss_percent } = run.result?.['summary'] as PingSummary
  return { ...run, sent, received, loss_percent }
}

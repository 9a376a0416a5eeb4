// Where the probes of a tunnel go and how they are judged: its own overrides first, then the settings (decisions.md,
// R1, S3).
import { farEnds } from '@panel/shared/tunnel/far-end.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { familyIdOf, type TunnelRecord } from '../tunnels/record.ts'
import type { Thresholds, Verdict } from './classify.ts'

export interface ProbeTarget {
  readonly source: string
  readonly target: string
  readonly interval_ms: number
  readonly timeout_ms: number
  readonly packet_size: number
}

export interface MonitorPlan {
  readonly tunnel_id: number
  readonly interface_name: string
  readonly display_name: string
  /** The override, or else the setting. */
  readonly isEnabled: boolean
  readonly isTunnelEnabled: boolean
  readonly usesTcpProbe: boolean
  readonly window_size: number
  /** Length of the intervals of the history. */
  readonly bucket_seconds: number
  readonly thresholds: Thresholds
  /** Why the tunnel is not monitored; null if it is. */
  readonly disabled: Verdict | null
  /** Null if `disabled` is set. */
  readonly probeTarget: ProbeTarget | null
}

export function makeMonitorPlan(record: TunnelRecord, settings: SettingsReader): MonitorPlan {
  const isEnabled = record.is_monitor_enabled ?? settings.get('monitor.enabled')
  const ends = probeEnds(record)
  const state_change_samples = record.monitor_state_change_samples ?? settings.get('monitor.state_change_samples')
  const window_size = record.monitor_window_size ?? settings.get('monitor.window_size')
  const reason = reasonDisabled(record, isEnabled) ?? ('message' in ends ? ends : null)
  return {
    tunnel_id: record.tunnel_id,
    interface_name: record.interface_name,
    display_name: record.display_name,
    isEnabled,
    isTunnelEnabled: record.is_enabled,
    usesTcpProbe: settings.get('monitor.tcp_knock_enabled'),
    window_size,
    bucket_seconds: settings.get('monitor.aggregate_interval_seconds'),
    thresholds: {
      state_change_samples,
      decided_least: Math.min(state_change_samples, window_size),
      degraded_loss_percent: record.monitor_degraded_loss_percent ?? settings.get('monitor.degraded_loss_pct'),
      down_loss_percent: record.monitor_down_loss_percent ?? settings.get('monitor.down_loss_pct'),
      degraded_rtt_ms: record.monitor_degraded_rtt_ms ?? settings.get('monitor.degraded_rtt_ms'),
    },
    disabled: reason === null ? null : { state: 'Disabled', reason },
    probeTarget: reason !== null || 'message' in ends ? null : { ...ends, ...probePace(record, settings) },
  }
}

const probePace = (
  record: TunnelRecord,
  settings: SettingsReader,
): Pick<ProbeTarget, 'interval_ms' | 'timeout_ms' | 'packet_size'> => ({
  interval_ms: Math.round(1000 * (record.monitor_interval_seconds ?? settings.get('monitor.interval_seconds'))),
  timeout_ms: Math.round(1000 * (record.monitor_timeout_seconds ?? settings.get('monitor.timeout_seconds'))),
  packet_size: record.monitor_packet_size ?? settings.get('monitor.packet_size'),
})

function reasonDisabled({ is_enabled, is_monitor_enabled }: TunnelRecord, isEnabled: boolean): Message | null {
  if (!isEnabled) return is_monitor_enabled === false ? message('monitor.off_for_tunnel') : message('monitor.off')
  return is_enabled ? null : message('monitor.tunnel_disabled')
}

/** Ends of the primary address, or of the first with a far end; a message says why there are none. */
export function probeEnds({
  addresses,
  monitor_target,
}: TunnelRecord): Pick<ProbeTarget, 'source' | 'target'> | Message {
  if (addresses.length === 0) return message('monitor.no_address')
  const inOrder = [...addresses].sort((a, b) => Number(b.is_primary) - Number(a.is_primary))
  if (monitor_target !== null) {
    const from = inOrder.find(({ address }) => familyIdOf(address) === familyIdOf(monitor_target))
    return from
      ? { source: from.address, target: monitor_target }
      : message('monitor.target_family', { target: monitor_target })
  }
  const from = inOrder.find((one) => farEnds([one]).length > 0)
  const [target] = from ? farEnds([from]) : []
  if (!from || target === undefined) return message('monitor.no_peer')
  return familyIdOf(from.address) === familyIdOf(target)
    ? { source: from.address, target }
    : message('monitor.peer_family', { target, source: from.address })
}

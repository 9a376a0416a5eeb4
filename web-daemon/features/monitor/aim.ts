// Where the probes of a tunnel go, from where, and by which figures it is judged: its own overrides first, then the settings (decisions.md, R1, S3).
import { farEnds } from '@panel/shared/tunnel/far-end.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { familyIdOf, type TunnelRecord } from '../tunnels/record.ts'
import type { Thresholds, Verdict } from './classify.ts'

export interface Aim {
  readonly source: string
  readonly target: string
  readonly interval_ms: number
  readonly timeout_ms: number
  readonly packet_size: number
}

export interface Plan {
  readonly tunnel_id: number
  readonly interface_name: string
  /** What the override says, or else the setting. */
  readonly isWanted: boolean
  readonly isKnocking: boolean
  readonly window_size: number
  /** Length of the intervals that history is kept in. */
  readonly bucket_seconds: number
  readonly thresholds: Thresholds
  /** Why the tunnel is not watched; null where it is. */
  readonly disabled: Verdict | null
  /** Null where `disabled` says why. */
  readonly aim: Aim | null
}

export function planOf(record: TunnelRecord, settings: SettingsReader): Plan {
  const isWanted = record.is_monitor_enabled ?? settings.get('monitor.enabled')
  const ends = endsOf(record)
  const state_change_samples = record.monitor_state_change_samples ?? settings.get('monitor.state_change_samples')
  const window_size = record.monitor_window_size ?? settings.get('monitor.window_size')
  const why = whyNot(record, isWanted) ?? (typeof ends === 'string' ? ends : null)
  return {
    tunnel_id: record.tunnel_id,
    interface_name: record.interface_name,
    isWanted,
    isKnocking: settings.get('monitor.tcp_knock_enabled'),
    window_size,
    bucket_seconds: settings.get('monitor.aggregate_interval_seconds'),
    thresholds: {
      state_change_samples,
      decided_least: Math.min(state_change_samples, window_size),
      degraded_loss_percent: record.monitor_degraded_loss_percent ?? settings.get('monitor.degraded_loss_pct'),
      down_loss_percent: record.monitor_down_loss_percent ?? settings.get('monitor.down_loss_pct'),
      degraded_rtt_ms: record.monitor_degraded_rtt_ms ?? settings.get('monitor.degraded_rtt_ms'),
    },
    disabled: why === null ? null : { state: 'Disabled', reason: why },
    aim: why !== null || typeof ends === 'string' ? null : { ...ends, ...paceOf(record, settings) },
  }
}

const paceOf = (
  record: TunnelRecord,
  settings: SettingsReader,
): Pick<Aim, 'interval_ms' | 'timeout_ms' | 'packet_size'> => ({
  interval_ms: Math.round(1000 * (record.monitor_interval_seconds ?? settings.get('monitor.interval_seconds'))),
  timeout_ms: Math.round(1000 * (record.monitor_timeout_seconds ?? settings.get('monitor.timeout_seconds'))),
  packet_size: record.monitor_packet_size ?? settings.get('monitor.packet_size'),
})

function whyNot({ is_enabled, is_monitor_enabled }: TunnelRecord, isWanted: boolean): string | null {
  if (!isWanted)
    return is_monitor_enabled === false
      ? 'Monitoring is switched off for this tunnel'
      : 'Monitoring is switched off by the setting monitor.enabled'
  return is_enabled ? null : 'The tunnel is disabled: it is down as its operator wishes'
}

/** Of the primary address, or of the first that has a far end; a text says why there is none. */
export function endsOf({ addresses, monitor_target }: TunnelRecord): Pick<Aim, 'source' | 'target'> | string {
  if (addresses.length === 0) return 'The tunnel has no address to probe from'
  const inOrder = [...addresses].sort((a, b) => Number(b.is_primary) - Number(a.is_primary))
  if (monitor_target !== null) {
    const own = inOrder.find(({ address }) => familyIdOf(address) === familyIdOf(monitor_target))
    return own
      ? { source: own.address, target: monitor_target }
      : `monitor_target ${monitor_target} is of another family than every address of the tunnel`
  }
  const own = inOrder.find((one) => farEnds([one]).length > 0)
  const [target] = own ? farEnds([own]) : []
  if (!own || target === undefined)
    return 'No peer address is known to probe: set peer_address of an address, or monitor_target'
  return familyIdOf(own.address) === familyIdOf(target)
    ? { source: own.address, target }
    : `The peer ${target} is of another family than ${own.address}`
}

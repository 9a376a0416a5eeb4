// The disks that are fuller than the settings allow, of the newest reading.
import type { MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { HostIncident } from '../../platform/health.ts'

/** One that is mounted at several places is named once. A read-only one is full for good. */
export function fullDisks(newest: Pick<MetricsSnapshot, 'disks'> | null): HostIncident[] {
  const full = (newest?.disks ?? []).filter(({ level, is_read_only }) => level !== 'ok' && !is_read_only)
  const once = new Map(full.toReversed().map((disk) => [disk.device, disk]))
  return [...once.values()].map(({ mount_point, used_percent, level }) => ({
    kind: 'disk',
    name: mount_point,
    state: level === 'critical' ? 'down' : 'degraded',
    since: null,
    sentence: message('attention.disk_full', { mount_point, percent: Math.floor(used_percent) }),
  }))
}

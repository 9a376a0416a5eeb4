// The disks that are fuller than the settings allow, of the newest reading.
import type { DiskReading, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { HostIncident } from '../../platform/health.ts'

type Newest = Pick<MetricsSnapshot, 'disks'> | null

/** One that is mounted at several places is named once. A read-only one is full for good. */
export function writableDisks(newest: Newest): DiskReading[] {
  const writable = (newest?.disks ?? []).filter(({ is_read_only }) => !is_read_only)
  return [...new Map(writable.toReversed().map((disk) => [disk.device, disk])).values()]
}

export function fullDisks(newest: Newest): HostIncident[] {
  const full = writableDisks(newest).filter(({ level }) => level !== 'ok')
  return full.map(({ mount_point, used_percent, level }) => ({
    kind: 'disk',
    name: mount_point,
    state: level === 'critical' ? 'down' : 'degraded',
    since: null,
    sentence: message('attention.disk_full', { mount_point, percent: Math.floor(used_percent) }),
  }))
}

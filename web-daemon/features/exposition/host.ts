// The families of what else ends the work of the panel or of its rules: certificates, disks, and programs that undo it.
import { DISK_LEVELS, type DiskReading } from '@panel/shared/api/metrics.ts'
import { gauge, labels, type Family, type LabelText } from './format.ts'

export interface HostSources {
  /** Those that clients are shown, at most one of each state of a listener. */
  readonly certificates: () => readonly { readonly state: string; readonly valid_from: Date; readonly valid_to: Date }[]
  /** Each once, and none that is read-only. */
  readonly disks: () => readonly DiskReading[]
  /** How many tunnels and rules are put back again and again, and taken away again. */
  readonly contested: () => Readonly<Record<string, number>>
}

export function hostFamilies(sources: HostSources): Family[] {
  const certificates = sources.certificates().map((one) => ({ ...one, own: labels({ listener: one.state }) }))
  const disks = sources.disks().map((one) => ({ ...one, own: labels({ disk: one.mount_point }) }))
  const each = <T extends { readonly own: LabelText }>(all: readonly T[], value: (one: T) => number) =>
    all.map((one) => ({ labels: one.own, value: value(one) }))
  return [
    gauge(
      'certificate_valid_from_seconds',
      'The start of the certificate of a listener that is open, as Unix time.',
      each(certificates, ({ valid_from }) => valid_from.getTime() / 1000),
    ),
    gauge(
      'certificate_valid_to_seconds',
      'The end of the certificate of a listener that is open, as Unix time.',
      each(certificates, ({ valid_to }) => valid_to.getTime() / 1000),
    ),
    gauge(
      'disk_size_bytes',
      'The size of each file system that can be written.',
      each(disks, ({ total_bytes }) => total_bytes),
    ),
    gauge(
      'disk_available_bytes',
      'What an unprivileged program can still write there.',
      each(disks, ({ available_bytes }) => available_bytes),
    ),
    gauge(
      'disk_level',
      '1 for how full it is by the settings, 0 for the other levels.',
      disks.flatMap(({ mount_point, level }) =>
        DISK_LEVELS.map((state) => ({ labels: labels({ disk: mount_point, state }), value: state === level ? 1 : 0 })),
      ),
    ),
    gauge(
      'heal_contested',
      'Tunnels and relay rules that something takes away again and again.',
      Object.entries(sources.contested()).map(([noun, value]) => ({ labels: labels({ noun }), value })),
    ),
  ]
}

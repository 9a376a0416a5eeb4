// The space of the host's disks. A disk that does not respond delays nothing: it is not read again until it does, and
// reported meanwhile.
import type { DiskReading } from '@panel/shared/api/metrics.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { errorMessage } from '../../platform/http/refusal.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { percent } from './figures.ts'
import type { Host, Space } from './host.ts'
import { parseMounts, shownMounts, type Mount } from './parse/mountinfo.ts'

const DISK_TIMEOUT_MS = 200

class SilentError extends Error {}

export class Disks {
  readonly #host: Host
  readonly #settings: SettingsReader
  /** Mount points with a request that has not finished: each occupies a thread of the pool, which sign-in needs too. */
  readonly #silent = new Set<string>()

  constructor(host: Host, settings: SettingsReader) {
    this.#host = host
    this.#settings = settings
  }

  /** `onError` is called for each disk that cannot be read; it is left out. */
  async read(onError: (sentence: Message) => void): Promise<DiskReading[]> {
    const mounts = shownMounts(
      parseMounts(this.#host.read('/proc/self/mountinfo')),
      this.#settings.get('metrics.hide_pseudo_filesystems'),
    )
    const readings = await Promise.all(
      mounts.map((mount) => this.#disk(mount).catch((failure: unknown) => onError(disksTrouble(mount, failure)))),
    )
    return readings.flatMap((disk) => (disk && disk.total_bytes > 0 ? [disk] : []))
  }

  async #disk(mount: Mount): Promise<DiskReading> {
    const { mount_point } = mount
    if (this.#silent.has(mount_point)) throw new SilentError()
    this.#silent.add(mount_point)
    const request = this.#host.space(mount_point).finally(() => this.#silent.delete(mount_point))
    return diskReading(mount, await within(DISK_TIMEOUT_MS, request), this.#settings)
  }
}

const disksTrouble = ({ mount_point }: Mount, failure: unknown): Message =>
  failure instanceof SilentError
    ? message('component.disk_silent', { mount_point })
    : message('component.disk_unreadable', { mount_point, why: errorMessage(failure) })

export function diskReading(
  { device, mount_point, filesystem, is_read_only }: Mount,
  space: Space,
  settings: SettingsReader,
): DiskReading {
  const { bsize, blocks, bfree, bavail, files, ffree } = space
  const used_bytes = (blocks - bfree) * bsize
  const available_bytes = bavail * bsize
  const used_percent = percent(used_bytes, used_bytes + available_bytes)
  return {
    device,
    mount_point,
    filesystem,
    is_read_only,
    total_bytes: blocks * bsize,
    used_bytes,
    available_bytes,
    used_percent,
    inodes_total: files,
    inodes_used_percent: percent(files - ffree, files),
    level: fillLevel(used_percent, settings),
  }
}

const fillLevel = (used_percent: number, settings: SettingsReader): DiskReading['level'] => {
  if (used_percent >= settings.get('metrics.disk_critical_pct')) return 'critical'
  return used_percent >= settings.get('metrics.disk_warn_pct') ? 'warn' : 'ok'
}

const within = async <T>(ms: number, request: Promise<T>): Promise<T> => {
  let late: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_resolve, reject) => (late = setTimeout(() => reject(new SilentError()), ms)))
  return Promise.race([request, tooLate]).finally(() => clearTimeout(late))
}

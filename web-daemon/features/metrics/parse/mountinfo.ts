// Reads /proc/self/mountinfo (proc_pid_mountinfo(5)) and picks the file systems to show.

export interface Mount {
  /** Device number; bind mounts of one file system share it. */
  readonly device_number: string
  /** The mounted part of the file system; "/" is all of it. */
  readonly root: string
  readonly mount_point: string
  readonly filesystem: string
  readonly device: string
  readonly is_read_only: boolean
}

/** `is_read_only` is that of the file system: a sandbox may mount it read-only for one program. */
export function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [left = '', right] = line.split(' - ')
    const [, , device_number = '', root = '', mount_point = ''] = left.split(' ')
    const [filesystem = '', device = '', options = ''] = right?.split(' ') ?? []
    if (filesystem === '') return []
    return [
      {
        device_number,
        root: unescaped(root),
        mount_point: unescaped(mount_point),
        filesystem,
        device: unescaped(device),
        is_read_only: options.split(',').includes('ro'),
      },
    ]
  })
}

/**
 * One mount per file system: a whole one before a part, then the shortest path. Mounts that are covered by another are
 * left out.
 */
export function shownMounts(mounts: readonly Mount[], hidesPseudo: boolean): Mount[] {
  const visible = new Map(mounts.map((mount) => [mount.mount_point, mount]))
  const best = new Map<string, Mount>()
  for (const mount of visible.values()) {
    const other = best.get(mount.device_number)
    if (!isRemote(mount) && (!hidesPseudo || isDisk(mount)) && (!other || rank(mount) < rank(other)))
      best.set(mount.device_number, mount)
  }
  return [...best.values()].sort((a, b) => (a.mount_point < b.mount_point ? -1 : 1))
}

const rank = ({ root, mount_point }: Mount): number => (root === '/' ? 0 : 10_000) + mount_point.length

/** Images are always full; the others stand on a device, or are the root of a container. */
const IMAGES = new Set(['squashfs', 'iso9660', 'erofs', 'cramfs', 'udf'])
const WITHOUT_DEVICE = new Set(['zfs', 'bcachefs'])

const isDisk = ({ filesystem, device, mount_point }: Mount): boolean => {
  if (device.startsWith('/dev/')) return !IMAGES.has(filesystem)
  return WITHOUT_DEVICE.has(filesystem) || (filesystem === 'overlay' && mount_point === '/')
}

/** Reading their space could block for as long as the server or program does not respond, so they are never read. */
const REMOTE = new Set([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  '9p',
  'ceph',
  'afs',
  'glusterfs',
  'lustre',
  'autofs',
  'virtiofs',
  'fuse',
  'fuseblk',
])

const isRemote = ({ filesystem }: Mount): boolean => REMOTE.has(filesystem) || filesystem.startsWith('fuse.')

/** The kernel escapes blanks and backslashes in octal. */
const unescaped = (text: string): string =>
  text.includes('\\')
    ? Buffer.from(
        text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
        'latin1',
      ).toString()
    : text

// Makes a fresh debootstrap tree into the lab's machine: its own files, its units, and nothing left of the host that
// built it.
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { host } from './host.ts'

const enabled = ['systemd-networkd.service', 'lab-agent.socket', 'lab-agent.service']

// Each would take processor time or wait for something that the machine does not have.
const masked = [
  ...[
    'getty@tty1.service',
    'serial-getty@ttyS0.service',
    'systemd-networkd-wait-online.service',
    'systemd-pstore.service',
    'e2scrub_reap.service',
  ],
  ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'dpkg-db-backup.timer', 'fstrim.timer', 'e2scrub_all.timer'],
  ...['systemd-tmpfiles-clean.timer'],
]

// Each reload of systemd runs them all, and what they would generate (a mount of fstab, a getty) no test looks for.
const generators = 'usr/lib/systemd/system-generators'

// What debootstrap and apt copied from the host or wrote down about the mirror.
const traces = [
  ...[
    'etc/apt/sources.list',
    'etc/resolv.conf',
    'var/log/bootstrap.log',
    'var/log/dpkg.log',
    'var/log/apt',
    'var/cache/apt',
  ],
  ...['var/lib/apt/lists', 'usr/lib/lab/frames.d.mts'],
]

export async function furnish(root: string, guestFiles: string): Promise<void> {
  await cp(guestFiles, root, { recursive: true })
  for (const path of traces) await rm(join(root, path), { recursive: true, force: true })
  await writeFile(join(root, 'etc/hostname'), 'lab\n')
  await writeFile(join(root, 'etc/hosts'), '127.0.0.1 localhost lab\n::1 localhost lab\n')
  // A machine without an identity runs systemd's first-boot set-up, which would enable again what is masked here.
  await writeFile(join(root, 'etc/machine-id'), `${'1ab'.repeat(10)}00\n`)
  await host('chroot', [root, 'systemctl', 'enable', ...enabled])
  await host('chroot', [root, 'systemctl', 'mask', ...masked])
  await maskGenerators(root)
  // As after the first boot, so that no boot makes the caches again that debootstrap has made.
  for (const path of ['etc/.updated', 'var/.updated']) await writeFile(join(root, path), '')
}

async function maskGenerators(root: string): Promise<void> {
  const masks = join(root, 'etc/systemd/system-generators')
  await mkdir(masks, { recursive: true })
  for (const name of await readdir(join(root, generators))) await symlink('/dev/null', join(masks, name))
}

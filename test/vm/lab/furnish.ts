// Makes a fresh debootstrap tree into the lab's machine: its own files, its units, and nothing left of the host that
// built it.
import { cp, rm, writeFile } from 'node:fs/promises'
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
}

// Files of systemd-networkd, and how a running networkd is made to read them.
import { existsSync, lstatSync } from 'node:fs'
import { NETWORKD_KINDS } from '@panel/shared/tunnel/saved-file.ts'
import { inBursts } from './bursts.ts'
import type { NetworkdFiles } from '../facilities.ts'
import { runQuietly } from '../program/run-quietly.ts'
import { savedFilesIn } from './saved-files.ts'

const NETWORKD_FOLDERS = [
  '/etc/systemd/network',
  '/run/systemd/network',
  '/usr/lib/systemd/network',
  '/usr/local/lib/systemd/network',
]
const UNIT = 'systemd-networkd.service'
/**
 * The folders where `systemctl enable` puts its links: the unit's own [Install] uses the first, administrators the
 * others.
 */
const ENABLING = ['multi-user.target.wants', 'sysinit.target.wants', 'network.target.wants']

export const networkdReads = (folder: string): boolean => NETWORKD_FOLDERS.includes(folder)
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * systemd keeps such a link, pointing nowhere, for every unit while it is active. Asking over D-Bus might start one
 * that is not.
 */
export const networkdRuns = (): boolean => isThere(`/run/systemd/units/invocation:${UNIT}`)

/** Whether the next boot starts networkd, found out without starting a program. */
export const networkdIsEnabled = (): boolean =>
  ['/etc/systemd/system', '/usr/lib/systemd/system'].some((folder) =>
    ENABLING.some((wants) => isThere(`${folder}/${wants}/${UNIT}`)),
  )

export const networkdIsInstalled = (): boolean =>
  ['/usr/lib/systemd/systemd-networkd', '/lib/systemd/systemd-networkd'].some((path) => existsSync(path))

/**
 * The files of systemd-networkd in a folder. A burst of changes causes one reload, like that of systemd's own units;
 * but no link is made or deleted while networkd holds an older file for it.
 */
export function networkdFilesIn(folder: string): NetworkdFiles {
  const reload = inBursts(async () => {
    if (networkdReads(folder) && networkdRuns()) await runQuietly('/usr/bin/networkctl', ['reload'])
  })
  return {
    ...savedFilesIn(folder, NETWORKD_KINDS, () => undefined, networkdReads(folder) ? ['/run/systemd/network'] : []),
    reloadFor: async (interface_name) => reload.soon(interface_name),
    settled: (interface_name) => reload.doneFor(interface_name),
  }
}

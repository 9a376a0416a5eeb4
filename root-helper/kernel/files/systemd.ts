// Asks a running systemd to read its unit files again, once for a burst of changes, and to run the keepalives that are
// enabled now.
import { existsSync } from 'node:fs'
import { parseFileName } from '@panel/shared/tunnel/saved-file.ts'
import { inBursts } from './bursts.ts'
import { runQuietly } from '../program/run-quietly.ts'
import { isEnabledIn } from './units.ts'

const SYSTEMD_FOLDERS = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/lib/systemd/system',
  '/usr/local/lib/systemd/system',
]
const SYSTEMCTL = '/usr/bin/systemctl'

export const systemdReads = (folder: string): boolean => SYSTEMD_FOLDERS.includes(folder)
export const systemdRuns = (): boolean => existsSync('/run/systemd/system')

/**
 * Reloading costs systemd time in proportion to its units, so a thousand tunnels made in a row reload it a few times,
 * not a thousand.
 */
export function reloadLater(folder: string): (unit: string) => void {
  if (!systemdReads(folder) || !systemdRuns()) return () => undefined
  const reload = inBursts((units) => tellSystemd(folder, units))
  return (unit) => reload.soon(unit)
}

async function tellSystemd(folder: string, units: readonly string[]): Promise<void> {
  const keepalives = units.filter((unit) => parseFileName(unit)?.kind === 'systemd_keepalive_unit')
  const enabled = keepalives.filter((unit) => isEnabledIn(folder, unit))
  const others = keepalives.filter((unit) => !enabled.includes(unit))
  // A unit whose file is gone is stopped while systemd still knows it.
  if (others.length > 0) await runQuietly(SYSTEMCTL, ['--no-block', 'stop', ...others])
  await runQuietly(SYSTEMCTL, ['daemon-reload'])
  // Restarted, since its text or its symbolic link may have changed.
  if (enabled.length > 0) await runQuietly(SYSTEMCTL, ['--no-block', 'restart', ...enabled])
}

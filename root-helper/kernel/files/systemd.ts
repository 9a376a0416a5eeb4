// Asks a running systemd to read its unit files again, once for a burst of changes, and to run the keepalives that are
// enabled now; and asks which of them it does not run.
import { existsSync, lstatSync } from 'node:fs'
import { parseFileName, savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import { inBursts } from './bursts.ts'
import { runQuietly } from '../program/run-quietly.ts'
import { isEnabledIn, type Systemd } from './units.ts'

const SYSTEMD_FOLDERS = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/lib/systemd/system',
  '/usr/local/lib/systemd/system',
]
const SYSTEMCTL = '/usr/bin/systemctl'
/** Readers of a tunnel wait for this query. */
const ASKING_MS = 5000

export const systemdReads = (folder: string): boolean => SYSTEMD_FOLDERS.includes(folder)
export const systemdRuns = (): boolean => existsSync('/run/systemd/system')

const NO_SYSTEMD: Systemd = { changed: () => undefined, listStopped: async () => [] }

/**
 * Reloading costs systemd time in proportion to its units, so a thousand tunnels made in a row reload it a few times,
 * not a thousand.
 */
export function systemdReading(folder: string): Systemd {
  if (!systemdReads(folder) || !systemdRuns()) return NO_SYSTEMD
  const reload = inBursts((units) => tellSystemd(folder, units))
  return {
    changed: (unit) => reload.soon(unit),
    listStopped: (units) => listStopped(units.filter((unit) => !reload.isDueFor(unit))),
  }
}

/**
 * Returns the units that are stopped. systemd keeps such a link, pointing nowhere, for every unit while it runs. A unit
 * without the link may also be about to start or wait for its next try, so systemd is queried about those alone. A
 * query by pattern takes as long for a thousand units as for one.
 */
async function listStopped(units: readonly string[]): Promise<string[]> {
  const idle = units.filter((unit) => !lstatSync(`/run/systemd/units/invocation:${unit}`, { throwIfNoEntry: false }))
  if (idle.length === 0) return []
  const pattern = savedFileName('systemd_keepalive_unit', '*')
  const listed = await runQuietly(SYSTEMCTL, ['list-units', '--plain', '--full', pattern], ASKING_MS)
  return listed === '' ? [] : stoppedAmong(idle, listed)
}

/** `systemctl list-units` lists what runs, has failed, or has a job: of the others it says nothing. */
export function stoppedAmong(idle: readonly string[], listed: string): string[] {
  const rows = listed.split('\n').map((line) => line.trim().split(/\s+/))
  const underWay = new Set(rows.filter(([, , state]) => state !== 'failed').map(([unit = '']) => unit))
  return idle.filter((unit) => !underWay.has(unit))
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

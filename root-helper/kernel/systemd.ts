// Asks a running systemd to read its unit files again, once for a burst of changes; boot reads them anyway.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { log } from '../log.ts'

const SYSTEMD_FOLDERS = ['/etc/systemd/system', '/run/systemd/system', '/usr/lib/systemd/system', '/usr/local/lib/systemd/system']

export const systemdReads = (folder: string): boolean => SYSTEMD_FOLDERS.includes(folder)
export const systemdRuns = (): boolean => existsSync('/run/systemd/system')

/** Reloading costs systemd time in proportion to its units, so a thousand tunnels made in a row reload it a few times, not a thousand. */
export function reloadLater(folder: string, pause_ms = 1000): () => void {
  if (!systemdReads(folder) || !systemdRuns()) return () => undefined
  let timer: NodeJS.Timeout | null = null
  return () => {
    timer ??= setTimeout(() => {
      timer = null
      execFile('/usr/bin/systemctl', ['daemon-reload'], (error, _stdout, stderr) => {
        if (error) log('error', 'systemd would not read its unit files again; run "systemctl daemon-reload"', { detail: stderr || error.message })
      })
    }, pause_ms)
  }
}

// Saves a text as a file, as a download of the browser.
import type { BackupDocument } from '@panel/shared/api/backup.ts'

export const saveFile = (name: string, text: string, type = 'text/plain'): void => {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Under a name with host and date. */
export const saveBackup = (backup: BackupDocument): void => {
  const host = backup.panel.hostname.replaceAll(/[^A-Za-z0-9.-]+/g, '-') || 'backup'
  const name = `tunnel-panel-${host}-${backup.exported_at.slice(0, 19).replaceAll(':', '-')}.json`
  saveFile(name, `${JSON.stringify(backup, null, 2)}\n`, 'application/json')
}

// Whether this browser has saved a backup: the server answers one and never learns what became of it.
const KEY = 'panel.backup.saved'

export const hasSavedBackup = (): boolean => localStorage.getItem(KEY) !== null
export const noteSavedBackup = (): void => localStorage.setItem(KEY, 'yes')

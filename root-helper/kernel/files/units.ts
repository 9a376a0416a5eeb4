// Units of saved tunnels and their keepalives, enabled by the link that `systemctl enable` would make.
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isSavedFile, UNIT_KINDS } from '@panel/shared/tunnel/saved-file.ts'
import type { UnitFiles } from '../facilities.ts'
import { unchangedFolders } from './file-cache.ts'
import { removeIfThere, syncFolder } from './files.ts'
import { removeAndSync, savedFilesIn } from './saved-files.ts'

const WANTS = 'multi-user.target.wants'

export interface Systemd {
  /** After each change of a unit file, or of whether it is enabled. */
  changed(unit: string): void
  /** Like listStopped of UnitFiles. */
  listStopped(units: readonly string[]): Promise<string[]>
}

/** `more`: other folders whose drop-ins count. */
export function unitFilesIn(folder: string, systemd: Systemd, more: readonly string[] = []): UnitFiles {
  const files = savedFilesIn(folder, UNIT_KINDS, systemd.changed, more)
  const wants = join(folder, WANTS)
  const enabledIn = unchangedFolders(listEnabled)
  return {
    ...files,
    isEnabled: async (name) => isEnabledIn(folder, name),
    listEnabled: async () => enabledIn(wants),
    listStopped: systemd.listStopped,
    setEnabled: async (name, enabled) => {
      await (enabled ? enable(wants, name) : removeAndSync(wants, join(wants, name)))
      systemd.changed(name)
    },
  }
}

/** A plain file where the symbolic link should be enables nothing of ours. */
export function isEnabledIn(folder: string, name: string): boolean {
  const path = join(folder, WANTS, name)
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && readlinkSync(path) === `../${name}`
}

/** The folder is made with the first unit that is enabled. */
function listEnabled(wants: string): string[] {
  if (!existsSync(wants)) return []
  return readdirSync(wants, { withFileTypes: true })
    .filter(
      (entry) =>
        entry.isSymbolicLink() &&
        isSavedFile(entry.name, UNIT_KINDS) &&
        readlinkSync(join(wants, entry.name)) === `../${entry.name}`,
    )
    .map(({ name }) => name)
}

async function enable(wants: string, name: string): Promise<void> {
  await mkdir(wants, { recursive: true, mode: 0o755 })
  const link = join(wants, name)
  await removeIfThere(link)
  await symlink(`../${name}`, link)
  await syncFolder(wants)
}

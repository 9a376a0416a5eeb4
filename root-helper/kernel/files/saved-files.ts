// Files of saved tunnels: plain files of our own name patterns in one folder.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FileKind } from '@panel/shared/tunnel/model.ts'
import { isSavedFile } from '@panel/shared/tunnel/saved-file.ts'
import type { SavedFiles } from '../facilities.ts'
import { removeIfThere, syncFolder, writeWhole } from './files.ts'
import { unchangedFiles, unchangedFolders } from './file-cache.ts'

/**
 * `changed` is called after each change, with the name of the file. `more`: folders in which drop-ins count too, where
 * the folder is one that systemd reads.
 */
export function savedFilesIn(
  folder: string,
  kinds: readonly FileKind[],
  changed: (name: string) => void,
  more: readonly string[] = [],
): SavedFiles {
  const isOurs = (name: string): boolean => isSavedFile(name, kinds)
  const path = (name: string): string => {
    if (!isOurs(name)) throw new Error(`${name} is not a name of our files`)
    return join(folder, name)
  }
  const read = unchangedFiles()
  const namesIn = unchangedFolders((of) => readdirSync(of).filter(isOurs))
  const dropInsIn = unchangedFolders((of) => listDropIns(of).filter(isOurs))
  return {
    read: async (name) => read(path(name)),
    list: async () => namesIn(folder),
    write: async (name, content) => {
      await writeWhole(path(name), content, 0o644)
      changed(name)
    },
    remove: async (name) => {
      await removeAndSync(folder, path(name))
      changed(name)
    },
    isOverridden: async (name) =>
      isOurs(name) && [folder, ...more].some((one) => hasDropIns(join(one, `${name}${DROP_INS}`))),
    listOverridden: async () =>
      [folder, ...more].flatMap((one) => dropInsIn(one).filter((name) => hasDropIns(join(one, `${name}${DROP_INS}`)))),
  }
}

const DROP_INS = '.d'

/** The files that folders beside them are for. */
const listDropIns = (folder: string): string[] =>
  (isFolder(folder) ? readdirSync(folder) : [])
    .filter((entry) => entry.endsWith(DROP_INS))
    .map((entry) => entry.slice(0, -DROP_INS.length))

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
const hasDropIns = (folder: string): boolean =>
  isFolder(folder) && readdirSync(folder).some((name) => name.endsWith('.conf'))

export async function removeAndSync(folder: string, path: string): Promise<void> {
  await removeIfThere(path)
  await syncFolder(folder)
}

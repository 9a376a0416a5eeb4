// Unit files of saved tunnels: plain files of our own name pattern in one folder, enabled by the link that `systemctl enable` would make.
import { lstatSync, readlinkSync } from 'node:fs'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { UNIT_NAME } from '@panel/shared/render/systemd-unit.ts'
import type { UnitFiles } from './facilities.ts'
import { readIfThere, removeIfThere, syncFolder, writeWhole } from './files.ts'

const WANTS = 'multi-user.target.wants'

/** `changed` is told after each change, so that a running systemd can be asked to read the folder anew. */
export function unitFilesIn(folder: string, changed: () => void): UnitFiles {
  const path = (name: string): string => join(folder, ours(name))
  const wants = (name: string): string => join(folder, WANTS, ours(name))
  const then = async (work: Promise<void>): Promise<void> => {
    await work
    changed()
  }
  return {
    read: async (name) => readIfThere(path(name)),
    list: async () => (await readdir(folder)).filter((name) => UNIT_NAME.test(name)),
    write: async (name, content) => then(writeWhole(path(name), content, 0o644)),
    remove: async (name) => then(removeAndSync(folder, path(name))),
    isEnabled: async (name) => isLinkTo(wants(name), `../${name}`),
    setEnabled: async (name, enabled) => then(enabled ? enable(folder, wants(name), name) : removeAndSync(join(folder, WANTS), wants(name))),
  }
}

function ours(name: string): string {
  if (!UNIT_NAME.test(name)) throw new Error(`${name} is not a name of our units`)
  return name
}

async function enable(folder: string, link: string, name: string): Promise<void> {
  await mkdir(join(folder, WANTS), { recursive: true, mode: 0o755 })
  await removeIfThere(link)
  await symlink(`../${name}`, link)
  await syncFolder(join(folder, WANTS))
}

async function removeAndSync(folder: string, path: string): Promise<void> {
  await removeIfThere(path)
  await syncFolder(folder)
}

/** A plain file in the place of the link enables nothing of ours. */
const isLinkTo = (path: string, target: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && readlinkSync(path) === target

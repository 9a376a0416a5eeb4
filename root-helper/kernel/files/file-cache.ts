// Reads a small file or a folder again only where the kernel reports a change: of the files of a thousand tunnels hardly
// one has changed.
import { lstatSync, type Stats } from 'node:fs'
import { readIfThere } from './files.ts'

interface Entry<T> {
  readonly seen: T
  readonly stats: Stats
}

/**
 * File systems record times in steps of some milliseconds, so what changed just before it was read may change again
 * unnoticed.
 */
const SETTLED_MS = 2000
/** More files than one host has of ours; beyond it the cache is emptied. */
const MOST = 5000

/** Like readIfThere, with a cache. */
export const unchangedFiles = (): ((path: string) => string | null) => unchanged((stats) => stats.isFile(), readIfThere)

/**
 * Caches `list`, which reads the names in a folder and where its symbolic links lead: both change only with the folder.
 */
export const unchangedFolders = <T>(list: (folder: string) => T): ((folder: string) => T) =>
  unchanged((stats) => stats.isDirectory(), list)

function unchanged<T>(isKept: (stats: Stats) => boolean, read: (path: string) => T): (path: string) => T {
  const entries = new Map<string, Entry<T>>()
  return (path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats || !isKept(stats)) return read(path)
    const before = entries.get(path)
    if (before && isSame(before.stats, stats)) return before.seen
    const seen = read(path)
    if (entries.size >= MOST) entries.clear()
    if (Date.now() - stats.ctimeMs > SETTLED_MS) entries.set(path, { seen, stats })
    else entries.delete(path)
    return seen
  }
}

/** Nobody sets ctime: whatever is done to a file, or put in its place, shows in it or in the number of the inode. */
const isSame = (a: Stats, b: Stats): boolean =>
  a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.size === b.size && a.dev === b.dev

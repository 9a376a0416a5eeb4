// Reads a small file again only where the kernel reports a change: of the files of a thousand tunnels hardly one has
// changed.
import { lstatSync, type Stats } from 'node:fs'
import { readIfThere } from './files.ts'

interface Entry {
  readonly content: string
  readonly stats: Stats
}

/**
 * File systems record times in steps of some milliseconds, so a file that changed just before it was read may change
 * again unnoticed.
 */
const SETTLED_MS = 2000
/** More files than one host has of ours; beyond it the cache is emptied. */
const MOST = 5000

/** As readIfThere. */
export function unchangedFiles(): (path: string) => string | null {
  const entries = new Map<string, Entry>()
  return (path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile()) return readIfThere(path)
    const before = entries.get(path)
    if (before && isSame(before.stats, stats)) return before.content
    const content = readIfThere(path)
    if (entries.size >= MOST) entries.clear()
    if (content !== null && Date.now() - stats.ctimeMs > SETTLED_MS) entries.set(path, { content, stats })
    else entries.delete(path)
    return content
  }
}

/** Nobody sets ctime: whatever is done to a file, or put in its place, shows in it or in the number of the inode. */
const isSame = (a: Stats, b: Stats): boolean =>
  a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.size === b.size && a.dev === b.dev

// Where what is slow to make is kept: folders that appear whole or not at all, each made by one process at a time.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { access, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const keptMs = 14 * 24 * 3600 * 1000

export function cacheFolder(): string {
  return process.env['PANEL_LAB_CACHE'] ?? join(homedir(), '.cache', 'tunnel-panel-lab')
}

/** Returns the folder, made by `make` if it is not there yet. A killed `make` leaves a folder that nobody uses. */
export async function cached(folder: string, make: (unfinished: string) => Promise<void>): Promise<string> {
  if (await exists(folder)) {
    await utimes(folder, new Date(), new Date()) // in use: see forgetUnused
    return folder
  }
  await mkdir(dirname(folder), { recursive: true })
  await locked(`${folder}.lock`, async () => {
    if (await exists(folder)) return // another process made it while this one waited
    // A name of its own: programs that a killed build has started may go on for a while, in theirs.
    const unfinished = `${folder}.unfinished-${process.pid}`
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished)
    await make(unfinished)
    await rename(unfinished, folder)
    await forgetUnused(dirname(folder))
  })
  return folder
}

// Every change of what the machine is made from leaves the one before behind, 600 MB each.
async function forgetUnused(parent: string): Promise<void> {
  for (const name of (await readdir(parent)).filter((each) => !each.endsWith('.lock'))) {
    const { mtimeMs } = await stat(join(parent, name))
    if (Date.now() - mtimeMs > keptMs) await rm(join(parent, name), { recursive: true })
  }
}

// The kernel drops flock(1)'s lock when its holder ends, and the holder ends when its stdin does, so no kill leaves a
// lock behind.
async function locked(file: string, work: () => Promise<void>): Promise<void> {
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit').then(() => failed(file))])
  try {
    await work()
  } finally {
    holder.stdin.end()
  }
}

function failed(file: string): never {
  throw new Error(`cannot lock ${file}: is util-linux's flock installed and the folder writable?`)
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** A short name for some content: the names and bytes of every file below the given paths, and the given words. */
export async function fingerprint(paths: readonly string[], words: readonly string[] = []): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(words))
  for (const path of paths) {
    for (const file of await filesBelow(path))
      hash.update(file.slice(dirname(path).length)).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 16)
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR') return null
      throw error
    },
  )
  if (entries === null) return [path]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

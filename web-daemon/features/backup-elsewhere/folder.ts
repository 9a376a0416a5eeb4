// The directory of the host that backups are written to. No path comes over the API: the configuration names it. Only
// files of this panel by name are deleted there.
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

export interface BackupFile {
  readonly name: string
  readonly size_bytes: number
}

export interface FolderDeps {
  readonly path: string
  /** That of the store. */
  readonly state_dir: string
}

/** Several panels may share a directory, so the name has that of the host. */
const OWN_START = `tunnel-panel-${hostname().replace(/[^A-Za-z0-9.-]/g, '-') || 'host'}-`
const [END, PART] = ['.backup', '.part']

export const fileName = (at: Date): string =>
  `${OWN_START}${at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '')}${END}`

const isOwn = (name: string, end: string): boolean =>
  name.startsWith(OWN_START) && name.endsWith(end) && /^\d{8}T\d{6}Z$/.test(name.slice(OWN_START.length, -end.length))

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

export class Folder {
  readonly path: string
  readonly #state_dir: string

  constructor({ path, state_dir }: FolderDeps) {
    this.path = path
    this.#state_dir = state_dir
  }

  /** Newest first. */
  async files(): Promise<BackupFile[]> {
    const names = (await readdir(this.path)).filter((name) => isOwn(name, END))
    const found = await Promise.all(
      names.map(async (name) => ({ name, size_bytes: (await stat(join(this.path, name))).size })),
    )
    return found.sort((a, b) => (a.name < b.name ? 1 : -1))
  }

  /** Whether the directory is lost with the store. Null if there is none. */
  async isOnPanelDisk(): Promise<boolean | null> {
    try {
      const [here, there] = await Promise.all([stat(this.path), stat(this.#state_dir)])
      return here.dev === there.dev
    } catch {
      return null
    }
  }

  /** The file is there whole or not at all, also after a power cut; then the oldest ones go. */
  async write(name: string, text: string, kept: number): Promise<void> {
    // A directory elsewhere is not made: a disk that is not mounted must not be replaced by this one.
    if (this.path.startsWith(`${this.#state_dir}/`)) await mkdir(this.path, { recursive: true, mode: 0o700 })
    await this.#removeParts()
    const part = join(this.path, `${name}${PART}`)
    try {
      await writeNew(part, text)
      await rename(part, join(this.path, name))
    } catch (failure) {
      // A full disk gets its room back.
      await rm(part, { force: true })
      throw failure
    }
    await this.#sync()
    await this.#removeOldest(name, kept)
  }

  async #sync(): Promise<void> {
    const directory = await open(this.path, 'r')
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  }

  /** What a kill or a full disk left behind. */
  async #removeParts(): Promise<void> {
    for (const name of await readdir(this.path)) if (isOwn(name, `${END}${PART}`)) await unlink(join(this.path, name))
  }

  /** The one just made stays, even if the clock was set back. */
  async #removeOldest(made: string, kept: number): Promise<void> {
    const others = (await this.files()).filter(({ name }) => name !== made)
    for (const { name } of others.slice(kept - 1)) await unlink(join(this.path, name))
  }
}

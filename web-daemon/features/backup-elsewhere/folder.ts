// The directory of the host that backups are written to. No path comes over the API: the configuration names it. Only
// files of this panel by name are deleted there. It may be on a share that never answers, so a process of its own looks
// and writes there.
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ApartError, FilesApart, type ApartClock, type Files } from '../../platform/files-apart.ts'

const LOOK_WITHIN_MS = 3000

export interface BackupFile {
  readonly name: string
  readonly size_bytes: number
}

export interface FolderDeps {
  readonly path: string
  /** That of the store. */
  readonly state_dir: string
  /** Replaced by a test. */
  readonly clock?: ApartClock | undefined
}

export interface FolderLook {
  readonly files: BackupFile[]
  readonly is_on_panel_disk: boolean | null
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

export class Folder {
  readonly path: string
  readonly #state_dir: string
  readonly #apart: FilesApart
  #looking: Promise<FolderLook> | null = null

  constructor({ path, state_dir, clock }: FolderDeps) {
    this.path = path
    this.#state_dir = state_dir
    this.#apart = new FilesApart(clock)
  }

  /** A look that is under way serves all readers. They wait for it shortly: a page shows more than this. */
  async look(): Promise<FolderLook> {
    this.#looking ??= this.#apart
      .run(async (files) => ({
        files: await this.#files(files).catch(() => []),
        is_on_panel_disk: await this.#isOnPanelDisk(files),
      }))
      .finally(() => (this.#looking = null))
    return this.#apart.within(LOOK_WITHIN_MS, this.#looking)
  }

  /** The file is there whole or not at all, also after a power cut; then the oldest ones go. */
  write(name: string, text: string, kept: number): Promise<void> {
    return this.#apart.run(async (files) => {
      await this.#makeOwn(files)
      await this.#removeParts(files)
      const part = join(this.path, `${name}${PART}`)
      try {
        await files.writeNew(part, text)
        await files.rename(part, join(this.path, name))
      } catch (failure) {
        // A full disk gets its room back.
        await files.remove(part).catch(() => undefined)
        throw failure
      }
      await files.sync(this.path)
      await this.#removeOldest(files, name, kept)
    })
  }

  stop(): Promise<void> {
    return this.#apart.stop()
  }

  /** A directory elsewhere is not made: a disk that is not mounted must not be replaced by this one. */
  async #makeOwn(files: Files): Promise<void> {
    if (!this.path.startsWith(`${this.#state_dir}/`)) return
    let path = this.#state_dir
    for (const part of this.path.slice(path.length + 1).split('/')) {
      path = join(path, part)
      await files.makeDirectory(path).catch((failure: unknown) => {
        if (!(failure instanceof ApartError && failure.code === 'EEXIST')) throw failure
      })
    }
  }

  /** Newest first. */
  async #files(files: Files): Promise<BackupFile[]> {
    const names = (await files.names(this.path, OWN_START)).filter((name) => isOwn(name, END))
    const found: BackupFile[] = []
    for (const name of names) found.push({ name, size_bytes: Number((await files.facts(join(this.path, name))).size) })
    return found.sort((a, b) => (a.name < b.name ? 1 : -1))
  }

  /** Whether the directory is lost with the store. */
  async #isOnPanelDisk(files: Files): Promise<boolean | null> {
    try {
      return (await files.facts(this.path)).device === (await files.facts(this.#state_dir)).device
    } catch {
      return null
    }
  }

  /** What a kill or a full disk left behind. */
  async #removeParts(files: Files): Promise<void> {
    for (const name of await files.names(this.path, OWN_START))
      if (isOwn(name, `${END}${PART}`)) await files.remove(join(this.path, name))
  }

  /** The one just made stays, even if the clock was set back. */
  async #removeOldest(files: Files, made: string, kept: number): Promise<void> {
    const others = (await this.#files(files)).filter(({ name }) => name !== made)
    for (const { name } of others.slice(kept - 1)) await files.remove(join(this.path, name))
  }
}
